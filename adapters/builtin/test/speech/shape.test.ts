import { describe, expect, it } from 'vitest';
import { shapeUtterance } from '../../src/speech/shape.ts';

const rate = 1_000;

function shaped(samples: readonly number[], gain = 1, pauseMs = 0): Int16Array {
	const bytes = shapeUtterance(Int16Array.from(samples), rate, { gain, pauseMs });
	return new Int16Array(bytes.buffer);
}

describe('shapeUtterance', () => {
	it('cuts silence and leaves 20 ms before and 40 ms behind the sound', () => {
		const silence = Array<number>(200).fill(10);
		const sound = Array<number>(300).fill(5_000);
		expect(shaped([...silence, ...sound, ...silence]).length).toBe(20 + 300 + 40);
	});

	it('begins and ends near zero', () => {
		const samples = shaped(Array<number>(300).fill(20_000));
		expect(samples[0]).toBeLessThanOrEqual(5_000);
		expect(samples.at(-1)).toBeLessThanOrEqual(20_000 / 15 + 1);
		expect(samples[150]).toBe(20_000);
	});

	it('appends the pause', () => {
		const samples = shaped(Array<number>(100).fill(5_000), 1, 50);
		expect(samples.length).toBe(150);
		expect(new Set(samples.subarray(100))).toEqual(new Set([0]));
	});

	it('limits what the gain makes too loud', () => {
		expect(Math.max(...shaped(Array<number>(100).fill(30_000), 2))).toBe(32_767);
	});

	it('makes a pause of an utterance without sound', () => {
		expect(shaped([0, 0, 3], 1, 5)).toEqual(new Int16Array(5));
	});
});
