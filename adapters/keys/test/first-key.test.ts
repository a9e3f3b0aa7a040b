import type { RecordStore } from '@plinth/core';
import { describe, expect, test } from 'vitest';
import { faultyRecords, testKeys } from './support.ts';

/** The key ring of one process on a store. */
const ringOn = async (store: RecordStore) => (await testKeys({ store })).ring;

describe('the first key', () => {
	test('is created once, even if several processes start on one store', async () => {
		const store = await faultyRecords();
		const made: (string | null)[] = [];
		for (let start = 0; start < 3; start++) made.push(await (await ringOn(store)).issueFirst());
		expect(made).toEqual([expect.stringMatching(/^plinth_live_/), null, null]);
		expect(await (await ringOn(store)).list()).toHaveLength(1);
	});

	test('is created once by processes that start at the same time', async () => {
		const store = await faultyRecords();
		const rings = await Promise.all(Array.from({ length: 8 }, () => ringOn(store)));
		// All of them read the empty store before one of them writes.
		const { list } = store;
		const looked = Promise.withResolvers<void>();
		let looks = 0;
		store.list = (async (...args: Parameters<typeof list>) => {
			const page = await list(...args);
			looks += 1;
			if (looks === rings.length) looked.resolve();
			await looked.promise;
			return page;
		}) as typeof list;
		const made = await Promise.all(rings.map((ring) => ring.issueFirst()));
		expect(looks).toBe(rings.length);
		store.list = list;
		expect(made.filter((key) => key !== null)).toHaveLength(1);
		expect(await rings[0]?.list()).toHaveLength(1);
	});

	test('is not created again after it was revoked', async () => {
		const store = await faultyRecords();
		const ring = await ringOn(store);
		expect(await ring.revoke((await ring.issueFirst()) ?? '')).not.toBeNull();
		expect(await (await ringOn(store)).issueFirst()).toBeNull();
	});

	test('is not created when a key is stored or configured', async () => {
		const store = await faultyRecords();
		const { ring } = await testKeys({ keys: 'a:a-configured-key', store });
		expect(await ring.issueFirst()).toBeNull();
		await ring.issue({ tenant: 'a', scopes: ['*'] });
		expect(await (await ringOn(store)).issueFirst()).toBeNull();
	});

	test('is not created without a store', async () => {
		expect(await (await testKeys({})).ring.issueFirst()).toBeNull();
	});
});
