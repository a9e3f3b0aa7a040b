import type { Logger } from '@plinth/core';
import { eventually, manualClock, silentLogger } from '@plinth/testing';
import { describe, expect, test } from 'vitest';
import { faultyRecords, testKeys } from './support.ts';

const minuteMs = 60_000;
const request = { tenant: 'studio', scopes: ['*'] };

async function oneKey(log?: Logger) {
	const clock = manualClock();
	const store = await faultyRecords(clock);
	const keys = await testKeys({ store, clock, ...(log ? { log } : {}) });
	const { key, id } = await keys.ring.issue(request);
	store.writes = 0;
	const use = () => keys.authenticator.authenticate(key);
	const lastUsedAt = async () => (await keys.ring.list())[0]?.lastUsedAt;
	return { ...keys, clock, store, key, id, use, lastUsedAt };
}

describe('the last use of a key', () => {
	test('is recorded', async () => {
		const { use, lastUsedAt, clock } = await oneKey();
		await clock.advance(5_000);
		await use();
		await eventually('it is written', async () => (await lastUsedAt()) === clock.now());
	});

	test('is written at most once a minute by all processes together', async () => {
		const { use, store, clock, key } = await oneKey();
		const other = await testKeys({ store, clock });
		for (let second = 0; second < 59; second++) {
			await use();
			await other.authenticator.authenticate(key);
			await clock.advance(1_000);
		}
		expect(store.writes).toBe(1);
		await clock.advance(1_000);
		await use();
		expect(store.writes).toBe(2);
	});

	test('is written once for many concurrent requests', async () => {
		const { use, store } = await oneKey();
		await Promise.all(Array.from({ length: 50 }, use));
		expect(store.writes).toBe(1);
	});

	test('does not delay the request', async () => {
		const { use, store } = await oneKey();
		store.put = () => new Promise(() => {});
		expect(await use()).not.toBeNull();
	});

	test('logs the error when it cannot be written, serves the request, and retries after a minute', async () => {
		const warnings: unknown[] = [];
		const log = { ...silentLogger(), warn: (_: object, message: string) => warnings.push(message) };
		const { use, store, clock } = await oneKey(log);
		store.failWrites = true;
		for (let count = 0; count < 10; count++) expect(await use()).not.toBeNull();
		expect(store.writes).toBe(1);
		await clock.advance(minuteMs);
		expect(await use()).not.toBeNull();
		expect(store.writes).toBe(2);
		await eventually('both failures are logged', () => warnings.length === 2);
	});

	test('does not restore a key that was revoked in the meantime', async () => {
		const { authenticator, ring, store, id, key } = await oneKey();
		const { get } = store;
		// The record is read, then revoked, then the last use is written.
		store.get = (async (...args: Parameters<typeof get>) => {
			const found = await get(...args);
			store.get = get;
			await ring.revoke(id);
			return found;
		}) as typeof get;
		let written: Promise<unknown> | undefined;
		const { put } = store;
		store.put = (...args) => {
			written = put(...args);
			return written as ReturnType<typeof put>;
		};
		await authenticator.authenticate(key);
		expect(await written).toBeNull();
		expect(await ring.list()).toEqual([]);
	});

	test('is written after the wall clock was set back', async () => {
		const { use, store, clock } = await oneKey();
		await use();
		clock.jump(-24 * 60 * minuteMs);
		await use();
		expect(store.writes).toBe(2);
	});

	test('of a rejected key is not recorded', async () => {
		const { authenticator, ring, clock, store } = await oneKey();
		const { key } = await ring.issue({ ...request, expiresAt: clock.now() + 1 });
		store.writes = 0;
		await clock.advance(1);
		await authenticator.authenticate(key);
		expect(store.writes).toBe(0);
	});
});

describe('an unavailable store', () => {
	test('makes requests with issued keys fail with 503 and no message of the store', async () => {
		const { use, store } = await oneKey();
		store.failReads = true;
		const failure = await use().catch((error: unknown) => error);
		expect(failure).toMatchObject({ code: 'E_STORE_UNAVAILABLE', spec: { status: 503 } });
		expect(String(failure)).not.toContain('/secret/path');
		expect((failure as Error).cause).toMatchObject({ message: expect.stringContaining('disk') });
	});

	test('does not affect configured keys', async () => {
		const store = await faultyRecords();
		store.failReads = true;
		const { authenticator } = await testKeys({ keys: 'me:a-configured-key', store });
		expect(await authenticator.authenticate('a-configured-key')).toMatchObject({ tenant: 'me' });
	});

	test('does not affect the rejection of malformed keys', async () => {
		const store = await faultyRecords();
		store.failReads = true;
		const { authenticator } = await testKeys({ keys: 'me:a-configured-key', store });
		expect(await authenticator.authenticate('guess')).toBeNull();
	});
});

describe('configured keys', () => {
	test('are compared in constant time, even by the thousand', async () => {
		const keys = Array.from({ length: 1_000 }, (_, index) => `team-${index}:the-key-of-team-${index}`);
		const { authenticator } = await testKeys({ keys });
		const started = performance.now();
		const tenants: (string | undefined)[] = [];
		for (let index = 0; index < 3_000; index++) {
			tenants.push((await authenticator.authenticate(`the-key-of-team-${index}`))?.tenant);
		}
		// A comparison with each key would take seconds.
		expect(performance.now() - started).toBeLessThan(500);
		expect(tenants.slice(0, 1_000)).toEqual(keys.map((key) => key.split(':')[0]));
		expect(tenants.slice(1_000).filter(Boolean)).toEqual([]);
	});

	test('have all scopes', async () => {
		const { authenticator } = await testKeys({ keys: 'me:a-configured-key' });
		expect(await authenticator.authenticate('a-configured-key')).toMatchObject({ scopes: ['*'] });
	});

	test('work together with issued keys', async () => {
		const store = await faultyRecords();
		const { authenticator, ring } = await testKeys({ keys: 'me:a-configured-key', store });
		const { key } = await ring.issue(request);
		expect((await authenticator.authenticate(key))?.tenant).toBe('studio');
		expect((await authenticator.authenticate('a-configured-key'))?.tenant).toBe('me');
	});

	test('need no store', async () => {
		const { authenticator } = await testKeys({ keys: 'me:a-configured-key' });
		expect(await authenticator.authenticate(`plinth_live_${'A'.repeat(51)}`)).toBeNull();
	});
});

describe('a server without any key', () => {
	const warned = () => {
		const lines: string[] = [];
		const log = { ...silentLogger(), warn: (_: object, message: string) => lines.push(message) };
		return { lines, log };
	};

	test('logs a warning at the first rejected request, once', async () => {
		const { lines, log } = warned();
		const { authenticator } = await testKeys({ store: await faultyRecords(), log });
		expect(lines).toEqual([]);
		for (let count = 0; count < 3; count++) {
			expect(await authenticator.authenticate('guess')).toBeNull();
		}
		await eventually('the warning is logged', () => lines.length > 0);
		expect(lines).toEqual([expect.stringContaining('plinth keys create')]);
	});

	test('logs a warning five seconds after its boot, once', async () => {
		const { lines, log } = warned();
		const clock = manualClock();
		const { authenticator } = await testKeys({ store: await faultyRecords(clock), log, clock });
		authenticator.booted?.();
		await clock.advance(4_999);
		expect(lines).toEqual([]);
		await clock.advance(1);
		await eventually('the warning is logged', () => lines.length > 0);
		expect(await authenticator.authenticate('guess')).toBeNull();
		expect(lines).toEqual([expect.stringContaining('every request is refused')]);
	});

	test('logs no warning at its boot when the first key was created or keys are configured', async () => {
		const { lines, log } = warned();
		const clock = manualClock();
		const store = await faultyRecords(clock);
		const made = await testKeys({ store, log, clock });
		const configured = await testKeys({ keys: 'me:a-configured-key', log, clock });
		for (const { authenticator } of [made, configured]) authenticator.booted?.();
		await made.ring.issueFirst();
		await clock.advance(5_000);
		await made.ring.list();
		expect(lines).toEqual([]);
	});

	test('logs a warning when it has no store for keys', async () => {
		const { lines, log } = warned();
		const { authenticator } = await testKeys({ log });
		expect(await authenticator.authenticate('guess')).toBeNull();
		await eventually('the warning is logged', () => lines.length === 1);
	});

	test('rejects requests when its store fails', async () => {
		const { lines, log } = warned();
		const store = await faultyRecords();
		store.failReads = true;
		const { authenticator } = await testKeys({ store, log });
		expect(await authenticator.authenticate('guess')).toBeNull();
		expect(lines).toEqual([]);
	});

	test.each([{ keys: 'tenant:a-configured-key' }, { keys: '', issue: true }])(
		'is none that has one: %j',
		async ({ keys, issue }) => {
			const { lines, log } = warned();
			const { authenticator, ring } = await testKeys({ keys, store: await faultyRecords(), log });
			if (issue) await ring.issue(request);
			expect(await authenticator.authenticate('guess')).toBeNull();
			await ring.list();
			expect(lines).toEqual([]);
		},
	);
});
