import type { MessagePort } from 'node:worker_threads';
import type { EncodedAudioFormat } from '@plinth/plugin-speech/model';

/** The parameters of one encoding. */
export interface Settings {
	readonly format: EncodedAudioFormat;
	/** Samples per second, mono. */
	readonly sampleRate: number;
	/** Bit rate in kbit/s; ignored for lossless formats. */
	readonly kbps: number;
}

/** The input of a thread: one encoding, or the decoding of one file. It runs until its end or until the port closes. */
export interface EncodingTask {
	readonly settings: Settings | { readonly path: string };
	/** Receives s16le samples, or `null` to end or to get a decoded block. Sends an {@link EncodingResponse} for each. */
	readonly port: MessagePort;
}

/** The finished bytes, if any, or the reason of a failure. */
export type EncodingResponse = Uint8Array<ArrayBuffer> | { readonly failure: string };

/** One encoding, or decoding, in its thread. Calls do not overlap, except that `close` may be called at any time. */
export interface Codec {
	/** Encodes mono samples and returns the finished bytes, if any, which are valid until the next call. */
	push(samples: Int16Array<ArrayBuffer>): Uint8Array | Promise<Uint8Array>;
	/** Returns the remaining bytes in the same way. A decoding returns its next block. */
	end(): Uint8Array | Promise<Uint8Array>;
	/** Frees the resources of the encoding. */
	close(): void;
}
