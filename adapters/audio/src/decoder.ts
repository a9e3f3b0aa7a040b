import { invalidValue, type PlinthError } from '@plinth/core';
import type { AudioDecoder, DecoderInput } from '@plinth/plugin-transcription/model';
import { awaitFirst, withCleanup } from '@plinth/toolkit';
import type { Encoding, Threads } from './threads.ts';

/** Reads the samples of a file at a rate. */
export type SampleReader = (file: DecoderInput, rate: number, signal: AbortSignal) => AsyncIterable<Float32Array>;

/** Decodes on worker threads. The program decodes files that the threads cannot decode. */
export function threadedDecoder(threads: Threads, program: SampleReader): AudioDecoder {
	return {
		containers: ['wav', 'mp3', 'mp4', 'ogg', 'flac', 'webm'],
		async decode(file, preferredRate, signal) {
			const decoding = await threads.open({ path: file.path }, signal);
			// Frees the thread on abort, even if the samples are never read.
			signal.addEventListener('abort', decoding.close, { once: true });
			const opened = async () => {
				const [sampleRate = preferredRate] = new Float64Array(await nextBlock(decoding));
				return { sampleRate, samples: await awaitFirst(blocksOf(decoding), isFilled, damaged) };
			};
			try {
				const { sampleRate, samples } = await opened().catch(async (error: PlinthError) => {
					if (signal.aborted) throw error;
					const samples = await awaitFirst(program(file, preferredRate, signal), isFilled, () => error);
					return { sampleRate: preferredRate, samples };
				});
				return { sampleRate, samples: withCleanup(samples, decoding.close) };
			} catch (error) {
				decoding.close();
				throw error;
			}
		},
	};
}

const isFilled = ({ length }: Float32Array) => length > 0;

/** Requests the next block only on demand, so that nothing is buffered. */
async function* blocksOf(decoding: Encoding): AsyncGenerator<Float32Array> {
	for (;;) {
		const block = new Float32Array(await nextBlock(decoding));
		if (block.length === 0) return;
		yield block;
	}
}

async function nextBlock(decoding: Encoding): Promise<ArrayBuffer> {
	const { buffer } = await decoding.push(null).catch((error: Error) => {
		throw typeof error.cause === 'string' ? damaged() : error;
	});
	return buffer;
}

function damaged(): PlinthError {
	const message = 'The file is damaged, or has a codec that is none of MP3, Opus and FLAC: this server decodes others';
	return invalidValue('file', `${message} only with ffmpeg on its PATH.`);
}
