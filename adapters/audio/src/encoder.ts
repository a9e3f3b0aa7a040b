import { orAbort, untilAborted } from '@plinth/core';
import type { AudioEncoder, EncodedAudioFormat, MonoAudio } from '@plinth/plugin-speech/model';
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

/** Encodes on worker threads, at most `concurrency` streams at a time; the others wait. */
export function threadedEncoder(threads: Threads, concurrency: number, bitrates: Bitrates): AudioEncoder {
	const slots = new Semaphore(concurrency);
	/** Reads the next samples only on demand, so that nothing is buffered. */
	async function* encoded(audio: MonoAudio, settings: Settings, signal: AbortSignal): AsyncGenerator<Uint8Array> {
		const releaseSlot = await acquireSlot(slots, signal);
		try {
			const encoding = await threads.open(settings);
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
	return {
		formats,
		/** Throws a RangeError for sample rates other than 16,000, 24,000 and 48,000 Hz. */
		async encode(audio, format, signal) {
			const { sampleRate } = audio;
			if (!sampleRates.includes(sampleRate)) {
				throw new RangeError(`${sampleRate} Hz cannot be encoded, but ${sampleRates.join(', ')}.`);
			}
			const kbps = format === 'flac' ? 0 : bitrates[format];
			const body = encoded(audio, { format, sampleRate, kbps }, signal);
			return { mediaType: mediaTypes[format], format, body };
		},
	};
}

/** Splits chunks into blocks and copies them: the producer may reuse its buffer. */
async function* blocksOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
	for await (const chunk of chunks) {
		for (let start = 0; start < chunk.byteLength; start += blockBytes) {
			yield new Uint8Array(chunk.subarray(start, start + blockBytes));
		}
	}
}

/** Waits for a slot, at most until the signal aborts. Returns a function that releases it. */
export async function acquireSlot(slots: Semaphore, signal: AbortSignal): Promise<() => void> {
	const released = Promise.withResolvers<void>();
	await new Promise<void>((resolve, reject) => {
		const hold = () => {
			resolve();
			return released.promise;
		};
		slots.run(hold, signal).catch(reject);
	});
	return released.resolve;
}
