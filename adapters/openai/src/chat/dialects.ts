/** Where servers differ in chat. */
export interface ChatDialect {
	/** How a bound on the answer's tokens is called. */
	readonly maxTokens: 'max_tokens' | 'max_completion_tokens';
	/** Whether an answer can be made to call a tool: not at all, some tool, or the one that is named. */
	readonly toolChoice: 'auto' | 'required' | 'named';
	/** Whether it knows `reasoning_effort`. */
	readonly effort: boolean;
	/** Whether it can fetch pictures by their address. */
	readonly pictureUrls: boolean;
	/** Whether a part can be sound (`input_audio`). */
	readonly audio: boolean;
	/** Whether a part can be a file (`file`). */
	readonly files: boolean;
	/**
	 * Which requests it can be given as clients have written them: all that its own API describes, or `plain` ones, with texts that are no parts and with the roles that every
	 * template knows. Undefined: none.
	 */
	readonly asWritten?: 'all' | 'plain';
}

const own: ChatDialect = {
	maxTokens: 'max_tokens',
	toolChoice: 'named',
	effort: true,
	pictureUrls: true,
	audio: true,
	files: false,
};

/** The servers that chat, and how. */
export const chatDialects = {
	openai: { ...own, maxTokens: 'max_completion_tokens', files: true, asWritten: 'all' },
	'vllm-omni': { ...own, asWritten: 'plain' },
	sglang: { ...own, audio: false, asWritten: 'plain' },
	localai: { ...own, effort: false },
	ollama: { ...own, toolChoice: 'auto', pictureUrls: false, audio: false },
	// It knows the words, but not the form that names a tool.
	llamacpp: { ...own, toolChoice: 'required', effort: false, asWritten: 'plain' },
} as const satisfies Record<string, ChatDialect>;

/** The names of the servers that chat. */
export const chatDialectNames = [
	'openai',
	'vllm-omni',
	'sglang',
	'localai',
	'ollama',
	'llamacpp',
] as const;
