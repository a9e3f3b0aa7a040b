/** Work for the engine. A probe only loads it. */
export type EngineTask = SpeakTask | TranscribeTask | { readonly kind: 'probe' };

/** A message to the process of an engine. `engine` is the file of `sherpa-onnx-node`. */
export type EngineRequest = EngineTask & { readonly engine: string };

/** Speaks. The response's body is signed 16-bit little-endian samples; empty when nothing can be spoken. */
export interface SpeakTask {
	readonly kind: 'speak';
	/** `OfflineTtsConfig` of the engine. */
	readonly config: unknown;
	readonly text: string;
	/** The number of the speaker. */
	readonly speaker: number;
	readonly speed: number;
}

/** Transcribes a window. The body is its samples: 32-bit floats at 16 kHz. The response is {@link Recognized}. */
export interface TranscribeTask {
	readonly kind: 'transcribe';
	/** `OfflineRecognizerConfig` of the engine. */
	readonly config: { readonly modelConfig: Readonly<Record<string, unknown>> };
}

/** The engine's result for a window. Times are seconds from the start of the window. */
export interface Recognized {
	readonly text: string;
	/** `en`, or `<|en|>`. */
	readonly lang?: string;
	readonly tokens?: readonly string[];
	/** The start of each token. */
	readonly timestamps?: readonly number[];
	readonly segment_timestamps?: readonly number[];
	readonly segment_durations?: readonly number[];
	readonly segment_texts?: readonly string[];
}

/** Samples per second that recognizers require. */
export const recognizerRate = 16_000;
