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
	 * Which requests may pass through: all that its own API describes, or `plain` ones, without texts in parts and with
	 * the roles that every template knows. Undefined: none.
	 */
	readonly passthrough?: 'all' | 'plain';
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
	openai: { ...own, maxTokens: 'max_completion_tokens', files: true, passthrough: 'all' },
	'vllm-omni': { ...own, passthrough: 'plain' },
	sglang: { ...own, audio: false, passthrough: 'plain' },
	localai: { ...own, effort: false },
	ollama: { ...own, toolChoice: 'auto', pictureUrls: false, audio: false },
	// It knows the modes, but not the form that names a tool.
	llamacpp: { ...own, toolChoice: 'required', effort: false, passthrough: 'plain' },
} as const satisfies Record<string, ChatDialect>;
