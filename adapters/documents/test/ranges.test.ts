import { expect, test } from 'vitest';
import { countOf, merged, numbersIn, portions } from '../src/pdf/ranges.ts';

test('ranges are put in order, joined, and cut to the pages that are there', () => {
	const ranges = [
		{ first: 8, last: 90 },
		{ first: 1, last: 3 },
		{ first: 2, last: 4 },
		{ first: 5, last: 5 },
		{ first: 50, last: 60 },
	];
	expect(merged(ranges, 10)).toEqual([
		{ first: 1, last: 5 },
		{ first: 8, last: 10 },
	]);
	expect(countOf(merged(ranges, 10))).toBe(8);
	expect([...numbersIn(merged(ranges, 10))]).toEqual([1, 2, 3, 4, 5, 8, 9, 10]);
});

test('portions hold so many pages each, in order', () => {
	const ranges = [
		{ first: 1, last: 3 },
		{ first: 7, last: 13 },
	];
	expect(portions(ranges, 4)).toEqual([
		[
			{ first: 1, last: 3 },
			{ first: 7, last: 7 },
		],
		[{ first: 8, last: 11 }],
		[{ first: 12, last: 13 }],
	]);
});
