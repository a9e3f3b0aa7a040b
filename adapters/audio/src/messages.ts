import type { EncodedAudioFormat } from '@plinth/plugin-speech/model';

/** The parameters of one encoding. */
export interface Settings {
	readonly format: EncodedAudioFormat;
	/** Samples per second, mono. */
	readonly sampleRate: number;
	/** Bit rate in kbit/s; ignored for lossless formats. */
	readonly kbps: number;
}

/**
 * A request to the thread, with the id of the encoding. `push` (s16le samples) and `end` are responded to,
 * one at a time per encoding; `open` and `close` are not.
 */
export type WorkerRequest =
	| { readonly kind: 'open'; readonly id: number; readonly settings: Settings }
	| { readonly kind: 'push'; readonly id: number; readonly samples: Uint8Array<ArrayBuffer> }
	| { readonly kind: 'end'; readonly id: number }
	| { readonly kind: 'close'; readonly id: number };

/** A response of the thread: the finished bytes, if any, or the failure of the encoding. */
export type WorkerResponse =
	| { readonly id: number; readonly bytes: Uint8Array<ArrayBuffer> }
	| { readonly id: number; readonly failure: string };
