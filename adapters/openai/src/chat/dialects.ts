/** The differences between servers in chat. */
export interface ChatDialect {
	/** The name of the limit of the answer's tokens. */
	readonly maxTokens: 'max_tokens' | 'max_completion_tokens';
	/** Which `tool_choice` the server supports: `auto` only, also `required`, or also the name of a tool. */
	readonly toolChoice: 'auto' | 'required' | 'named';
	/** Whether the server supports `reasoning_effort`. */
	readonly effort: boolean;
	/** Whether the server can fetch pictures from URLs. */
	readonly pictureUrls: boolean;
	/** Whether a part can be audio (`input_audio`). */
	readonly audio: boolean;
	/** Whether a part can be a file (`file`). */
	readonly files: boolean;
	/** Whether the server reports log probabilities (`logprobs`, `top_logprobs`). */
	readonly logprobs: boolean;
	/** Names of further members that the server accepts. */
	readonly members: readonly string[];
	/**
	 * Which requests may pass through. `all`: every valid request. `plain`: no content in parts, and only roles that
	 * every chat template supports. Undefined: none.
	 */
	readonly passthrough?: 'all' | 'plain';
}

const base: ChatDialect = {
	maxTokens: 'max_tokens',
	toolChoice: 'named',
	effort: true,
	pictureUrls: true,
	audio: true,
	files: false,
	logprobs: true,
	members: [],
};

/** Sampling members that vLLM and SGLang accept. */
const samplingMembers = [
	'logit_bias',
	'top_k',
	'min_p',
	'min_tokens',
	'repetition_penalty',
	'stop_token_ids',
	'ignore_eos',
	'chat_template_kwargs',
];

/** The supported servers. */
export const chatDialects = {
	openai: {
		...base,
		maxTokens: 'max_completion_tokens',
		files: true,
		members: [
			'logit_bias',
			'metadata',
			'prediction',
			'prompt_cache_key',
			'prompt_cache_retention',
			'safety_identifier',
			'service_tier',
			'store',
			'verbosity',
			'web_search_options',
		],
		passthrough: 'all',
	},
	'vllm-omni': { ...base, members: samplingMembers, passthrough: 'plain' },
	sglang: { ...base, audio: false, members: samplingMembers, passthrough: 'plain' },
	localai: { ...base, effort: false, members: ['logit_bias', 'top_k', 'repeat_penalty'] },
	ollama: { ...base, toolChoice: 'auto', pictureUrls: false, audio: false },
	// The server supports the modes, but not the form that names a tool.
	llamacpp: {
		...base,
		toolChoice: 'required',
		effort: false,
		members: ['logit_bias', 'top_k', 'min_p', 'repeat_penalty', 'typical_p', 'chat_template_kwargs'],
		passthrough: 'plain',
	},
} as const satisfies Record<string, ChatDialect>;
