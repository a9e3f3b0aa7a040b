import type { EncodedAudioFormat } from '@plinth/plugin-speech/model';

/** What one encoding is to be. */
export interface Settings {
	readonly format: EncodedAudioFormat;
	/** Samples per second, mono. */
	readonly sampleRate: number;
	/** Bits per second of the result, in thousands; lossless formats need none. */
	readonly kbps: number;
}

/**
 * To the thread, with the number of the encoding. `push` (s16le samples) and `end` are answered, one at a time for each encoding; `open`
 * and `close` are not.
 */
export type WorkerRequest =
	| { readonly kind: 'open'; readonly id: number; readonly settings: Settings }
	| { readonly kind: 'push'; readonly id: number; readonly samples: Uint8Array<ArrayBuffer> }
	| { readonly kind: 'end'; readonly id: number }
	| { readonly kind: 'close'; readonly id: number };

/** From the thread: the bytes that are ready, maybe none, or why the encoding cannot go on. */
export type WorkerResponse =
	| { readonly id: number; readonly bytes: Uint8Array<ArrayBuffer> }
	| { readonly id: number; readonly failure: string };
