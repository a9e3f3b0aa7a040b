import fc from 'fast-check';
import { expect, test } from 'vitest';
import { StopSequenceFilter } from '../src/response/stop-sequence-filter.ts';

const few = (maxLength: number) =>
	fc.array(fc.constantFrom('a', 'b', '🦊'), { minLength: 1, maxLength }).map((all) => all.join(''));

test('a text is cut before the first complete stop sequence, for any chunking', () => {
	fc.assert(
		fc.property(fc.array(few(6), { maxLength: 8 }), fc.array(few(4), { maxLength: 4 }), (pieces, stops) => {
			const filter = new StopSequenceFilter(stops);
			const seen = pieces.map((piece) => filter.push(piece)).join('') + filter.end();
			const text = pieces.join('');
			const started = Array.from(text, (_, at) => [...text].slice(0, at + 1).join(''));
			const first = started.find((part) => stops.some((stop) => part.endsWith(stop)));
			const cuts = stops.filter((stop) => first?.endsWith(stop)).map(({ length }) => -length);
			expect(seen).toBe(first === undefined ? text : first.slice(0, Math.min(...cuts)));
			expect(filter.isCut).toBe(first !== undefined);
		}),
		{ numRuns: 500 },
	);
});

test('a complete sequence does not wait for a longer one that started earlier', () => {
	for (const pieces of [['xab'], ['xa', 'b']]) {
		const filter = new StopSequenceFilter(['xab', 'a']);
		expect(pieces.map((piece) => filter.push(piece)).join('')).toBe('x');
	}
});

test('text that cannot start a stop sequence is not held back', () => {
	const filter = new StopSequenceFilter(['END']);
	expect(['a', 'bE', 'N', 'x'].map((piece) => filter.push(piece))).toEqual(['a', 'b', '', 'ENx']);
});
