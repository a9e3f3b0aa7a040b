import { mergedRanges } from '@plinth/toolkit';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { pagesWithin } from '../../src/documents/ranges.ts';

const range = fc
	.tuple(fc.integer({ min: 1, max: 30 }), fc.nat(5))
	.map(([first, more]) => ({ first, last: first + more }));
const all = Array.from({ length: 40 }, (_, index) => ({ page: index + 1, text: '' }));

it('merged ranges have the same pages, in order and without overlap', () => {
	fc.assert(
		fc.property(fc.array(range), (ranges) => {
			const merged = mergedRanges(ranges);
			const expected = all.filter(({ page }) => ranges.some(({ first, last }) => page >= first && page <= last));
			expect(pagesWithin(all, merged)).toEqual(expected);
			for (const [index, { first }] of merged.entries()) {
				expect(first).toBeGreaterThan((merged[index - 1]?.last ?? -1) + 1);
			}
		}),
	);
});

it('invalid ranges are left out', () => {
	const wrong = [
		{ first: 0, last: 3 },
		{ first: 5, last: 4 },
		{ first: 1.5, last: 2 },
		{ first: 1, last: Number.NaN },
		{ first: 2, last: 2 },
	];
	expect(mergedRanges(wrong)).toEqual([{ first: 2, last: 2 }]);
});
