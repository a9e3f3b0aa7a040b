import { orAbort, untilAborted } from '@plinth/core';
import type { AudioEncoder, EncodedAudio, EncodedAudioFormat, MonoAudio } from '@plinth/plugin-speech/model';
import { Semaphore } from '@plinth/toolkit';
import type { Settings } from './messages.ts';
import type { Threads } from './threads.ts';

/** Bit rates by format, in kbit/s. */
export type Bitrates = Readonly<Record<Exclude<EncodedAudioFormat, 'flac'>, number>>;

const mediaTypes: Readonly<Record<EncodedAudioFormat, string>> = {
	mp3: 'audio/mpeg',
	opus: 'audio/ogg',
	aac: 'audio/aac',
	flac: 'audio/flac',
};
const formats = ['mp3', 'opus', 'aac', 'flac'] as const;

/** The sample rates that all formats support. */
const sampleRates: readonly number[] = [16_000, 24_000, 48_000];

/** A second at 24 kHz: about 10 ms of a shared thread. */
const blockBytes = 48_000;

/** `AudioEncoder` on worker threads. At most `concurrency` streams are encoded at the same time; the others wait. */
export class ThreadedEncoder implements AudioEncoder {
	readonly formats = formats;
	readonly #threads: Threads;
	readonly #slots: Semaphore;
	readonly #bitrates: Bitrates;

	constructor(threads: Threads, concurrency: number, bitrates: Bitrates) {
		this.#threads = threads;
		this.#slots = new Semaphore(concurrency);
		this.#bitrates = bitrates;
	}

	/** Throws a RangeError for sample rates other than 16,000, 24,000 and 48,000 Hz. */
	async encode(audio: MonoAudio, format: EncodedAudioFormat, signal: AbortSignal): Promise<EncodedAudio> {
		const { sampleRate } = audio;
		if (!sampleRates.includes(sampleRate)) {
			throw new RangeError(`${sampleRate} Hz cannot be encoded, but ${sampleRates.join(', ')}.`);
		}
		const kbps = format === 'flac' ? 0 : this.#bitrates[format];
		const body = this.#encoded(audio, { format, sampleRate, kbps }, signal);
		return { mediaType: mediaTypes[format], format, body };
	}

	/** Reads the next samples only on demand, so that nothing is buffered. */
	async *#encoded(audio: MonoAudio, settings: Settings, signal: AbortSignal): AsyncGenerator<Uint8Array> {
		const releaseSlot = await acquireSlot(this.#slots, signal);
		try {
			const encoding = await this.#threads.open(settings);
			try {
				let hasSamples = false;
				for await (const block of blocksOf(untilAborted(audio.body, signal))) {
					hasSamples = true;
					const bytes = await orAbort(signal, encoding.push(block));
					if (bytes.byteLength > 0) yield bytes;
				}
				// Without samples there is no file.
				if (hasSamples) yield await orAbort(signal, encoding.push(null));
			} finally {
				encoding.close();
			}
		} finally {
			releaseSlot();
		}
	}
}

/** Splits chunks into blocks and copies them: the producer may reuse its buffer. */
async function* blocksOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
	for await (const chunk of chunks) {
		for (let start = 0; start < chunk.byteLength; start += blockBytes) {
			yield new Uint8Array(chunk.subarray(start, start + blockBytes));
		}
	}
}

/**
 * Waits for a slot and returns a function that releases it, for work that is not a single promise. The
 * signal only ends the waiting.
 */
async function acquireSlot(semaphore: Semaphore, signal: AbortSignal): Promise<() => void> {
	const acquired = Promise.withResolvers<void>();
	const released = Promise.withResolvers<void>();
	const work = () => {
		acquired.resolve();
		return released.promise;
	};
	semaphore.run(work, signal).catch(acquired.reject);
	await acquired.promise;
	return released.resolve;
}
