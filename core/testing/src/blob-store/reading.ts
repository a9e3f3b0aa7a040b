import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { assertRefused, type CaseMaker, type ConformanceCase } from '../conformance.ts';
import {
	assertInfo,
	type BlobStoreSubject,
	bytesOf,
	chunks,
	drain,
	hello,
	key,
	mp4,
	pattern,
	storedOf,
} from './subject.ts';

/** So many that one open file per body is more than the files which the process opens for other reasons. */
const bodies = 32;

/** Cases on reading blobs, whole or in part. */
export function readingCases(it: CaseMaker<BlobStoreSubject>): ConformanceCase[] {
	return [
		...[0, 1, 1_000, 65_536, 1_048_577, 5 * 1024 * 1024].map((size) =>
			it(`${size} streamed bytes are read back unchanged`, async ({ store }) => {
				const bytes = pattern(size);
				await store.put(key, chunks(bytes), mp4);
				assert(Buffer.from(bytes).equals(await bytesOf(store)), 'the bytes differ');
			}),
		),
		it('bytes that were put at once come back', async ({ store }) => {
			await store.put(key, hello, mp4);
			assert.deepEqual(await bytesOf(store), Buffer.from(hello));
		}),
		it('put returns size, type and digest', async ({ store }) => {
			assert.deepEqual(await store.put(key, hello, mp4), storedOf(hello));
		}),
		it('a content type may have 255 characters', async ({ store }) => {
			const contentType = `video/${'x'.repeat(249)}`;
			await store.put(key, hello, { contentType });
			assert.equal((await store.head(key))?.contentType, contentType);
		}),
		it('head returns size, type and a tag', async ({ store }) => {
			await store.put(key, chunks(pattern(100_000)), mp4);
			assertInfo(await store.head(key), pattern(100_000));
		}),
		it('get returns what head returns, and the bytes', async ({ store }) => {
			await store.put(key, hello, mp4);
			const { body, ...info } = (await store.get(key)) ?? assert.fail('no blob');
			await drain(body);
			assert.deepEqual(info, await store.head(key));
		}),
		it('other bytes have another tag', async ({ store }) => {
			await store.put(key, hello, mp4);
			const before = assertInfo(await store.head(key), hello);
			assert.equal(assertInfo(await store.head(key), hello), before);
			await store.put(key, pattern(11), mp4);
			assert.notEqual(assertInfo(await store.head(key), pattern(11)), before);
		}),
		it('an empty blob has the digest of zero bytes', async ({ store }) => {
			assert.deepEqual(await store.put(key, new Uint8Array(), mp4), storedOf(new Uint8Array()));
		}),
		it('a content type is returned unchanged, with its parameters', async ({ store }) => {
			const contentType = 'text/plain; charset="utf-8"; note="ü €"';
			await store.put(key, hello, { contentType });
			assert.equal((await store.head(key))?.contentType, contentType);
		}),
		it('a writer that reuses its buffer does not spoil the blob', async ({ store }) => {
			const buffer = new Uint8Array(4);
			async function* reused() {
				for (let n = 1; n <= 3; n += 1) yield buffer.fill(n);
			}
			await store.put(key, reused(), mp4);
			assert.deepEqual([...(await bytesOf(store))], [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]);
		}),
		it('get and head of an absent blob are null', async ({ store }) => {
			assert.deepEqual([await store.get(key), await store.head(key)], [null, null]);
		}),
		...(
			[
				['the first byte', { start: 0, end: 0 }],
				['the last byte', { start: 10, end: 10 }],
				['a window in the middle', { start: 2, end: 7 }],
				['all of it', { start: 0, end: 10 }],
			] as const
		).map(([name, range]) =>
			it(`a range may be ${name}`, async ({ store }) => {
				await store.put(key, hello, mp4);
				const expected = Buffer.from(hello.subarray(range.start, range.end + 1));
				assert.deepEqual(await bytesOf(store, range), expected);
			}),
		),
		it('a range of a large blob crosses the borders of chunks', async ({ store }) => {
			const bytes = pattern(3_000_000);
			await store.put(key, chunks(bytes), mp4);
			const range = { start: 262_100, end: 2_500_000 };
			const expected = Buffer.from(bytes.subarray(range.start, range.end + 1));
			assert(expected.equals(await bytesOf(store, range)), 'the bytes differ');
		}),
		it('a body that is returned before its first read leaves no file open, and the blob can be deleted', async ({
			store,
		}) => {
			await store.put(key, chunks(pattern(100_000)), mp4);
			const before = await openFiles();
			for (let count = 0; count < bodies; count += 1) {
				const { body } = (await store.get(key)) ?? assert.fail('no blob');
				const iterator = body[Symbol.asyncIterator]();
				await iterator.return?.();
				assert((await iterator.next()).done, 'it can still be read');
			}
			const leaked = (await openFiles()) - before;
			assert(leaked < bodies / 2, `${leaked} files are open after ${bodies} bodies were returned`);
			await store.delete([key]);
			assert.equal(await store.get(key), null);
		}),
		it('a range returns the size and tag of the whole blob', async ({ store }) => {
			await store.put(key, hello, mp4);
			const content = await store.get(key, { range: { start: 1, end: 2 } });
			const { body, ...info } = content ?? assert.fail('no blob');
			await drain(body);
			assert.deepEqual(info, await store.head(key));
		}),
		...(
			[
				['behind the end', { start: 11, end: 12 }],
				['over the end', { start: 5, end: 11 }],
				['backwards', { start: 5, end: 4 }],
				['before the start', { start: -1, end: 4 }],
			] as const
		).map(([name, range]) =>
			it(`a range ${name} is not satisfiable`, async ({ store }) => {
				await store.put(key, hello, mp4);
				await assertRefused(store.get(key, { range }), 'E_RANGE_NOT_SATISFIABLE');
			}),
		),
		it('no range of an empty blob is satisfiable', async ({ store }) => {
			await store.put(key, new Uint8Array(), mp4);
			const range = { start: 0, end: 0 };
			await assertRefused(store.get(key, { range }), 'E_RANGE_NOT_SATISFIABLE');
		}),
	];
}

/** The number of files and sockets that this process has open; 0 where the system does not report it. */
async function openFiles(): Promise<number> {
	const open = await readdir('/dev/fd').catch(() => []);
	return open.length;
}
