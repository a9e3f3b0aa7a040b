import { manualClock } from '@plinth/testing';
import { describe, expect, test } from 'vitest';
import { faultyRecords, testKeys } from './support.ts';

const request = { tenant: 'studio', scopes: ['videos:read'] };
const keyForm = /^plinth_live_[\w-]{43}[0-9a-f]{8}$/;

async function oneRing() {
	const clock = manualClock();
	const store = await faultyRecords(clock);
	return { clock, store, ...(await testKeys({ store, clock })) };
}

describe('an issued key', () => {
	test('has a prefix, 32 random bytes and a checksum', async () => {
		const { ring } = await oneRing();
		const [one, other] = [await ring.issue(request), await ring.issue(request)];
		expect([one.key, other.key]).toEqual([expect.stringMatching(keyForm), expect.stringMatching(keyForm)]);
		expect(one.key).not.toBe(other.key);
	});

	test('authenticates its tenant with its scopes and its id', async () => {
		const { ring, authenticator } = await oneRing();
		const { id, key } = await ring.issue(request);
		expect(await authenticator.authenticate(key)).toEqual({ id, ...request });
	});

	test('can be one of several keys of a tenant', async () => {
		const { ring, authenticator } = await oneRing();
		const keys = [await ring.issue(request), await ring.issue(request)];
		const callers = await Promise.all(keys.map(({ key }) => authenticator.authenticate(key)));
		expect(callers.map((caller) => caller?.tenant)).toEqual(['studio', 'studio']);
	});

	test('is accepted by every process on the store', async () => {
		const { ring, store, clock } = await oneRing();
		const { key, id } = await ring.issue(request);
		const { authenticator } = await testKeys({ store, clock });
		expect((await authenticator.authenticate(key))?.id).toBe(id);
	});

	test.each([
		['a changed letter', (key: string) => `${key.slice(0, 20)}${key[20] === 'A' ? 'B' : 'A'}${key.slice(21)}`],
		['a letter more', (key: string) => `${key}0`],
		['a letter less', (key: string) => key.slice(0, -1)],
		['capitals', (key: string) => key.toUpperCase()],
	])('is rejected with %s, without a read of the store', async (_change, change) => {
		const { ring, authenticator, store } = await oneRing();
		const { key } = await ring.issue(request);
		store.failReads = true;
		expect(await authenticator.authenticate(change(key))).toBeNull();
	});

	test('leaves nothing in the store that reveals it', async () => {
		const { ring, store } = await oneRing();
		const { key } = await ring.issue({ ...request, name: 'ci' });
		const page = await store.list({ tenant: 'system', collection: 'core.keys' }, { limit: 10 });
		const stored = JSON.stringify(page);
		expect(stored).toContain('"ci"');
		// Only the hint of the key is stored.
		expect(stored).not.toContain(key.slice(-5));
		expect(stored).not.toContain(key.slice(12, 24));
	});
});

describe('an expiring key', () => {
	test('is accepted before its expiry and rejected from that second on', async () => {
		const { ring, authenticator, clock } = await oneRing();
		const expiresAt = clock.now() + 60_000;
		const { key } = await ring.issue({ ...request, expiresAt });
		await clock.advance(59_999);
		expect(await authenticator.authenticate(key)).not.toBeNull();
		await clock.advance(1);
		expect(await authenticator.authenticate(key)).toBeNull();
	});

	test('is listed as expired until it is revoked', async () => {
		const { ring, clock } = await oneRing();
		const { id } = await ring.issue({ ...request, expiresAt: clock.now() + 1_000 });
		const states = async () => (await ring.list()).map(({ state }) => state);
		expect(await states()).toEqual(['active']);
		await clock.advance(1_000);
		expect(await states()).toEqual(['expired']);
		await ring.revoke(id);
		expect(await states()).toEqual([]);
	});
});

describe('a revoked key', () => {
	test.each(['id', 'key'] as const)('is rejected immediately by every process when revoked by its %s', async (by) => {
		const { ring, store, clock } = await oneRing();
		const issued = await ring.issue(request);
		const other = await testKeys({ store, clock });
		expect(await other.authenticator.authenticate(issued.key)).not.toBeNull();
		expect(await ring.revoke(issued[by])).toMatchObject({ id: issued.id, tenant: 'studio' });
		expect(await other.authenticator.authenticate(issued.key)).toBeNull();
	});

	test('does not affect the other keys of its tenant', async () => {
		const { ring, authenticator } = await oneRing();
		const [old, fresh] = [await ring.issue(request), await ring.issue(request)];
		await ring.revoke(old.id);
		expect(await authenticator.authenticate(fresh.key)).not.toBeNull();
	});

	test.each([
		['an id that is not there', 'key_000000000000'],
		['a part of an id', 'key_0'],
		['no id at all', ''],
		['a key that was never issued', 'plinth_live_nonsense'],
	])('must exist: %s', async (_what, name) => {
		const { ring } = await oneRing();
		await ring.issue(request);
		expect(await ring.revoke(name)).toBeNull();
		expect(await ring.list()).toHaveLength(1);
	});

	test('must be named by the key itself when two keys share an id', async () => {
		const { ring, store } = await oneRing();
		const { id, key } = await ring.issue(request);
		const keys = { tenant: 'system', collection: 'core.keys' };
		const { records } = await store.list(keys, { limit: 1 });
		const [{ id: digest, value }] = records as [(typeof records)[0]];
		const changeEnd = (end: string) => `${digest.slice(0, -1)}${end}`;
		const others = ['0', 'f'].map(changeEnd).filter((other) => other !== digest);
		for (const other of others) await store.put(keys, other, value, { index: 'studio' });
		expect(await ring.revoke(id)).toBeNull();
		expect(await ring.list()).toHaveLength(1 + others.length);
		expect(await ring.revoke(key)).toMatchObject({ id });
		expect((await ring.list()).map((left) => left.id)).toEqual(others.map(() => id));
	});

	test('cannot be revoked twice', async () => {
		const { ring } = await oneRing();
		const { id } = await ring.issue(request);
		await ring.revoke(id);
		expect(await ring.revoke(id)).toBeNull();
	});
});

describe('the list of keys', () => {
	test('has everything except the key, oldest first', async () => {
		const { ring, clock } = await oneRing();
		const createdAt = clock.now();
		const first = await ring.issue({ ...request, name: 'ci', expiresAt: createdAt + 5_000 });
		await clock.advance(1_000);
		const second = await ring.issue({ tenant: 'b', scopes: ['*', '*'] });
		expect(await ring.list()).toEqual([
			{
				id: first.id,
				...request,
				name: 'ci',
				hint: first.key.slice(-4),
				createdAt,
				expiresAt: createdAt + 5_000,
				lastUsedAt: null,
				state: 'active',
			},
			expect.objectContaining({
				id: second.id,
				scopes: ['*'],
				name: null,
				createdAt: createdAt + 1_000,
				expiresAt: null,
			}),
		]);
	});

	test('is complete for any number of keys', async () => {
		const { ring } = await oneRing();
		for (let count = 0; count < 1_001; count++) await ring.issue(request);
		expect(new Set((await ring.list()).map(({ id }) => id)).size).toBe(1_001);
	});

	test('does not contain configured keys', async () => {
		const { ring } = await testKeys({ keys: 'a:a-configured-key', store: await faultyRecords() });
		expect(await ring.list()).toEqual([]);
		expect(await ring.revoke('a-configured-key')).toBeNull();
	});

	test('includes records that were stored before keys had names and expiries', async () => {
		const { ring, store } = await oneRing();
		const record = { tenant: 'old', scopes: ['*'], hint: 'abcd', createdAt: 5 };
		const id = 'ab'.repeat(32);
		await store.put({ tenant: 'system', collection: 'core.keys' }, id, record, { index: 'old' });
		expect(await ring.list()).toEqual([
			{
				...record,
				id: 'key_abababababab',
				name: null,
				expiresAt: null,
				lastUsedAt: null,
				state: 'active',
			},
		]);
	});
});

describe('a request for a new key', () => {
	test.each([
		['tenant', { tenant: '' }],
		['tenant', { tenant: ' a' }],
		['tenant', { tenant: 'a\u001b[31m' }],
		['tenant', { tenant: 'a\u202eb' }],
		['tenant', { tenant: 'x'.repeat(129) }],
		['name', { name: '' }],
		['name', { name: 'two\nlines' }],
		['scopes', { scopes: [] }],
		['scopes', { scopes: ['a,b'] }],
		['scopes', { scopes: [''] }],
		['expiresAt', { expiresAt: Number.NaN }],
		['expiresAt', { expiresAt: 0 }],
		['expiresAt', { expiresAt: manualClock().now() }],
		['expiresAt', { expiresAt: Number.POSITIVE_INFINITY }],
	])('is rejected for its %s: %j', async (param, wrong) => {
		const { ring, store } = await oneRing();
		const failure = await ring.issue({ ...request, ...wrong }).catch((error: unknown) => error);
		expect(failure).toMatchObject({ code: 'E_VALUE_INVALID', param });
		expect(store.writes).toBe(0);
	});

	test('is rejected without a store', async () => {
		const { ring } = await testKeys({});
		await expect(ring.issue(request)).rejects.toThrow(/RecordStore/);
		expect(await ring.list()).toEqual([]);
		expect(await ring.revoke('key_000000000000')).toBeNull();
	});
});
