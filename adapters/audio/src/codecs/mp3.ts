import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createEncoder, type WasmMediaEncoder } from 'wasm-media-encoders';
import type { Settings } from '../messages.ts';
import type { Codec } from './codec.ts';

type Binary = Parameters<typeof createEncoder>[1];
type Bitrate = 32 | 40 | 48 | 64 | 80 | 96 | 112 | 128 | 160;

/** The bytes of the library, then the compiled module after the first encoding. */
let binary: Promise<Binary> | undefined;
/** An encoder without a stream, to use again: its memory of 17 MB would stay until it is garbage-collected. */
let idle: WasmMediaEncoder<'audio/mpeg'> | undefined;

/**
 * MPEG audio layer III by LAME, with a constant bit rate. A variable one needs a header with the length,
 * which is known only at the end.
 */
export async function openMp3({ sampleRate, kbps }: Settings): Promise<Codec> {
	binary ??= readFile(createRequire(import.meta.url).resolve('wasm-media-encoders/wasm/mp3'));
	const keep = (module: Binary) => {
		binary = Promise.resolve(module);
	};
	const encoder = idle ?? (await createEncoder('audio/mpeg', await binary, keep));
	idle = undefined;
	const outputSampleRate = sampleRate as 24_000;
	encoder.configure({ channels: 1, sampleRate, outputSampleRate, bitrate: kbps as Bitrate });
	return {
		push: (samples) => new Uint8Array(encoder.encode([Float32Array.from(samples, (sample) => sample / 32_768)])),
		end: () => new Uint8Array(encoder.finalize()),
		close() {
			idle = encoder;
		},
	};
}
