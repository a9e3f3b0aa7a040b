import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toPieces } from '../src/pieces.ts';
import { toWindows, type Window } from '../src/windows.ts';
import { toWords } from '../src/words.ts';

describe('a text', () => {
	test('is split into sentences, without characters that cannot be spoken', () => {
		expect(toPieces('Good day, Dr. Who. It is late. … 🦊! J. R. knows.')).toEqual([
			'Good day, Dr. Who. It is late.',
			'J. R. knows.',
		]);
		expect(toPieces('你好。今天天气很好。')).toEqual(['你好。', '今天天气很好。']);
		expect(toPieces(' \n…')).toEqual([]);
	});

	test('is split at commas and spaces when a sentence is long', () => {
		const clause = `${'word '.repeat(30)}end`;
		expect(toPieces(`${clause}, ${clause}.`)).toEqual([`${clause},`, `${clause}.`]);
		for (const piece of toPieces('word '.repeat(400))) expect(piece).toMatch(/^word( word)*$/);
	});

	test('keeps all letters, in pieces of at most 300 characters', () => {
		const letters = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '');
		const text = fc.string({
			unit: fc.oneof(fc.constantFrom(' ', '.', ',', 'a', '字', '𝒳'), fc.string({ unit: 'binary' })),
		});
		fc.assert(
			fc.property(
				fc.array(text).map((parts) => parts.join('')),
				(input) => {
					const pieces = toPieces(input);
					expect(letters(pieces.join(''))).toBe(letters(input.toWellFormed()));
					for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(300);
					for (const piece of pieces) expect(piece.isWellFormed()).toBe(true);
				},
			),
		);
	});
});

const rate = 16_000;
const signal = new AbortController().signal;

async function cut(chunks: readonly Float32Array[]): Promise<readonly Window[]> {
	async function* audio() {
		yield* chunks;
	}
	const windows: Window[] = [];
	for await (const window of toWindows(audio(), signal)) windows.push(window);
	return windows;
}

describe('audio', () => {
	test('of up to 28 s is one window', async () => {
		const [window, ...more] = await cut([new Float32Array(10 * rate).fill(0.1), new Float32Array(17 * rate)]);
		expect(more).toEqual([]);
		expect(window).toMatchObject({ start: 0 });
		expect(window?.samples).toHaveLength(27 * rate);
		expect(window?.samples[10 * rate - 1]).toBeCloseTo(0.1);
	});

	test('is split at the quietest point in the last ten seconds', async () => {
		const audio = new Float32Array(40 * rate).fill(0.5);
		audio.fill(0.01, 22 * rate, 22.2 * rate);
		// Quieter, but too early.
		audio.fill(0, 5 * rate, 6 * rate);
		const [first, second] = await cut([audio]);
		expect((first?.samples.length ?? 0) / rate).toBeCloseTo(22.1, 0);
		expect(second?.start).toBe((first?.samples.length ?? 0) / rate);
	});

	test('loses no sample for any chunk sizes', async () => {
		const lengths = fc.array(fc.integer({ min: 0, max: 9 * rate }), { maxLength: 12 });
		await fc.assert(
			fc.asyncProperty(lengths, async (lengths) => {
				let count = 0;
				const chunks = lengths.map((length) => Float32Array.from({ length }, () => (count++ % 997) / 997));
				const windows = await cut(chunks);
				let at = 0;
				for (const { start, samples } of windows) {
					expect(start * rate).toBeCloseTo(at, 3);
					expect(samples.length).toBeLessThanOrEqual(28 * rate);
					expect(samples[0]).toBeCloseTo((at % 997) / 997, 5);
					at += samples.length;
				}
				expect(at).toBe(count);
			}),
			{ numRuns: 10 },
		);
	});
});

describe('tokens', () => {
	test('are joined to words', () => {
		const tokens = [' Good', ' mor', 'ning', ',', ' Ada', '.'];
		const words = toWords({ text: '', start: 10, end: 14, tokens, timestamps: [0, 0.5, 0.7, 0.9, 2, 2.2] });
		expect(words).toEqual([
			{ start: 10, end: 10.5, word: 'Good' },
			{ start: 10.5, end: 11.5, word: 'morning,' },
			{ start: 12, end: 13, word: 'Ada.' },
		]);
	});

	test('without spaces are words of one character', () => {
		const tokens = ['你', '好', '。', 'hel', 'lo'];
		const words = toWords({ text: '', start: 0, end: 1.5, tokens, timestamps: [0, 0.2, 0.4, 1, 1.2] });
		expect(words.map(({ word }) => word)).toEqual(['你', '好。', 'hello']);
		expect(words.at(-1)).toEqual({ start: 1, end: 1.5, word: 'hello' });
		expect(toWords({ text: '', start: 0, end: 1 })).toEqual([]);
	});
});
