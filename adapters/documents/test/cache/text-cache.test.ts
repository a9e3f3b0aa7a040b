import type { DocumentText } from '@plinth/toolkit';
import { describe, expect, it } from 'vitest';
import { TextCache } from '../../src/cache/text-cache.ts';

const limits = { cacheBytes: 100_000 };
const textOf = (text: string): DocumentText => ({
	mediaType: 'text/plain',
	text,
	truncated: false,
	metadata: {},
});
/** Slightly more than 20,000 bytes. */
const long = (letter: string) => textOf(letter.repeat(10_000));

describe('the cache of texts', () => {
	it('returns only texts that were stored', () => {
		const cache = new TextCache(limits);
		cache.put('a', textOf('A'));
		cache.put('b', textOf('B'));
		cache.put('a', textOf('AA'));
		expect(cache.get('a')).toEqual(textOf('AA'));
		expect(cache.get('b')).toEqual(textOf('B'));
		expect(cache.get('c')).toBeUndefined();
	});

	it('removes the least recently used text first', () => {
		const cache = new TextCache(limits);
		for (const letter of 'abcd') cache.put(letter, long(letter));
		cache.get('a');
		cache.put('e', long('e'));
		expect(cache.get('b')).toBeUndefined();
		for (const letter of 'acde') expect(cache.get(letter)).toEqual(long(letter));
	});

	it('counts a replaced text once', () => {
		const cache = new TextCache(limits);
		cache.put('a', long('a'));
		for (let round = 0; round < 10; round++) cache.put('b', long('b'));
		expect(cache.get('a')).toBeDefined();
	});

	it('does not store a text that is larger than the cache, and keeps the others', () => {
		const cache = new TextCache(limits);
		cache.put('a', long('a'));
		cache.put('huge', textOf('x'.repeat(60_000)));
		expect(cache.get('huge')).toBeUndefined();
		expect(cache.get('a')).toBeDefined();
	});

	it.each([
		['keys', (n: number) => `${n}`.repeat(2_000), textOf('')],
		['titles', String, { ...textOf(''), metadata: { title: 't'.repeat(1_000) } }],
		['pages without text', String, { ...textOf(''), pages: Array(10).fill({ page: 1, text: '' }) }],
	])('counts %s too', (_, keyOf, text) => {
		const cache = new TextCache(limits);
		const keys = Array.from({ length: 100 }, (_, n) => keyOf(n));
		for (const key of keys) cache.put(key, text);
		const kept = keys.filter((key) => cache.get(key)).length;
		expect(kept).toBeLessThan(60);
		expect(kept).toBeGreaterThan(10);
	});
});
