import type { AudioFormat } from '@plinth/plugin-speech/model';

/** The differences between servers in speech. */
export interface SpeechDialect {
	/** The formats that the server makes, unless the config lists others. */
	readonly formats: readonly AudioFormat[];
	/** Whether the server supports `instructions`. */
	readonly instructions: boolean;
	/** Whether `voice` can be an object with the id of a custom voice; otherwise the id alone is sent. */
	readonly customVoices: boolean;
	/** Whether `pcm` and `wav` are streamed only with `stream_format`. */
	readonly streamsOnDemand: boolean;
	/** Whether requests may pass through unchanged. */
	readonly passthrough: boolean;
}

/** The supported servers. */
export const speechDialects = {
	openai: {
		formats: ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'],
		instructions: true,
		customVoices: true,
		streamsOnDemand: false,
		passthrough: true,
	},
	'vllm-omni': {
		formats: ['mp3', 'opus', 'flac', 'wav', 'pcm'],
		instructions: true,
		customVoices: false,
		streamsOnDemand: true,
		passthrough: false,
	},
	localai: {
		formats: ['mp3', 'opus', 'aac', 'flac', 'wav'],
		instructions: false,
		customVoices: false,
		streamsOnDemand: false,
		passthrough: false,
	},
	ollama: {
		formats: ['wav'],
		instructions: false,
		customVoices: false,
		streamsOnDemand: false,
		passthrough: false,
	},
} as const satisfies Record<string, SpeechDialect>;
