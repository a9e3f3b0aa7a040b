import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { isPlinthError } from '../errors.ts';
import type { BlobStore, ByteRange } from '../ports/blob-store.ts';
import { type ConformanceCase, caseMaker, type Subject } from './conformance.ts';

/** A fresh, empty blob store. */
export interface BlobStoreSubject extends Subject {
	readonly store: BlobStore;
	/** Closes the store and opens what it left behind. Absent when nothing outlives the store. */
	reopen?(): Promise<BlobStore>;
}

/** What is under test, and what it promises beyond the contract. */
export interface BlobStoreSuiteOptions {
	create(): Promise<BlobStoreSubject>;
	/** `reopen`: blobs outlive the store, and subjects can show it. `presign`: the store makes URLs, and `fetch` reaches them. */
	readonly supports?: { readonly reopen?: boolean; readonly presign?: boolean };
}

const key = 'video/job_1/out.mp4';
const mp4 = { contentType: 'video/mp4' };
const hello = new TextEncoder().encode('hello, blob');

/** Every sentence of the `BlobStore` contract as a case. */
export function blobStoreSuite({
	create,
	supports = {},
}: BlobStoreSuiteOptions): ConformanceCase[] {
	const it = caseMaker(create);
	return [
		...[0, 1, 1_000, 65_536, 1_048_577, 5 * 1024 * 1024].map((size) =>
			it(`${size} streamed bytes come back as they went in`, async ({ store }) => {
				const bytes = pattern(size);
				await store.put(key, chunks(bytes), mp4);
				assert(Buffer.from(bytes).equals(await bytesOf(store)), 'the bytes differ');
			}),
		),
		it('bytes that were put at once come back', async ({ store }) => {
			await store.put(key, hello, mp4);
			assert.deepEqual(await bytesOf(store), Buffer.from(hello));
		}),
		it('put answers with size, type and digest', async ({ store }) => {
			assert.deepEqual(await store.put(key, hello, mp4), infoOf(hello));
		}),
		it('head answers what put answered', async ({ store }) => {
			await store.put(key, chunks(pattern(100_000)), mp4);
			assert.deepEqual(await store.head(key), infoOf(pattern(100_000)));
		}),
		it('get answers what put answered, beside the bytes', async ({ store }) => {
			await store.put(key, hello, mp4);
			const { body, ...info } = (await store.get(key)) ?? assert.fail('no blob');
			await drain(body);
			assert.deepEqual(info, infoOf(hello));
		}),
		it('an empty blob has the digest of nothing', async ({ store }) => {
			assert.deepEqual(await store.put(key, new Uint8Array(), mp4), infoOf(new Uint8Array()));
		}),
		it('a content type comes back as it is, parameters and all', async ({ store }) => {
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
		it('a window tells the size and digest of the whole blob', async ({ store }) => {
			await store.put(key, hello, mp4);
			const content = await store.get(key, { range: { start: 1, end: 2 } });
			const { body, ...info } = content ?? assert.fail('no blob');
			await drain(body);
			assert.deepEqual(info, infoOf(hello));
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
				await assert.rejects(store.get(key, { range }), hasCode('E_RANGE_NOT_SATISFIABLE'));
			}),
		),
		it('no range of an empty blob is satisfiable', async ({ store }) => {
			await store.put(key, new Uint8Array(), mp4);
			const range = { start: 0, end: 0 };
			await assert.rejects(store.get(key, { range }), hasCode('E_RANGE_NOT_SATISFIABLE'));
		}),
		it('maxBytes lets exactly that many through', async ({ store }) => {
			await store.put(key, chunks(hello, 4), { ...mp4, maxBytes: 11 });
			assert.equal((await store.head(key))?.size, 11);
		}),
		it('one byte more than maxBytes is refused and stores nothing', async ({ store }) => {
			const put = store.put(key, chunks(hello, 4), { ...mp4, maxBytes: 10 });
			await assert.rejects(put, hasCode('E_BODY_TOO_LARGE'));
			assert.deepEqual([await store.head(key), await keysOf(store, '')], [null, []]);
		}),
		it('maxBytes holds for bytes that were put at once', async ({ store }) => {
			const put = store.put(key, hello, { ...mp4, maxBytes: 10 });
			await assert.rejects(put, hasCode('E_BODY_TOO_LARGE'));
		}),
		it('a put over maxBytes closes the stream it was given', async ({ store }) => {
			let isClosed = false;
			async function* endless() {
				try {
					for (;;) yield hello;
				} finally {
					isClosed = true;
				}
			}
			await store.put(key, endless(), { ...mp4, maxBytes: 100 }).catch(() => {});
			assert.equal(isClosed, true);
		}),
		it('a stream that fails rejects the put with its error and stores nothing', async ({
			store,
		}) => {
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
		it('an abort does not wait for a stream that is silent', async ({ store }) => {
			const abort = new AbortController();
			async function* silent() {
				yield hello;
				setImmediate(() => abort.abort());
				await new Promise(() => {});
			}
			await assert.rejects(store.put(key, silent(), { ...mp4, signal: abort.signal }));
		}),
		it('a put that was aborted before it began stores nothing', async ({ store }) => {
			await assert.rejects(store.put(key, hello, { ...mp4, signal: AbortSignal.abort() }));
			assert.equal(await store.head(key), null);
		}),
		it('a blob is unseen until it is whole', async ({ store }) => {
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
			assert.deepEqual(await store.head(key), infoOf(hello));
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
		it('an open reader may finish or fail after a delete, and reads no other bytes', async ({
			store,
		}) => {
			const bytes = pattern(2_000_000);
			await store.put(key, bytes, mp4);
			const content = (await store.get(key)) ?? assert.fail('no blob');
			await store.delete(key);
			assert(await isPrefix(content.body, bytes), 'the bytes are others');
		}),
		it('a reader that stops early ends well', async ({ store }) => {
			await store.put(key, pattern(3_000_000), mp4);
			const content = (await store.get(key)) ?? assert.fail('no blob');
			for await (const _chunk of content.body) break;
			const untouched = (await store.get(key)) ?? assert.fail('no blob');
			await untouched.body[Symbol.asyncIterator]().return?.();
		}),
		it('a deleted blob is absent', async ({ store }) => {
			await store.put(key, hello, mp4);
			await store.delete(key);
			assert.deepEqual([await store.get(key), await keysOf(store, '')], [null, []]);
		}),
		it('deleting what is absent is no error', async ({ store }) => {
			await store.delete(key);
			await store.put(key, hello, mp4);
			await store.delete(key);
			await store.delete(key);
		}),
		it('a blob can be put again after a delete', async ({ store }) => {
			await store.put(key, pattern(10), mp4);
			await store.delete(key);
			await store.put(key, hello, mp4);
			assert.deepEqual(await bytesOf(store), Buffer.from(hello));
		}),
		it('deleting one blob leaves its neighbours', async ({ store }) => {
			for (const name of ['video/a/1', 'video/a/2', 'video/b/1']) await store.put(name, hello, mp4);
			await store.delete('video/a/1');
			assert.deepEqual(await keysOf(store, ''), ['video/a/2', 'video/b/1']);
		}),
		it('list names what lies under a prefix, and what it is', async ({ store }) => {
			await store.put(key, hello, mp4);
			const found = [];
			for await (const info of store.list('video/job_1')) found.push(info);
			assert.deepEqual(found, [infoOf(hello)]);
		}),
		it('a prefix ends at the border of a segment', async ({ store }) => {
			for (const name of ['v/job', 'v/job/1', 'v/job/2/x', 'v/job2', 'v/job.x/1', 'w/job/1']) {
				await store.put(name, hello, mp4);
			}
			assert.deepEqual(await keysOf(store, 'v/job'), ['v/job', 'v/job/1', 'v/job/2/x']);
			assert.deepEqual(await keysOf(store, 'v/job/'), ['v/job/1', 'v/job/2/x']);
		}),
		it('the empty prefix names everything', async ({ store }) => {
			for (const name of ['a', 'b/c', 'b/d/e']) await store.put(name, hello, mp4);
			assert.deepEqual(await keysOf(store, ''), ['a', 'b/c', 'b/d/e']);
		}),
		it('a prefix under which nothing lies names nothing', async ({ store }) => {
			await store.put(key, hello, mp4);
			assert.deepEqual(await keysOf(store, 'image'), []);
		}),
		it('a key may lie under another key', async ({ store }) => {
			await store.put('a/b', hello, mp4);
			await store.put('a', pattern(5), mp4);
			await store.put('a/b/c', pattern(6), mp4);
			assert.deepEqual(await keysOf(store, ''), ['a', 'a/b', 'a/b/c']);
			assert.deepEqual(await bytesOf(store, undefined, 'a/b'), Buffer.from(hello));
		}),
		...[
			['of 512 characters in one segment', 'k'.repeat(512)],
			['of 512 characters in many segments', `${'k/'.repeat(255)}kk`],
			['with every allowed character', 'AZaz09._-/.hidden/..a/a..'],
		].map(([name = '', allowed = '']) =>
			it(`a key ${name} is sound`, async ({ store }) => {
				await store.put(allowed, hello, mp4);
				assert.deepEqual(await keysOf(store, ''), [allowed]);
				assert.deepEqual(await bytesOf(store, undefined, allowed), Buffer.from(hello));
				await store.delete(allowed);
				assert.equal(await store.head(allowed), null);
			}),
		),
		...badKeys.map((bad) =>
			it(`the key ${JSON.stringify(bad.slice(0, 20))} throws in every method`, async ({
				store,
			}) => {
				await assert.rejects(async () => store.put(bad, hello, mp4));
				await assert.rejects(async () => store.get(bad));
				await assert.rejects(async () => store.head(bad));
				await assert.rejects(async () => store.delete(bad));
			}),
		),
		...(supports.reopen
			? [
					it('a blob is the same after the store was reopened', async (subject) => {
						await subject.store.put(key, hello, mp4);
						const store = (await subject.reopen?.()) ?? assert.fail('there is no reopen');
						assert.deepEqual(await store.head(key), infoOf(hello));
						assert.deepEqual(await bytesOf(store), Buffer.from(hello));
					}),
				]
			: [
					it('nothing claims to outlive the store', async (subject) => {
						assert.equal(subject.reopen, undefined);
					}),
				]),
		supports.presign
			? it('a presigned URL serves the blob without a key', async ({ store }) => {
					await store.put(key, hello, mp4);
					const url = await store.presign?.(key, 60_000);
					const response = await fetch(url ?? assert.fail('there is no presign'));
					assert.deepEqual(Buffer.from(await response.arrayBuffer()), Buffer.from(hello));
				})
			: it('a store that makes no URLs has no presign', async ({ store }) => {
					assert.equal(store.presign, undefined);
				}),
	];
}

const badKeys = [
	'',
	'/',
	'a//b',
	'/a',
	'a/',
	'.',
	'..',
	'../a',
	'a/../../b',
	'a/./b',
	'a b',
	'a\\b',
	'a\0b',
	'ä',
	'a%2fb',
	'a\n',
	'k'.repeat(513),
];

function infoOf(bytes: Uint8Array) {
	const sha256 = createHash('sha256').update(bytes).digest('hex');
	return { key, size: bytes.length, contentType: mp4.contentType, sha256 };
}

/** Bytes that differ at every border of pages and chunks. */
function pattern(size: number): Uint8Array {
	return Uint8Array.from({ length: size }, (_, i) => (i * 31 + (i >> 8) * 17 + (i >> 16)) & 0xff);
}

async function* chunks(bytes: Uint8Array, size = 100_000): AsyncGenerator<Uint8Array> {
	for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function drain(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
	const parts: Buffer[] = [];
	for await (const chunk of body) parts.push(Buffer.from(chunk));
	return Buffer.concat(parts);
}

async function bytesOf(store: BlobStore, range?: ByteRange, name = key): Promise<Buffer> {
	const content = await store.get(name, range && { range });
	return drain(content?.body ?? assert.fail(`there is no blob ${name}`));
}

/** Reads to the end or to the first failure, and tells whether all of it stood in `bytes`. */
async function isPrefix(body: AsyncIterable<Uint8Array>, bytes: Uint8Array): Promise<boolean> {
	let at = 0;
	try {
		for await (const chunk of body) {
			if (!Buffer.from(chunk).equals(bytes.subarray(at, at + chunk.length))) return false;
			at += chunk.length;
		}
	} catch {
		return true;
	}
	return at === bytes.length;
}

async function keysOf(store: BlobStore, prefix: string): Promise<string[]> {
	const found: string[] = [];
	for await (const info of store.list(prefix)) found.push(info.key);
	return found.sort();
}

function hasCode(code: string): (error: unknown) => boolean {
	return (error) => isPlinthError(error) && error.code === code;
}
