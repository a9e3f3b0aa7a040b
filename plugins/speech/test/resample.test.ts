import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSamples, writeSamples } from '../src/pcm.ts';
import { resample, toWirePcm } from '../src/resample.ts';
import { collect, cut, from } from './bytes.ts';

const rates = [8_000, 11_025, 13_600, 16_000, 16_001, 17_600, 22_050, 24_000, 44_100, 48_000];

async function convert(samples: ArrayLike<number>, source: number, target = 24_000) {
	return readSamples(await collect(resample(from([writeSamples(samples)]), source, target)));
}

function sine(hertz: number, rate: number, seconds: number): number[] {
	return Array.from(
		{ length: Math.round(rate * seconds) },
		(_, index) => 20_000 * Math.sin((2 * Math.PI * hertz * index) / rate),
	);
}

/** The middle of a signal, without its ends. */
function middle(samples: Int16Array): readonly number[] {
	return [...samples.subarray(samples.length / 4, (samples.length * 3) / 4)];
}

function rms(values: readonly number[]): number {
	return Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);
}

describe('resample', () => {
	it('returns the same bytes for any chunking', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.constantFrom(...rates),
				fc.uint8Array({ maxLength: 1_500 }),
				fc.array(fc.nat({ max: 90 }), { minLength: 1, maxLength: 6 }),
				async (rate, bytes, sizes) => {
					const whole = await collect(resample(from([bytes]), rate, 24_000));
					const pieces = await collect(resample(from(cut(bytes, sizes)), rate, 24_000));
					expect(Buffer.compare(whole, pieces)).toBe(0);
				},
			),
		);
	});

	it('returns exactly ceil(n * to / from) samples', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.constantFrom(...rates),
				fc.constantFrom(...rates),
				fc.nat({ max: 700 }),
				async (source, target, length) => {
					const output = await convert(new Int16Array(length), source, target);
					expect(output.length).toBe(Math.ceil((length * target) / source));
				},
			),
		);
	});

	it.each(rates)('keeps the pitch, phase and level of a 1 kHz tone at %i Hz', async (rate) => {
		const output = await convert(sine(1_000, rate, 0.3), rate);
		const wanted = sine(1_000, 24_000, 0.3);
		const start = Math.floor(output.length / 4);
		const error = middle(output).map((value, index) => value - (wanted[start + index] ?? 0));
		expect(rms(error)).toBeLessThan(2);
	});

	it('removes frequencies above the lower rate, without aliasing', async () => {
		const output = await convert(sine(15_000, 48_000, 0.3), 48_000);
		expect(rms(middle(output))).toBeLessThan(2);
	});

	it('adds no spectral images when it raises the rate', async () => {
		const output = await convert(sine(6_000, 16_000, 0.3), 16_000);
		const wanted = sine(6_000, 24_000, 0.3);
		const start = Math.floor(output.length / 4);
		const error = middle(output).map((value, index) => value - (wanted[start + index] ?? 0));
		expect(rms(error)).toBeLessThan(4);
	});

	it('keeps a constant level constant', async () => {
		const output = await convert(new Int16Array(4_000).fill(12_345), 22_050);
		expect(new Set(middle(output))).toEqual(new Set([12_345]));
	});

	it('passes equal rates through, without half a sample at the end', async () => {
		const output = await collect(resample(from([Uint8Array.of(1, 2, 3)]), 24_000, 24_000));
		expect([...output]).toEqual([1, 2]);
	});

	it.each([0, -1, 44_100.5, Number.NaN])('rejects the rate %s', async (rate) => {
		await expect(collect(resample(from([]), rate, 24_000))).rejects.toThrow(RangeError);
	});

	it('closes its source when the reader stops', async () => {
		let closed = false;
		async function* endless() {
			try {
				for (;;) yield new Uint8Array(3_200);
			} finally {
				closed = true;
			}
		}
		for await (const _chunk of resample(endless(), 16_000, 24_000)) break;
		expect(closed).toBe(true);
	});
});

describe('toWirePcm', () => {
	it('converts to 24 kHz mono', async () => {
		const stereo = writeSamples(sine(440, 48_000, 0.1).flatMap((value) => [value, value]));
		const output = await collect(toWirePcm({ body: from([stereo]), channels: 2, sampleRate: 48_000 }));
		expect(output.byteLength).toBe(2_400 * 2);
	});
});
