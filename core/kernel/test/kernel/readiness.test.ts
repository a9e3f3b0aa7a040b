import { memoryBlobs, memoryEvents, memoryJobs, memoryRecords } from '@plinth/memory';
import { eventually, manualClock, silentLogger } from '@plinth/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { type AppConfig, createApp, defineBackend, type Logger, type RecordStore, services } from '../../src/index.ts';

const config = z.strictObject({});
type Ask = () => Promise<null>;

/** A record store with scripted responses, which counts its calls. */
function scriptedRecords(script: { get: Ask; ping?: () => Promise<void> }) {
	const storeCalls = { times: 0 };
	const store = {
		get: () => {
			storeCalls.times++;
			return script.get();
		},
		...(script.ping ? { ping: script.ping } : {}),
	} as unknown as RecordStore;
	const records = defineBackend({
		name: 'scripted',
		provides: services.records,
		config,
		create: () => store,
	});
	return { records: records(), storeCalls };
}

const memory = (): NonNullable<AppConfig['backends']> => ({
	jobs: memoryJobs(),
	records: memoryRecords(),
	blobs: memoryBlobs(),
	events: memoryEvents(),
});

async function boot(backends: NonNullable<AppConfig['backends']>) {
	const clock = manualClock();
	const checkCounts = { started: 0 };
	const lines: [level: string, fields: object][] = [];
	const log: Logger = {
		...silentLogger(),
		warn: (fields) => lines.push(['warn', fields]),
		info: (fields) => lines.push(['info', fields]),
		child: () => log,
	};
	const app = await createApp(
		{ server: { auth: 'off', drainDelayMs: 0 }, backends: { ...memory(), ...backends } },
		{
			clock: {
				...clock,
				after(ms, run) {
					if (ms === 1_000) checkCounts.started++;
					return clock.after(ms, run);
				},
			},
			log,
			env: {},
		},
	);
	await app.start();
	const probe = async (path = '/readyz') => {
		const answer = await app.fetch(new Request(`http://plinth.test${path}`));
		return [answer.status, await answer.json()];
	};
	return { app, clock, lines, probe, checkCounts };
}

const ready = [200, { status: 'ready' }];
const noRecords = [503, { status: 'not ready', reason: 'no answer from core.records' }];

afterEach(() => void vi.useRealTimers());

describe('/readyz', () => {
	test('is ready while every store responds', async () => {
		const { app, probe } = await boot({});
		expect(await probe()).toEqual(ready);
		await app.stop();
	});

	test('names the service of a store that fails, without its message', async () => {
		const { records } = scriptedRecords({
			get: () => Promise.reject(new Error('password wrong for db.internal')),
		});
		const { app, probe, lines } = await boot({ records });
		expect(await probe()).toEqual(noRecords);
		expect(lines).toContainEqual([
			'warn',
			{
				service: 'core.records',
				err: expect.objectContaining({ message: expect.stringContaining('db.internal') }),
			},
		]);
		await app.stop();
	});

	test('waits a second for a store that hangs, and no longer', async () => {
		const { records, storeCalls } = scriptedRecords({ get: () => new Promise(() => {}) });
		const { app, probe, clock } = await boot({ records });
		const answer = probe();
		await eventually('it is asked', () => storeCalls.times === 1);
		await clock.advance(1_000);
		expect(await answer).toEqual(noRecords);
		await app.stop();
	});

	test('calls a hanging store again only after the timeout of the first call', async () => {
		const { records, storeCalls } = scriptedRecords({ get: () => new Promise(() => {}) });
		const { app, probe, clock, checkCounts } = await boot({ records });
		const stores = 3;
		const times: number[] = [];
		for (const [round, ms] of [0, 4_000, 6_000].entries()) {
			await clock.advance(ms);
			const answer = probe();
			await eventually('every store is asked', () => checkCounts.started === (round + 1) * stores);
			await clock.advance(1_000);
			expect(await answer).toEqual([503, expect.anything()]);
			times.push(storeCalls.times);
		}
		expect(times).toEqual([1, 1, 2]);
		await app.stop();
	});

	test('checks once in two seconds, for any number of probes, and detects both changes', async () => {
		let isUp = true;
		const { records, storeCalls } = scriptedRecords({
			get: () => (isUp ? Promise.resolve(null) : Promise.reject(new Error('gone'))),
		});
		const { app, probe, clock, lines } = await boot({ records });
		expect(await Promise.all([probe(), probe(), probe()])).toEqual([ready, ready, ready]);
		isUp = false;
		await clock.advance(1_999);
		expect([await probe(), storeCalls.times]).toEqual([ready, 1]);
		await clock.advance(1);
		expect([await probe(), storeCalls.times]).toEqual([noRecords, 2]);
		await clock.advance(2_000);
		await probe();
		isUp = true;
		await clock.advance(2_000);
		expect(await probe()).toEqual(ready);
		const levels = lines.filter(([, fields]) => 'service' in fields).map(([level]) => level);
		expect(levels).toEqual(['warn', 'info']);
		await app.stop();
	});

	test('uses the ping of a store that has one', async () => {
		const { records, storeCalls } = scriptedRecords({
			get: async () => null,
			ping: () => Promise.reject(new Error('not well')),
		});
		const { app, probe } = await boot({ records });
		expect([await probe(), storeCalls.times]).toEqual([noRecords, 0]);
		await app.stop();
	});

	test('is not ready as soon as a stop starts, without a call of a store', async () => {
		const { records, storeCalls } = scriptedRecords({ get: () => new Promise(() => {}) });
		const { app, probe } = await boot({ records });
		await app.listen({ host: '127.0.0.1', port: 0 });
		// The stop then waits so that load balancers notice it, while all requests are still served.
		vi.useFakeTimers({ toFake: ['setTimeout'] });
		const stopped = app.stop();
		expect(await probe()).toEqual([503, { status: 'not ready', reason: expect.stringMatching(/^stop/) }]);
		expect(storeCalls.times).toBe(0);
		vi.runAllTimers();
		vi.useRealTimers();
		await stopped;
	});
});

test('/healthz calls no store', async () => {
	const { records, storeCalls } = scriptedRecords({ get: () => new Promise(() => {}) });
	const { app, probe } = await boot({ records });
	expect(await probe('/healthz')).toEqual([200, { status: 'ok' }]);
	expect(storeCalls.times).toBe(0);
	await app.stop();
});
