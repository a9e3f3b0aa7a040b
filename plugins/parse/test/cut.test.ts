import { expect, test } from 'vitest';
import { cutText } from '../src/work/cut.ts';
import { pagesOf, textOf } from './harness.ts';

test.each([
	['behind a character of two units', 3, 'a😀'],
	['before a character of two units that does not fit', 2, 'a'],
	['before the first character', 1, 'a'],
	['to nothing', 0, ''],
])('a text is truncated %s', (_where, most, text) => {
	expect(cutText(textOf('a😀c'), most)).toMatchObject({ text, truncated: true });
});

test('a page that is truncated within a character ends before it, and no page follows', () => {
	const { pages, truncated } = cutText(pagesOf('ab', '😀😀', 'c'), 5);
	expect(pages?.map(({ text }) => text)).toEqual(['ab', '😀']);
	expect(truncated).toBe(true);
});
