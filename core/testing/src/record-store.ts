import assert from 'node:assert/strict';
import type { CollectionRef, RecordDump, RecordStore } from '@plinth/core';
import { allOf, assertRefused, type ConformanceCase, caseMaker, noReopenCase, type Subject } from './conformance.ts';
import type { ManualClock } from './manual-clock.ts';

/** A new, empty record store that reads the time from `clock`. */
export interface RecordStoreSubject extends Subject {
	readonly store: RecordStore;
	readonly clock: ManualClock;
	/** Closes the store and opens its data again. Absent when the data is lost on close. */
	reopen?(): Promise<RecordStore>;
}

/** The store under test, and its abilities beyond the contract. */
export interface RecordStoreSuiteOptions {
	create(): Promise<RecordStoreSubject>;
	/** `reopen`: records are kept after the store is closed, and subjects have `reopen`. */
	readonly supports?: { readonly reopen?: boolean };
}

const keys: CollectionRef = { tenant: 'acme', collection: 'core.keys' };

/** Every sentence of the `RecordStore` contract as a case. */
export function recordStoreSuite(options: RecordStoreSuiteOptions): ConformanceCase[] {
	const it = caseMaker(options.create);
	return [
		it('get returns what was put', async ({ store, clock }) => {
			const value = { name: 'ü', nested: { list: [1, null, true] }, big: 2 ** 40 };
			await store.put(keys, 'k1', value);
			assert.deepEqual(await store.get(keys, 'k1'), {
				id: 'k1',
				value,
				version: 1,
				updatedAt: clock.now(),
			});
		}),
		it('get of an unknown id is null', async ({ store }) => {
			assert.equal(await store.get(keys, 'k1'), null);
		}),
		it('a caller that changes its value afterwards does not change the record', async ({ store }) => {
			const value = { list: [1] };
			await store.put(keys, 'k1', value);
			value.list.push(2);
			assert.deepEqual((await store.get(keys, 'k1'))?.value, { list: [1] });
		}),
		it('put returns version 1 for a new record', async ({ store }) => {
			assert.equal(await store.put(keys, 'k1', {}), 1);
		}),
		it('every put raises the version and returns it', async ({ store }) => {
			await store.put(keys, 'k1', { n: 1 });
			assert.equal(await store.put(keys, 'k1', { n: 2 }), 2);
			assert.equal((await store.get(keys, 'k1'))?.version, 2);
		}),
		it('without ifVersion the last writer wins', async ({ store }) => {
			await store.put(keys, 'k1', { n: 1, old: true });
			await store.put(keys, 'k1', { n: 2 });
			assert.deepEqual((await store.get(keys, 'k1'))?.value, { n: 2 });
		}),
		it('a put moves updatedAt', async ({ store, clock }) => {
			await store.put(keys, 'k1', {});
			await clock.advance(5_000);
			await store.put(keys, 'k1', {});
			assert.equal((await store.get(keys, 'k1'))?.updatedAt, clock.now());
		}),
		it('ifVersion 0 writes a record that does not exist', async ({ store }) => {
			assert.equal(await store.put(keys, 'k1', {}, { ifVersion: 0 }), 1);
		}),
		it('ifVersion 0 refuses a record that exists', async ({ store }) => {
			await store.put(keys, 'k1', { n: 1 });
			assert.equal(await store.put(keys, 'k1', { n: 2 }, { ifVersion: 0 }), null);
		}),
		it('ifVersion writes over that version', async ({ store }) => {
			await store.put(keys, 'k1', {});
			assert.equal(await store.put(keys, 'k1', {}, { ifVersion: 1 }), 2);
		}),
		it('ifVersion refuses another version', async ({ store }) => {
			await store.put(keys, 'k1', {});
			await store.put(keys, 'k1', {});
			assert.equal(await store.put(keys, 'k1', {}, { ifVersion: 1 }), null);
		}),
		it('ifVersion refuses a record that does not exist', async ({ store }) => {
			assert.equal(await store.put(keys, 'k1', {}, { ifVersion: 1 }), null);
			assert.equal(await store.get(keys, 'k1'), null);
		}),
		it('a refused put writes nothing', async ({ store }) => {
			await store.put(keys, 'k1', { n: 1 });
			const before = await store.get(keys, 'k1');
			await store.put(keys, 'k1', { n: 2 }, { ifVersion: 7 });
			assert.deepEqual(await store.get(keys, 'k1'), before);
		}),
		it('of twenty conditional puts at once exactly one wins', async ({ store }) => {
			await store.put(keys, 'k1', {});
			const puts = Array.from({ length: 20 }, (_, n) => store.put(keys, 'k1', { n }, { ifVersion: 1 }));
			const versions = await Promise.all(puts);
			assert.equal(versions.filter((version) => version !== null).length, 1);
		}),
		it('delete returns whether the record existed', async ({ store }) => {
			await store.put(keys, 'k1', {});
			assert.deepEqual([await store.delete(keys, 'k1'), await store.delete(keys, 'k1')], [true, false]);
		}),
		it('a deleted record is unknown', async ({ store }) => {
			await store.put(keys, 'k1', {});
			await store.delete(keys, 'k1');
			assert.equal(await store.get(keys, 'k1'), null);
			assert.deepEqual(await list(store, {}), { ids: [], hasMore: false });
		}),
		it('a list is ordered by id, not by time', async ({ store }) => {
			for (const id of ['c', 'a', 'b']) await store.put(keys, id, {});
			assert.deepEqual(await list(store, {}), { ids: ['a', 'b', 'c'], hasMore: false });
		}),
		it('a full page has hasMore when more records follow', async ({ store }) => {
			for (const id of ['a', 'b', 'c']) await store.put(keys, id, {});
			assert.deepEqual(await list(store, { limit: 2 }), { ids: ['a', 'b'], hasMore: true });
		}),
		it('a page that ends exactly at the last record has no hasMore', async ({ store }) => {
			for (const id of ['a', 'b', 'c']) await store.put(keys, id, {});
			assert.deepEqual(await list(store, { limit: 3 }), { ids: ['a', 'b', 'c'], hasMore: false });
		}),
		it('after continues after an id that need not exist', async ({ store }) => {
			for (const id of ['a', 'b', 'd']) await store.put(keys, id, {});
			assert.deepEqual((await list(store, { after: 'b' })).ids, ['d']);
			assert.deepEqual((await list(store, { after: 'c' })).ids, ['d']);
		}),
		it('a list by index holds the records with that index only', async ({ store }) => {
			await store.put(keys, 'a', {}, { index: 'x' });
			await store.put(keys, 'b', {}, { index: 'y' });
			await store.put(keys, 'c', {});
			await store.put(keys, 'd', {}, { index: 'x' });
			assert.deepEqual((await list(store, { index: 'x' })).ids, ['a', 'd']);
		}),
		it('a list by index pages like any other', async ({ store }) => {
			for (const id of ['a', 'b', 'c']) await store.put(keys, id, {}, { index: 'x' });
			await store.put(keys, 'bb', {}, { index: 'y' });
			const page = await list(store, { index: 'x', after: 'a', limit: 1 });
			assert.deepEqual(page, { ids: ['b'], hasMore: true });
		}),
		it('a list without index holds every record', async ({ store }) => {
			await store.put(keys, 'a', {}, { index: 'x' });
			await store.put(keys, 'b', {});
			assert.deepEqual((await list(store, {})).ids, ['a', 'b']);
		}),
		it('a put with another index moves the record', async ({ store }) => {
			await store.put(keys, 'a', {}, { index: 'x' });
			await store.put(keys, 'a', {}, { index: 'y' });
			assert.deepEqual((await list(store, { index: 'x' })).ids, []);
			assert.deepEqual((await list(store, { index: 'y' })).ids, ['a']);
		}),
		it('a put without index removes the record from its index', async ({ store }) => {
			await store.put(keys, 'a', {}, { index: 'x' });
			await store.put(keys, 'a', {});
			assert.deepEqual((await list(store, { index: 'x' })).ids, []);
		}),
		it('a list answers with values and versions', async ({ store, clock }) => {
			await store.put(keys, 'a', { n: 1 });
			const { records } = await store.list(keys, { limit: 1 });
			assert.deepEqual(records, [{ id: 'a', value: { n: 1 }, version: 1, updatedAt: clock.now() }]);
		}),
		it("get does not reach another tenant's records", async ({ store }) => {
			await store.put(keys, 'a', {});
			assert.equal(await store.get({ ...keys, tenant: 'umbrella' }, 'a'), null);
		}),
		it("list does not reach another tenant's records", async ({ store }) => {
			await store.put(keys, 'a', {}, { index: 'x' });
			const otherTenant = { ...keys, tenant: 'umbrella' };
			assert.deepEqual((await store.list(otherTenant, { limit: 10 })).records, []);
			assert.deepEqual((await store.list(otherTenant, { index: 'x', limit: 10 })).records, []);
		}),
		it("put does not reach another tenant's records", async ({ store }) => {
			await store.put(keys, 'a', { n: 1 });
			assert.equal(await store.put({ ...keys, tenant: 'umbrella' }, 'a', { n: 2 }), 1);
			assert.deepEqual((await store.get(keys, 'a'))?.value, { n: 1 });
		}),
		it("delete does not reach another tenant's records", async ({ store }) => {
			await store.put(keys, 'a', {});
			assert.equal(await store.delete({ ...keys, tenant: 'umbrella' }, 'a'), false);
			assert.notEqual(await store.get(keys, 'a'), null);
		}),
		it('collections of one tenant are separate', async ({ store }) => {
			await store.put(keys, 'a', {});
			assert.equal(await store.get({ ...keys, collection: 'webhooks.endpoints' }, 'a'), null);
		}),
		it('a dump has the records of all tenants with version, time and index, and fills an empty store', async (s) => {
			await manyRecords(s.store);
			const records = await allOf(s.store.dump());
			assert.equal(records.length, 4);
			const { id, ...stored } = (await s.store.get(keys, 'a')) ?? assert.fail('there is no record');
			const dumped = records.find((record) => record.id === id && record.tenant === keys.tenant);
			assert.deepEqual(dumped, { ...keys, id, ...stored, index: 'x' });
			const other = await options.create();
			try {
				await other.store.load(records);
				assert.deepEqual(await allOf(other.store.dump()), records);
				assert.deepEqual((await other.store.list(keys, { index: 'x', limit: 9 })).records[0]?.id, 'a');
				assert.equal(await other.store.put(keys, 'a', {}, { ifVersion: 2 }), 3);
			} finally {
				await other.close();
			}
		}),
		it('loading records again changes nothing, and one in another form is refused whole', async ({ store }) => {
			await manyRecords(store);
			const records = await allOf(store.dump());
			await store.load(records);
			assert.deepEqual(await allOf(store.dump()), records);
			await store.put(keys, 'a', { n: 3 });
			const added = records.map((record) => ({ ...record, id: record.id === 'a' ? 'new' : record.id }));
			await assertRefused(store.load([...added, ...records]), 'E_STORE_DIFFERS');
			assert.equal(await store.get(keys, 'new'), null);
		}),
		it('a dump has every record once, however many there are', async ({ store }) => {
			await store.put(keys, 'a', {});
			const [record] = await allOf(store.dump());
			assert(record);
			const many = Array.from({ length: 450 }, (_, n) => ({ ...record, id: `b${100 + n}` }));
			await store.load(many);
			const names = (records: readonly RecordDump[]) => records.map(({ id }) => id).join(' ');
			assert.equal(names(await allOf(store.dump())), names([record, ...many]));
		}),
		options.supports?.reopen
			? it('a record is the same after the store was reopened', async (subject) => {
					await subject.store.put(keys, 'a', { n: 1 }, { index: 'x' });
					const before = await subject.store.list(keys, { index: 'x', limit: 10 });
					const store = (await subject.reopen?.()) ?? assert.fail('there is no reopen');
					assert.deepEqual(await store.list(keys, { index: 'x', limit: 10 }), before);
				})
			: noReopenCase(it),
	];
}

async function manyRecords(store: RecordStore): Promise<void> {
	await store.put(keys, 'a', { n: 1 });
	await store.put(keys, 'a', { n: 2, nul: '\u0000', low: '\udfff' }, { index: 'x' });
	await store.put(keys, 'b', {});
	await store.put({ ...keys, tenant: 'umbrella' }, 'a', { list: [null, 1.5] });
	await store.put({ ...keys, collection: 'webhooks.endpoints' }, 'ü', {});
}

async function list(store: RecordStore, { limit = 100, ...rest }: { index?: string; after?: string; limit?: number }) {
	const { records, hasMore } = await store.list(keys, { limit, ...rest });
	return { ids: records.map(({ id }) => id), hasMore };
}
