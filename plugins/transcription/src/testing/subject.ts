import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Subject, silentLogger } from '@plinth/testing';
import { checkAudio, sentAudio } from '../audio/sent-audio.ts';
import type { AudioDecoder, Transcription, TranscriptionModel, TranscriptionRequest } from '../model.ts';
import { checkTranscription } from './check.ts';

/** A new model, closed after the case. */
export type TranscriptionModelSubject = Subject & { readonly model: TranscriptionModel };

/** How to create the model under test, and what it guarantees beyond the contract. */
export interface TranscriptionModelSuiteOptions {
	create(): Promise<TranscriptionModelSubject>;
	/** The audio: a whole file of a known container. By default two seconds of a hum, as WAV. */
	readonly audio?: Uint8Array;
	/** Decodes other containers than WAV. */
	readonly decoder?: AudioDecoder;
	/** `deterministic`: equal requests get equal texts. */
	readonly supports?: { readonly deterministic?: boolean };
}

/** The reason of aborts. */
export const reason = new Error('The client disconnected.');

/** Changes of a request. */
export type RequestChanges = Partial<Omit<TranscriptionRequest, 'audio'>>;

type Stop = Pick<AbortController, 'signal'>;

/** Calls models as the plugin does, and checks their results. */
export function callerFor({ audio: bytes = hum, decoder }: TranscriptionModelSuiteOptions) {
	return async (model: TranscriptionModel, changes: RequestChanges = {}, stop: Stop = new AbortController()) => {
		const folder = await mkdtemp(join(tmpdir(), 'transcription-suite-'));
		try {
			const path = join(folder, 'audio');
			await writeFile(path, bytes);
			const upload = { path, size: bytes.byteLength, stream: () => createReadStream(path) } as never;
			const audio = sentAudio(await checkAudio(upload, 'file'), { decoder, maxSeconds: 60 }, stop.signal);
			const request: TranscriptionRequest = { audio, task: 'transcribe', timestamps: [], ...changes };
			const deltas: string[] = [];
			const run = { signal: stop.signal, log: silentLogger(), delta: (text: string) => void deltas.push(text) };
			const made: Transcription = await model.transcribe(request, run);
			checkTranscription(made, request, deltas);
			return made;
		} finally {
			await rm(folder, { recursive: true });
		}
	};
}

/** A WAV file of 16 kHz, 16 bits and one channel: two seconds of 220 Hz and its octaves. */
const hum = (() => {
	const samples = Int16Array.from({ length: 32_000 }, (_, index) => {
		const angle = (2 * Math.PI * 220 * index) / 16_000;
		return 4_000 * (Math.sin(angle) + Math.sin(2 * angle) + Math.sin(4 * angle));
	});
	const head = 'RIFF\x24\xfa\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x80\x3e\0\0\0\x7d\0\0\x02\0\x10\0data\0\xfa\0\0';
	return Buffer.concat([Buffer.from(head, 'latin1'), new Uint8Array(samples.buffer)]);
})();
