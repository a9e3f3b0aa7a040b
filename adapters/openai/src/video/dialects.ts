/** Where servers differ in videos. */
export interface VideoDialect {
	/**
	 * How a video is asked for: `form`, always; `json`, and a form where there is a picture; `sync`: JSON whose answer
	 * is the video, with no job behind it.
	 */
	readonly create: 'form' | 'json' | 'sync';
	/** Whether it knows `seed`. */
	readonly seed: boolean;
}

/** The servers that make videos, and how. */
export const videoDialects = {
	openai: { create: 'form', seed: false },
	'vllm-omni': { create: 'form', seed: true },
	// Its forms want a picture, in some versions.
	sglang: { create: 'json', seed: true },
	localai: { create: 'sync', seed: true },
} as const satisfies Record<string, VideoDialect>;
