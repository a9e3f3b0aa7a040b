import type { DocumentText } from '@plinth/toolkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packText, unpackText } from '../../src/cache/packed-text.ts';
import { TextCache } from '../../src/cache/text-cache.ts';

const limits = { cacheBytes: 100_000, openBytes: 50_000, smallBytes: 1_000 };
const textOf = (text: string): DocumentText => ({
	mediaType: 'text/plain',
	text,
	truncated: false,
	metadata: {},
});
/** 20,000 bytes and a bit while they are open, few when they are packed. */
const long = (letter: string) => textOf(letter.repeat(10_000));
describe('a text that is packed', () => {
	const page = fc.record({ page: fc.nat(), text: fc.string({ unit: 'grapheme' }) });
	const text = fc.oneof(
		fc.string({ unit: 'grapheme' }).map(textOf),
		fc.array(page).map((pages) => {
			const metadata = { title: 'A title' };
			return { mediaType: 'application/pdf', pages, pageCount: 9, truncated: true, metadata };
		}),
	);

	it('is the same when it is unpacked', async () => {
		await fc.assert(
			fc.asyncProperty(text, async (text) => {
				expect(await unpackText(await packText(text))).toEqual(text);
			}),
			{ numRuns: 50 },
		);
	});

	it('is the same when it is longer than what is taken at once', async () => {
		for (const text of ['\u{1f600}'.repeat(600_000), `x${'\u{1f600}'.repeat(600_000)}`]) {
			expect(await unpackText(await packText(textOf(text)))).toEqual(textOf(text));
		}
	});
});

describe('the cache of texts', () => {
	it('hands out what was put, and nothing else', async () => {
		const cache = new TextCache(limits);
		cache.put('a', textOf('A'));
		cache.put('b', textOf('B'));
		cache.put('a', textOf('AA'));
		expect(await cache.get('a')).toEqual(textOf('AA'));
		expect(await cache.get('b')).toEqual(textOf('B'));
		expect(await cache.get('c')).toBeUndefined();
	});

	it('holds more texts than would fit as they are', async () => {
		const cache = new TextCache(limits);
		for (const letter of 'abcdefgh') cache.put(letter, long(letter));
		for (const letter of 'abcdefgh') expect(await cache.get(letter)).toEqual(long(letter));
	});

	it.each([
		['keys', (n: number) => `${n}`.repeat(2_000), textOf('')],
		['titles', String, { ...textOf(''), metadata: { title: 't'.repeat(1_000) } }],
	])('counts %s too', { timeout: 30_000 }, async (_, keyOf, text) => {
		const cache = new TextCache(limits);
		const keys = Array.from({ length: 100 }, (_, n) => keyOf(n));
		for (const key of keys) cache.put(key, text);
		const kept = async () => {
			const texts = await Promise.all(keys.map((key) => cache.get(key)));
			return texts.filter((found) => found !== undefined).length;
		};
		// Looking opens what was packed: on a busy machine there has to be time to pack between two looks.
		await expect.poll(kept, { timeout: 25_000, interval: 250 }).toBeLessThan(50);
		expect(await kept()).toBeGreaterThan(10);
	});

	it('forgets what cannot be packed', async () => {
		const cache = new TextCache(limits);
		const broken = { length: 40_000, charCodeAt: () => 97, slice: () => undefined };
		cache.put('broken', textOf(broken as unknown as string));
		cache.put('a', long('a'));
		await expect.poll(() => cache.get('broken'), { timeout: 15_000 }).toBeUndefined();
		expect(await cache.get('a')).toEqual(long('a'));
	});

	it('forgets first what nobody has used for longest', async () => {
		const cache = new TextCache({ ...limits, openBytes: 200_000 });
		for (const letter of 'abcd') cache.put(letter, long(letter));
		await cache.get('a');
		cache.put('e', long('e'));
		expect(await cache.get('b')).toBeUndefined();
		for (const letter of 'acde') expect(await cache.get(letter)).toBeDefined();
	});
});
