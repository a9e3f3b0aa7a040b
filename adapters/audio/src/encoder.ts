import { untilAborted } from '@plinth/core';
import type { AudioEncoder, EncodedAudioFormat, MonoAudio } from '@plinth/plugin-speech/model';
import type { Settings } from './encoding.ts';
import type { Threads } from './threads.ts';

/** Bit rates by format, in kbit/s; ignored for FLAC. */
export type Bitrates = Readonly<Record<EncodedAudioFormat, number>>;

const mediaTypes = { mp3: 'audio/mpeg', opus: 'audio/ogg', aac: 'audio/aac', flac: 'audio/flac' } as const;

/** The sample rates that all formats support. */
const sampleRates: readonly number[] = [16_000, 24_000, 48_000];

/** One second at 24 kHz, which occupies a shared thread for about 10 ms. */
const blockBytes = 48_000;

/** Encodes on worker threads. */
export function threadedEncoder(threads: Threads, bitrates: Bitrates): AudioEncoder {
	/** Reads the next samples only on demand, so that nothing is buffered. */
	async function* encoded(audio: MonoAudio, settings: Settings, signal: AbortSignal): AsyncGenerator<Uint8Array> {
		const encoding = await threads.open(settings, signal);
		try {
			let hasSamples = false;
			for await (const chunk of untilAborted(audio.body, signal)) {
				for (let start = 0; start < chunk.byteLength; start += blockBytes) {
					hasSamples = true;
					// A copy: the producer may reuse its buffer.
					const bytes = await encoding.push(new Uint8Array(chunk.subarray(start, start + blockBytes)));
					if (bytes.byteLength > 0) yield bytes;
				}
			}
			// Without samples there is no file.
			if (hasSamples) yield await encoding.push(null);
		} finally {
			encoding.close();
		}
	}
	return {
		formats: Object.keys(mediaTypes) as EncodedAudioFormat[],
		async encode(audio, format, signal) {
			const { sampleRate } = audio;
			if (!sampleRates.includes(sampleRate)) throw new RangeError(`Cannot encode ${sampleRate} Hz.`);
			const body = encoded(audio, { format, sampleRate, kbps: bitrates[format] }, signal);
			return { mediaType: mediaTypes[format], format, body };
		},
	};
}
