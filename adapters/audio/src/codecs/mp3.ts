import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createEncoder } from 'wasm-media-encoders';
import type { Settings } from '../messages.ts';
import type { Codec } from './codec.ts';

type Binary = Parameters<typeof createEncoder>[1];
type Bitrate = 32 | 40 | 48 | 64 | 80 | 96 | 112 | 128 | 160;

/** The bytes of the library, and what they compile to as soon as the first encoding has done so. */
let binary: Promise<Binary> | undefined;

/**
 * MPEG audio layer III by LAME. The bit rate is constant: a header that tells players the length of another kind would have to be written
 * when everything is there.
 */
export async function openMp3({ sampleRate, kbps }: Settings): Promise<Codec> {
	binary ??= readFile(createRequire(import.meta.url).resolve('wasm-media-encoders/wasm/mp3'));
	const encoder = await createEncoder('audio/mpeg', await binary, (module) => {
		binary = Promise.resolve(module);
	});
	encoder.configure({
		channels: 1,
		sampleRate,
		outputSampleRate: sampleRate as 24_000,
		bitrate: kbps as Bitrate,
	});
	return {
		push: (samples) => new Uint8Array(encoder.encode([Float32Array.from(samples, toUnit)])),
		end: () => new Uint8Array(encoder.finalize()),
		// Its memory is its own instance, which is collected with it.
		close() {},
	};
}

function toUnit(sample: number): number {
	return sample / 32_768;
}
