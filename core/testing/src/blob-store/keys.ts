import assert from 'node:assert/strict';
import { allOf, type CaseMaker, type ConformanceCase } from '../conformance.ts';
import { type BlobStoreSubject, bytesOf, hello, key, keysOf, mp4, pattern } from './subject.ts';

/** Cases on deleting, on listing, and on valid and invalid keys. */
export function keyCases(it: CaseMaker<BlobStoreSubject>): ConformanceCase[] {
	return [
		it('a deleted blob is absent', async ({ store }) => {
			await store.put(key, hello, mp4);
			await store.delete([key]);
			assert.deepEqual([await store.get(key), await keysOf(store, '')], [null, []]);
		}),
		it('deleting an absent blob is no error', async ({ store }) => {
			await store.delete([key]);
			await store.put(key, hello, mp4);
			await store.delete([key]);
			await store.delete([key]);
		}),
		it('a blob can be put again after a delete', async ({ store }) => {
			await store.put(key, pattern(10), mp4);
			await store.delete([key]);
			await store.put(key, hello, mp4);
			assert.deepEqual(await bytesOf(store), Buffer.from(hello));
		}),
		it('deleting one blob leaves its neighbours', async ({ store }) => {
			for (const name of ['video/a/1', 'video/a/2', 'video/b/1']) await store.put(name, hello, mp4);
			await store.delete(['video/a/1']);
			assert.deepEqual(await keysOf(store, ''), ['video/a/2', 'video/b/1']);
		}),
		it('one delete removes many blobs and ignores absent ones', async ({ store }) => {
			const keys = Array.from({ length: 12 }, (_, n) => `video/a/${n}`);
			for (const name of keys.slice(2)) await store.put(name, hello, mp4);
			await store.delete(keys.slice(0, 11));
			assert.deepEqual(await keysOf(store, ''), ['video/a/11']);
		}),
		it('a delete of no keys changes nothing', async ({ store }) => {
			await store.put(key, hello, mp4);
			await store.delete([]);
			assert.deepEqual(await keysOf(store, ''), [key]);
		}),
		it('list returns the keys under a prefix, and their sizes', async ({ store }) => {
			await store.put(key, hello, mp4);
			assert.deepEqual(await allOf(store.list('video/job_1')), [{ key, size: 11 }]);
		}),
		it('list returns the sizes of small, large and empty blobs', async ({ store }) => {
			const sizes = [0, 1, 1_023, 1_024, 1_025, 70_000];
			for (const size of sizes) await store.put(`size/${size}`, pattern(size), mp4);
			const listed = (await allOf(store.list('size'))).sort((a, b) => a.size - b.size);
			const expected = sizes.map((size) => ({ key: `size/${size}`, size }));
			assert.deepEqual(listed, expected);
		}),
		it('list includes the blob whose key is the prefix, with its size', async ({ store }) => {
			await store.put(key, hello, mp4);
			assert.deepEqual(await allOf(store.list(key)), [{ key, size: 11 }]);
		}),
		it('a prefix ends at the end of a segment', async ({ store }) => {
			for (const name of ['v/job', 'v/job/1', 'v/job/2/x', 'v/job2', 'v/job.x/1', 'w/job/1']) {
				await store.put(name, hello, mp4);
			}
			assert.deepEqual(await keysOf(store, 'v/job'), ['v/job', 'v/job/1', 'v/job/2/x']);
			assert.deepEqual(await keysOf(store, 'v/job/'), ['v/job/1', 'v/job/2/x']);
		}),
		it('the empty prefix lists everything', async ({ store }) => {
			for (const name of ['a', 'b/c', 'b/d/e']) await store.put(name, hello, mp4);
			assert.deepEqual(await keysOf(store, ''), ['a', 'b/c', 'b/d/e']);
		}),
		it('a prefix without keys lists nothing', async ({ store }) => {
			await store.put(key, hello, mp4);
			assert.deepEqual(await keysOf(store, 'image'), []);
		}),
		it('a key may be below another key', async ({ store }) => {
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
				await store.delete([allowed]);
				assert.equal(await store.head(allowed), null);
			}),
		),
		...Object.values(badKeys)
			.flat()
			.map((bad) =>
				it(`the key ${JSON.stringify(bad.slice(0, 20))} throws in every method`, async ({ store }) => {
					await assert.rejects(async () => store.put(bad, hello, mp4));
					await assert.rejects(async () => store.get(bad));
					await assert.rejects(async () => store.head(bad));
					await assert.rejects(async () => store.delete([key, bad]));
				}),
			),
	];
}

/** Invalid keys by the reason. */
const badKeys = {
	length: ['', 'k'.repeat(513)],
	emptySegment: ['/', 'a//b', '/a', 'a/'],
	dots: ['.', '..', '../a', 'a/../../b', 'a/./b'],
	character: ['a b', 'a\\b', 'a\0b', 'ä', 'a%2fb', 'a\n'],
};
