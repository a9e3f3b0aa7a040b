import { modelError } from '@plinth/core';
import { bytesPerSample, wholeFrames } from './pcm.ts';

/** Sample rate and number of channels. */
export interface WavFormat {
	readonly sampleRate: number;
	readonly channels: 1 | 2;
}

/** Bytes of the header that {@link wavHeader} makes. */
export const wavHeaderBytes = 44;

const maxDataBytes = 0xffff_ffff - (wavHeaderBytes - 8);

/**
 * The header of a WAV file with 16-bit PCM: RIFF, a 16-byte `fmt ` chunk and the head of the `data` chunk
 * (Microsoft's "Multimedia Programming Interface and Data Specifications 1.0"). Throws a RangeError when
 * `dataBytes` does not fit its 32 bits.
 */
export function wavHeader(format: WavFormat, dataBytes: number): Uint8Array<ArrayBuffer> {
	if (!Number.isInteger(dataBytes) || dataBytes < 0 || dataBytes > maxDataBytes) {
		throw new RangeError(`A WAV file cannot hold ${dataBytes} bytes of samples.`);
	}
	const frameBytes = format.channels * bytesPerSample;
	const header = new Uint8Array(wavHeaderBytes);
	const view = new DataView(header.buffer);
	const name = (at: number, text: string) => header.set(new TextEncoder().encode(text), at);
	name(0, 'RIFF');
	view.setUint32(4, wavHeaderBytes - 8 + dataBytes, true);
	name(8, 'WAVE');
	name(12, 'fmt ');
	view.setUint32(16, 16, true);
	view.setUint16(20, 1, true);
	view.setUint16(22, format.channels, true);
	view.setUint32(24, format.sampleRate, true);
	view.setUint32(28, format.sampleRate * frameBytes, true);
	view.setUint16(32, frameBytes, true);
	view.setUint16(34, bytesPerSample * 8, true);
	name(36, 'data');
	view.setUint32(40, dataBytes, true);
	return header;
}

/** A complete WAV file in parts. */
export interface WavFile {
	readonly byteLength: number;
	/** The header, then the chunks of samples. */
	readonly parts: readonly Uint8Array[];
}

/** About 23 minutes of 24 kHz mono. The longest text, 4,096 characters, takes about five. */
const defaultMaxBytes = 64 * 2 ** 20;

/**
 * Collects s16le samples into a WAV file with exact lengths, without joining the chunks.
 *
 * Throws `E_MODEL_FAILED` as soon as the samples exceed `maxBytes`, and every error of `body`.
 */
export async function collectWav(
	body: AsyncIterable<Uint8Array>,
	format: WavFormat,
	maxBytes: number = defaultMaxBytes,
): Promise<WavFile> {
	const samples: Uint8Array[] = [];
	let dataBytes = 0;
	for await (const chunk of wholeFrames(body, format.channels * bytesPerSample)) {
		dataBytes += chunk.byteLength;
		if (dataBytes > maxBytes) {
			throw modelError(
				`The speech is larger than ${maxBytes} bytes, the limit of a WAV file. ` +
					'Send less text, or ask for "pcm", which is streamed.',
			);
		}
		// A copy: the producer may reuse its buffer after the next call.
		samples.push(chunk.slice());
	}
	return {
		byteLength: wavHeaderBytes + dataBytes,
		parts: [wavHeader(format, dataBytes), ...samples],
	};
}
