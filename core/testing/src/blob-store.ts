import assert from 'node:assert/strict';
import { keyCases } from './blob-store/keys.ts';
import { readingCases } from './blob-store/reading.ts';
import { assertInfo, type BlobStoreSubject, bytesOf, hello, key, mp4 } from './blob-store/subject.ts';
import { writingCases } from './blob-store/writing.ts';
import { type ConformanceCase, caseMaker, noReopenCase } from './conformance.ts';

/** The store under test, and its abilities beyond the contract. */
export interface BlobStoreSuiteOptions {
	create(): Promise<BlobStoreSubject>;
	/**
	 * `reopen`: blobs are kept after the store is closed, and subjects have `reopen`. `presign`: the subjects are
	 * configured so that clients download from the store.
	 */
	readonly supports?: { readonly reopen?: boolean; readonly presign?: boolean };
}

/** Every sentence of the `BlobStore` contract as a case. */
export function blobStoreSuite({ create, supports = {} }: BlobStoreSuiteOptions): ConformanceCase[] {
	const it = caseMaker(create);
	return [
		...readingCases(it),
		...writingCases(it),
		...keyCases(it),
		supports.reopen
			? it('a blob is the same after the store was reopened', async (subject) => {
					await subject.store.put(key, hello, mp4);
					const store = (await subject.reopen?.()) ?? assert.fail('there is no reopen');
					assertInfo(await store.head(key), hello);
					assert.deepEqual(await bytesOf(store), Buffer.from(hello));
				})
			: noReopenCase(it),
		supports.presign
			? it('a presigned URL serves the blob without a key, with the given name and type', async ({ store }) => {
					await store.put(key, hello, mp4);
					const options = { filename: 'größe "1".mp4', contentType: 'video/webm' };
					const url = await store.presign?.(key, 60_000, options);
					const response = await fetch(url ?? assert.fail('there is no presign'));
					assert.deepEqual(Buffer.from(await response.arrayBuffer()), Buffer.from(hello));
					assert.equal(response.headers.get('content-type'), options.contentType);
					const disposition = response.headers.get('content-disposition') ?? '';
					assert.match(disposition, /^attachment/);
					assert(disposition.includes(encodeURIComponent('größe')), disposition);
				})
			: it('a store that is not configured for presigned URLs has no presign', async ({ store }) => {
					assert.equal(store.presign, undefined);
				}),
	];
}
