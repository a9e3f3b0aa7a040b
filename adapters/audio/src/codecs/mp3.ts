import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createEncoder } from 'wasm-media-encoders';
import type { Settings } from '../messages.ts';
import type { Codec } from './codec.ts';

type Binary = Parameters<typeof createEncoder>[1];
type Bitrate = 32 | 40 | 48 | 64 | 80 | 96 | 112 | 128 | 160;

/** The bytes of the library, then the compiled module after the first encoding. */
let binary: Promise<Binary> | undefined;

/**
 * MPEG audio layer III by LAME, with a constant bit rate. A variable one needs a header with the length,
 * which is known only at the end.
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
		// The memory belongs to the instance and is garbage-collected with it.
		close() {},
	};
}

function toUnit(sample: number): number {
	return sample / 32_768;
}
