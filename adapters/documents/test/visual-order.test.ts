import { describe, expect, test } from 'vitest';
import { logicalText } from '../src/layout/visual-order.ts';

describe('a line that is read from the right', () => {
	test.each([
		['ends with its period', '.מאוד ידוע', 'ידוע מאוד.'],
		['has commas after their words', 'הזה ,הספר', 'הספר, הזה'],
		['keeps its numbers', '250 הוא המחיר', 'המחיר הוא 250'],
		['keeps the signs of its numbers', '17% ,1,234.50 המחיר', 'המחיר 1,234.50, 17%'],
		['keeps words of other scripts in their order', 'יצאה TypeScript 5.4 הגרסה', 'הגרסה TypeScript 5.4 יצאה'],
		['opens its brackets first', '.אתמול (בירושלים נכתב) הזה', 'הזה (נכתב בירושלים) אתמול.'],
		['opens mirrored brackets first, too', 'אתמול ( בירושלים ) הזה', 'הזה (בירושלים) אתמול'],
		['keeps abbreviations', 'מ"מע', 'מע"מ'],
		['is one although it holds a long address', '.info@example.org :ל"דוא ,טלפון', 'טלפון, דוא"ל: info@example.org.'],
	])('%s', (_, visual, logical) => {
		expect(logicalText(visual)).toBe(logical);
	});
});

test('words from the right in a line from the left are turned, and nothing else', () => {
	expect(logicalText('The words עולם שלום, twice.')).toBe('The words שלום עולם, twice.');
});

test('a line without such words stays', () => {
	expect(logicalText('(a) 1, 2.')).toBe('(a) 1, 2.');
});

test('a line of 100,000 signs takes no longer than it must', () => {
	const began = performance.now();
	logicalText(`${'( '.repeat(50_000)}שלום`);
	expect(performance.now() - began).toBeLessThan(1_000);
});
