/** The differences between servers in videos. */
export interface VideoDialect {
	/**
	 * How a video is created. `form`: always by a form. `json`: by JSON, or by a form with a picture. `sync`: by JSON;
	 * the response is the video, and there is no job.
	 */
	readonly create: 'form' | 'json' | 'sync';
	/** Whether the server supports `seed`. */
	readonly seed: boolean;
}

/** The supported servers. */
export const videoDialects = {
	openai: { create: 'form', seed: false },
	'vllm-omni': { create: 'form', seed: true },
	// In some versions, a form needs a picture.
	sglang: { create: 'json', seed: true },
	localai: { create: 'sync', seed: true },
} as const satisfies Record<string, VideoDialect>;
