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

/** What a thread is called with: one encoding, or the decoding of a file, until its end or until the port is closed. */
export interface EncodingTask {
	readonly settings: Settings | { readonly path: string };
	/** Brings s16le samples, and `null` at the end or for a decoded block. Takes an {@link EncodingResponse} each time. */
	readonly port: MessagePort;
}

/** The finished bytes, if any, or why the work has failed. */
export type EncodingResponse = Uint8Array<ArrayBuffer> | { readonly failure: string };
