import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createEncoder, type WasmMediaEncoder } from 'wasm-media-encoders';
import type { Codec, Settings } from '../encoding.ts';

type Binary = Parameters<typeof createEncoder>[1];

/** The bytes of the library, then the compiled module after the first encoding. */
let binary: Binary | undefined;
/** An encoder without a stream, kept for reuse: only garbage collection would free its 17 MB. */
let idle: WasmMediaEncoder<'audio/mpeg'> | undefined;

/**
 * MPEG audio layer III by LAME, with a constant bit rate. A variable one needs a header with the length,
 * which is known only at the end.
 */
export async function openMp3({ sampleRate, kbps }: Settings): Promise<Codec> {
	binary ??= await readFile(createRequire(import.meta.url).resolve('wasm-media-encoders/wasm/mp3'));
	const keep = (module: Binary) => {
		binary = module;
	};
	const encoder = idle ?? (await createEncoder('audio/mpeg', binary, keep));
	idle = undefined;
	encoder.configure({ channels: 1, sampleRate, outputSampleRate: sampleRate as 24_000, bitrate: kbps as 64 });
	return {
		push: (samples) => encoder.encode([Float32Array.from(samples, (sample) => sample / 32_768)]),
		end: () => encoder.finalize(),
		close() {
			idle = encoder;
		},
	};
}
