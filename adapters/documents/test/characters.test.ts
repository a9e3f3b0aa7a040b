import { expect, test } from 'vitest';
import { cleanText, isFromRight } from '../src/layout/characters.ts';
import { pageText } from '../src/layout/page.ts';
import { item } from './items.ts';

test.each([
	['ligatures', 'o\uFB03ce', 'office'],
	['Arabic presentation forms', '\uFEE3\uFEAE\uFEA3\uFE92\uFE8E', 'مرحبا'],
	['Arabic ligatures', '\uFEFB', 'لا'],
	['bullets of symbol fonts', '\uF0B7 wool', '• wool'],
	['glyphs without a character', '\uE001\uFFFDwool\u0003', 'wool'],
	['blanks of all kinds', 'wool\u00A0and\u2003yarn', 'wool and yarn'],
	['dot leaders', 'Chapter . . . . . . . . . 7', 'Chapter ..... 7'],
	['mirrored brackets', 'הספר )הזה( נכתב', 'הספר (הזה) נכתב'],
	['brackets in order', 'הספר (הזה) נכתב', 'הספר (הזה) נכתב'],
])('%s are cleaned', (_, text, clean) => {
	expect(cleanText(text)).toBe(clean);
});

test('the direction of a text is that of most letters', () => {
	expect(isFromRight('הגרסה 5.4')).toBe(true);
	expect(isFromRight('The word שלום alone')).toBe(false);
	expect(isFromRight('2026')).toBe(false);
});

test('a line of mostly Latin letters is read from right to left on a page in that direction', () => {
	const page = [item('הספר הזה נכתב בירושלים', 40, 100), item('.TypeScript 5.4 הגרסה', 40, 114)];
	expect(pageText(page).split('\n').at(-1)?.trim()).toBe('הגרסה TypeScript 5.4.');
});

test('words of both directions are read in order', () => {
	const fromRight = [item('העולם', 100, 100), item('PDF', 128, 100), item('5', 146, 100), item('שלום', 154, 100)];
	expect(pageText(fromRight)).toBe('שלום PDF 5 העולם');
	expect(pageText([item('The words', 40, 100), item('עולם', 90, 100), item('שלום', 113, 100)])).toBe(
		'The words שלום עולם',
	);
});
