import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSamples, stereoToMono, wholeFrames, writeSamples } from '../src/pcm.ts';
import { collect, cut, from } from './bytes.ts';

describe('samples', () => {
	it('are unchanged after a conversion to bytes and back', () => {
		fc.assert(
			fc.property(fc.int16Array(), (samples) => {
				expect([...readSamples(writeSamples(samples))]).toEqual([...samples]);
			}),
		);
	});

	it('are little-endian', () => {
		expect([...writeSamples([0x0102, -2])]).toEqual([0x02, 0x01, 0xfe, 0xff]);
	});

	it('are clamped instead of wrapped', () => {
		expect([...readSamples(writeSamples([40_000, -40_000, 1.6]))]).toEqual([32_767, -32_768, 2]);
	});

	it('are read from any offset of a buffer', () => {
		const bytes = new Uint8Array([9, 1, 0, 2, 0, 9]).subarray(1, 5);
		expect([...readSamples(bytes)]).toEqual([1, 2]);
	});
});

describe('wholeFrames', () => {
	it('keeps all bytes of whole frames in order, for any chunking', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.uint8Array({ maxLength: 64 }),
				fc.array(fc.nat({ max: 7 }), { minLength: 1 }),
				fc.integer({ min: 1, max: 6 }),
				async (bytes, sizes, frameBytes) => {
					const chunks: Uint8Array[] = [];
					for await (const chunk of wholeFrames(from(cut(bytes, sizes)), frameBytes)) {
						expect(chunk.byteLength % frameBytes).toBe(0);
						expect(chunk.byteLength).toBeGreaterThan(0);
						chunks.push(chunk.slice());
					}
					const whole = bytes.byteLength - (bytes.byteLength % frameBytes);
					expect([...Buffer.concat(chunks)]).toEqual([...bytes.subarray(0, whole)]);
				},
			),
		);
	});
});

describe('a source that reuses one buffer for all chunks', () => {
	it('does not change chunks that were already emitted', async () => {
		const bytes = Uint8Array.from({ length: 40 }, (_, index) => index);
		async function* reusing(): AsyncGenerator<Uint8Array> {
			const buffer = new Uint8Array(5);
			for (let at = 0; at < bytes.length; at += 5) {
				buffer.set(bytes.subarray(at, at + 5));
				yield buffer;
			}
		}
		expect([...(await collect(wholeFrames(reusing(), 4)))]).toEqual([...bytes]);
	});
});

describe('stereoToMono', () => {
	it('averages left and right, also when a frame is split between chunks', async () => {
		const stereo = writeSamples([100, 300, -32_768, -32_768, 1, 2, 32_767, 32_767]);
		const mono = await collect(stereoToMono(from(cut(stereo, [3, 1, 6]))));
		expect([...readSamples(mono)]).toEqual([200, -32_768, 2, 32_767]);
	});
});
