import type { AudioFormat } from '@plinth/plugin-speech/model';

/** Where servers differ in speech. */
export interface SpeechDialect {
	/** What it makes, unless the config says otherwise. */
	readonly formats: readonly AudioFormat[];
	/** Whether it knows `instructions`. */
	readonly instructions: boolean;
	/** Whether it must be told to send `pcm` and `wav` while they are made. */
	readonly streamsOnDemand: boolean;
	/** Whether requests may pass through as clients have written them. */
	readonly passthrough: boolean;
}

/** The servers that make speech, and how. */
export const speechDialects = {
	openai: {
		formats: ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'],
		instructions: true,
		streamsOnDemand: false,
		passthrough: true,
	},
	'vllm-omni': {
		formats: ['mp3', 'opus', 'flac', 'wav', 'pcm'],
		instructions: true,
		streamsOnDemand: true,
		passthrough: false,
	},
	localai: {
		formats: ['mp3', 'opus', 'aac', 'flac', 'wav'],
		instructions: false,
		streamsOnDemand: false,
		passthrough: false,
	},
	ollama: { formats: ['wav'], instructions: false, streamsOnDemand: false, passthrough: false },
} as const satisfies Record<string, SpeechDialect>;
