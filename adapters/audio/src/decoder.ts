import { invalidValue, orAbort, type PlinthError } from '@plinth/core';
import type { AudioDecoder, DecoderInput } from '@plinth/plugin-transcription/model';
import { awaitFirst, Semaphore, withCleanup } from '@plinth/toolkit';
import { acquireSlot } from './encoder.ts';
import type { Encoding, Threads } from './threads.ts';

/** Reads the samples of a file at a rate. */
export type SampleReader = (file: DecoderInput, rate: number, signal: AbortSignal) => AsyncIterable<Float32Array>;

/** Decodes on worker threads, at most `concurrency` files at a time; by a program what the threads cannot decode. */
export function threadedDecoder(threads: Threads, concurrency: number, program?: SampleReader): AudioDecoder {
	const slots = new Semaphore(concurrency);
	return {
		containers: ['wav', 'mp3', 'mp4', 'ogg', 'flac', 'webm'],
		async decode(file, wanted, signal) {
			const release = await acquireSlot(slots, signal);
			const decoding = await threads.open({ path: file.path });
			const end = () => {
				decoding.close();
				release();
			};
			// Also when the samples are never read.
			signal.addEventListener('abort', end, { once: true });
			const opened = async () => {
				const [sampleRate = wanted] = new Float64Array(await nextBlock(decoding, signal));
				return { sampleRate, samples: await begun(blocksOf(decoding, signal)) };
			};
			try {
				const { sampleRate, samples } = await opened().catch(async (error: unknown) => {
					if (!program || signal.aborted) throw error;
					return { sampleRate: wanted, samples: await begun(program(file, wanted, signal)) };
				});
				return { sampleRate, samples: withCleanup(samples, end) };
			} catch (error) {
				end();
				throw error;
			}
		},
	};
}

const begun = (samples: AsyncIterable<Float32Array>) => awaitFirst(samples, ({ length }) => length > 0, damaged);

/** Asks for the next block only on demand, so that nothing is buffered. */
async function* blocksOf(decoding: Encoding, signal: AbortSignal): AsyncGenerator<Float32Array> {
	for (;;) {
		const block = new Float32Array(await nextBlock(decoding, signal));
		if (block.length === 0) return;
		yield block;
	}
}

async function nextBlock(decoding: Encoding, signal: AbortSignal): Promise<ArrayBuffer> {
	const block = await orAbort(signal, decoding.push(null)).catch((error: Error) => {
		throw typeof error.cause === 'string' ? damaged() : error;
	});
	return block.buffer as ArrayBuffer;
}

function damaged(): PlinthError {
	const message = 'The file is damaged, or has a codec that is none of MP3, Opus and FLAC: this server decodes others';
	return invalidValue('file', `${message} only with ffmpeg on its PATH.`);
}
