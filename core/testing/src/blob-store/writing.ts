import assert from 'node:assert/strict';
import { assertRefused, type CaseMaker, type ConformanceCase } from '../conformance.ts';
import {
	assertInfo,
	type BlobStoreSubject,
	bytesOf,
	chunks,
	hello,
	isPrefix,
	key,
	keysOf,
	mp4,
	pattern,
	withMovable,
} from './subject.ts';

/** More than a store may buffer before it checks `maxBytes`. */
const longBytes = 16 * 1024 * 1024;

/** Cases on limits, failures, and blobs that replace each other. */
export function writingCases(it: CaseMaker<BlobStoreSubject>): ConformanceCase[] {
	return [
		it('maxBytes lets exactly that many through', async ({ store }) => {
			await store.put(key, chunks(hello, 4), { ...mp4, maxBytes: 11 });
			assert.equal((await store.head(key))?.size, 11);
		}),
		it('one byte more than maxBytes is refused and stores nothing', async ({ store }) => {
			await assertRefused(store.put(key, chunks(hello, 4), { ...mp4, maxBytes: 10 }), 'E_BODY_TOO_LARGE');
			assert.deepEqual([await store.head(key), await keysOf(store, '')], [null, []]);
		}),
		it('maxBytes holds for bytes that were put at once', async ({ store }) => {
			await assertRefused(store.put(key, hello, { ...mp4, maxBytes: 10 }), 'E_BODY_TOO_LARGE');
		}),
		it('a body of a given size is stored like any other', async ({ store }) => {
			for (const bytes of [hello, pattern(6 * 1024 * 1024), new Uint8Array()]) {
				await store.put(key, chunks(bytes), { ...mp4, size: bytes.length });
				assertInfo(await store.head(key), bytes);
				assert(Buffer.from(bytes).equals(await bytesOf(store)), 'the bytes differ');
			}
		}),
		...[10, 12].map((size) =>
			it(`eleven bytes with the given size ${size} are refused, and nothing is stored`, async ({ store }) => {
				await assert.rejects(store.put(key, chunks(hello, 4), { ...mp4, size }));
				await assert.rejects(store.put(key, hello, { ...mp4, size }));
				assert.deepEqual([await store.head(key), await keysOf(store, '')], [null, []]);
			}),
		),
		it('a file that may be moved is stored like its bytes', async ({ store }) => {
			await withMovable(hello, async (file) => {
				await store.put(key, chunks(hello, 4), { ...mp4, maxBytes: 11, file });
			});
			assertInfo(await store.head(key), hello);
			assert.deepEqual(await bytesOf(store), Buffer.from(hello));
		}),
		it('maxBytes holds for a file that may be moved', async ({ store }) => {
			await withMovable(hello, async (file) => {
				const put = store.put(key, chunks(hello, 4), { ...mp4, maxBytes: 10, file });
				await assertRefused(put, 'E_BODY_TOO_LARGE');
			});
			assert.deepEqual([await store.head(key), await keysOf(store, '')], [null, []]);
		}),
		it('a put over maxBytes closes its stream', async ({ store }) => {
			let outcome = 'was left open';
			async function* long() {
				try {
					// Finite, because a store that reads on without yielding to the event loop could not be stopped.
					const chunk = pattern(1_024);
					for (let sent = 0; sent < longBytes; sent += chunk.length) yield chunk;
					outcome = `was read to its end, ${longBytes} bytes where 10000 may be stored`;
				} finally {
					if (outcome === 'was left open') outcome = 'was closed';
				}
			}
			await store.put(key, long(), { ...mp4, maxBytes: 10_000 }).catch(() => {});
			assert(outcome === 'was closed', `the stream ${outcome}`);
		}),
		it('a stream that fails rejects the put with its error and stores nothing', async ({ store }) => {
			const failure = new Error('the upload broke off');
			async function* broken() {
				yield hello;
				throw failure;
			}
			await assert.rejects(store.put(key, broken(), mp4), (error) => error === failure);
			assert.deepEqual([await store.head(key), await keysOf(store, '')], [null, []]);
		}),
		it('an aborted put rejects and stores nothing', async ({ store }) => {
			const abort = new AbortController();
			async function* aborted() {
				yield hello;
				abort.abort();
				yield hello;
			}
			await assert.rejects(store.put(key, aborted(), { ...mp4, signal: abort.signal }));
			assert.deepEqual([await store.head(key), await keysOf(store, '')], [null, []]);
		}),
		it('a sweep, if there is one, removes neither blobs nor the files of unfinished puts', async ({ store }) => {
			await store.put('jobs/a/out', hello, mp4);
			async function* swept() {
				yield hello;
				await store.sweep?.();
				yield hello;
			}
			await store.put(key, swept(), mp4);
			assert.deepEqual(await keysOf(store, ''), ['jobs/a/out', key].sort());
			assert.deepEqual(await bytesOf(store), Buffer.concat([hello, hello]));
		}),
		it('an abort does not wait for a stream that is silent', async ({ store }) => {
			const abort = new AbortController();
			async function* silent() {
				yield hello;
				setImmediate(() => abort.abort());
				await new Promise(() => {});
			}
			await assert.rejects(store.put(key, silent(), { ...mp4, signal: abort.signal }));
		}),
		it('a put that was aborted before it started stores nothing', async ({ store }) => {
			await assert.rejects(store.put(key, hello, { ...mp4, signal: AbortSignal.abort() }));
			assert.equal(await store.head(key), null);
		}),
		it('a blob is not visible until it is complete', async ({ store }) => {
			async function* watched() {
				yield hello;
				assert.deepEqual([await store.head(key), await keysOf(store, '')], [null, []]);
				yield hello;
			}
			await store.put(key, watched(), mp4);
			assert.equal((await store.head(key))?.size, 22);
		}),
		it('a put over a blob replaces bytes, type and digest', async ({ store }) => {
			await store.put(key, pattern(5_000), { contentType: 'video/webm' });
			await store.put(key, hello, mp4);
			assertInfo(await store.head(key), hello);
			assert.deepEqual(await bytesOf(store), Buffer.from(hello));
		}),
		it('while a blob is being replaced readers get the old one', async ({ store }) => {
			await store.put(key, hello, mp4);
			async function* watched() {
				yield pattern(5_000);
				assert.deepEqual(await bytesOf(store), Buffer.from(hello));
			}
			await store.put(key, watched(), mp4);
		}),
		it('a failed replacement leaves the old blob', async ({ store }) => {
			await store.put(key, hello, mp4);
			await store.put(key, pattern(100), { ...mp4, maxBytes: 50 }).catch(() => {});
			assert.deepEqual(await bytesOf(store), Buffer.from(hello));
		}),
		it('ten puts at once leave one whole blob', async ({ store }) => {
			const sizes = Array.from({ length: 10 }, (_, i) => 50_000 + i);
			await Promise.all(sizes.map((size) => store.put(key, chunks(pattern(size)), mp4)));
			const { size } = (await store.head(key)) ?? assert.fail('no blob');
			assert(Buffer.from(pattern(size)).equals(await bytesOf(store)), 'the bytes are mixed');
		}),
		it('an open reader never reads the bytes of a later blob', async ({ store }) => {
			const old = pattern(2_000_000);
			await store.put(key, old, mp4);
			const content = (await store.get(key)) ?? assert.fail('no blob');
			await store.put(key, new Uint8Array(2_000_000), mp4);
			assert(await isPrefix(content.body, old), 'the bytes are those of the later blob');
		}),
		it('an open reader may finish or fail after a delete, and reads no other bytes', async ({ store }) => {
			const bytes = pattern(2_000_000);
			await store.put(key, bytes, mp4);
			const content = (await store.get(key)) ?? assert.fail('no blob');
			await store.delete([key]);
			assert(await isPrefix(content.body, bytes), 'the bytes are others');
		}),
		it('a reader that stops early ends well', async ({ store }) => {
			await store.put(key, pattern(3_000_000), mp4);
			const content = (await store.get(key)) ?? assert.fail('no blob');
			for await (const _chunk of content.body) break;
			const untouched = (await store.get(key)) ?? assert.fail('no blob');
			await untouched.body[Symbol.asyncIterator]().return?.();
		}),
	];
}
