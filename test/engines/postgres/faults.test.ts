import { isPlinthError, type JobStore, type NewJob } from '@plinth/core';
import { eventually, silentLogger } from '@plinth/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { DatabaseHandle } from '../../../adapters/postgres/src/engine/database.ts';
import { HintConnection } from '../../../adapters/postgres/src/events/hints.ts';
import { PostgresJobStore } from '../../../adapters/postgres/src/jobs/store.ts';
import { PostgresRecordStore } from '../../../adapters/postgres/src/records/store.ts';
import { connection, type OwnPostgres, ownPostgres, statement } from '../support/postgres.ts';
import { startProxy } from './proxy.ts';
import { handleOn, holdOpen, realClock } from './support.ts';

const leaseMs = 20_000;
const week = 168 * 3_600_000;
let server: OwnPostgres;
let url: string;
let handle: DatabaseHandle;
let store: JobStore;
let made = 0;

beforeAll(async () => {
	server = await ownPostgres(['deadlock_timeout = 100ms']);
});

afterAll(() => server?.remove());

beforeEach(async () => {
	url = await server.database();
	handle = await handleOn(url, 'plinth');
	store = new PostgresJobStore(handle, week);
	return () => handle.close();
});

function newJob(changes: Partial<NewJob> = {}): NewJob {
	made += 1;
	const id = `video_${String(made).padStart(6, '0')}`;
	return { id, kind: 'video', tenant: 'acme', principal: 'key_1', model: 'm', input: {}, maxAttempts: 5, ...changes };
}

async function running() {
	const job = newJob();
	await store.create(job);
	const [claim] = await store.take('video', 'w', { leaseMs, count: 1 });
	if (!claim) throw new Error('The job was not given out.');
	return claim;
}

const codeOf = (error: unknown) => (isPlinthError(error) ? error.code : String(error));

/** The result of a call, and how long it took. */
async function outcome(call: Promise<unknown>): Promise<{ code: string; ms: number }> {
	const began = performance.now();
	const code = await call.then(() => 'ok', codeOf);
	return { code, ms: performance.now() - began };
}

const connections = async () =>
	(
		await statement(
			url,
			"SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'plinth'",
		)
	).length;

describe('a PostgreSQL server that is down', () => {
	test('is reported within two seconds, and calls succeed five seconds after its restart', async () => {
		const { job } = await running();
		await server.kill();
		await eventually('the server has stopped', async () => (await outcome(store.get('acme', job.id))).code !== 'ok');
		const calls = () => [store.create(newJob()), store.get('acme', job.id), store.heartbeat(job.id, job.fence)];
		for (const { code, ms } of await Promise.all([...calls(), ...calls()].map(outcome))) {
			expect(code).toBe('E_STORE_UNAVAILABLE');
			expect(ms).toBeLessThan(2_000);
		}
		await server.start();
		const began = performance.now();
		await eventually('a job is stored', async () => (await outcome(store.create(newJob()))).code === 'ok');
		expect(performance.now() - began).toBeLessThan(5_000);
		expect((await store.get('acme', job.id))?.status).toBe('in_progress');
		await Promise.all(Array.from({ length: 100 }, () => store.get('acme', job.id)));
		expect(await connections()).toBeLessThanOrEqual(10);
	});

	test('loses no confirmed write when it is killed during writes', async () => {
		const confirmed: string[] = [];
		let isDown = false;
		const client = async () => {
			while (!isDown) {
				const job = newJob();
				if ((await outcome(store.create(job))).code === 'ok') confirmed.push(job.id);
				else isDown = true;
			}
		};
		const clients = Promise.all(Array.from({ length: 20 }, client));
		await eventually('some writes are confirmed', () => confirmed.length > 200);
		await server.kill();
		await clients;
		await server.start();
		const known: string[] = [];
		for (let at = 0; at < confirmed.length; at += 500)
			known.push(...(await store.known(confirmed.slice(at, at + 500))));
		expect(known.length).toBe(confirmed.length);
	});

	test('connections that an operator terminates are replaced silently', async () => {
		const { job } = await running();
		await Promise.all(Array.from({ length: 20 }, () => store.get('acme', job.id)));
		await statement(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'plinth'");
		expect((await store.get('acme', job.id))?.id).toBe(job.id);
		expect(await store.heartbeat(job.id, job.fence)).toBe('ok');
	});

	test('a silently cut connection is detected, and hints continue', async () => {
		const proxy = await startProxy(server.port);
		const through = new URL(url);
		through.port = String(proxy.port);
		const far = await handleOn(through.href, 'far');
		const received: unknown[] = [];
		const tools = { channel: 'c', clock: realClock(), log: silentLogger(), read: async () => {} };
		const receiver = new HintConnection({ ...tools, url: through.href, receive: (event) => received.push(event) });
		const sender = new HintConnection({ ...tools, url, receive: () => {} });
		await Promise.all([receiver.open(), sender.open()]);
		const remote = new PostgresJobStore(far, week);
		await Promise.all([remote.pending('video'), remote.head()]);
		proxy.freeze();
		const began = performance.now();
		const lost = [outcome(remote.pending('video')), outcome(remote.create(newJob()))];
		// Queued after the running group of writes.
		await new Promise((resolve) => setImmediate(resolve));
		lost.push(outcome(remote.create(newJob())));
		for (const { code, ms } of await Promise.all(lost)) {
			expect([code, ms < 2_000]).toEqual(['E_STORE_UNAVAILABLE', true]);
		}
		expect(await remote.pending('video')).toBe(0);
		const hint = { type: 't', tenant: 'a', subject: 's', data: null };
		const arrives = () => {
			sender.send(hint);
			return received.length > 0;
		};
		await eventually('hints arrive', arrives, 16_000);
		expect(performance.now() - began).toBeLessThan(15_000);
		await Promise.all([receiver.close(), sender.close(), far.close()]);
		await proxy.close();
	}, 40_000);
});

describe('other transactions', () => {
	test('an event whose commit is late is not skipped, and none is read twice', async () => {
		const commit = await holdOpen(url, 'video_late');
		const blocked = store.create(newJob());
		const { cursor, events } = await store.events(undefined, { limit: 10 });
		expect(events).toEqual([]);
		await commit();
		const { job } = await blocked;
		const later = await store.events(cursor, { limit: 10 });
		expect(later.events.map(({ jobId }) => jobId)).toEqual(['video_late', job.id]);
	});

	// PostgreSQL looks for a deadlock once per wait, so the store has to wait anew when the circle closes.
	test('a deadlock with another client is retried', async () => {
		const [one, two, three] = [await running(), await running(), await running()];
		const [holder, otherClient] = [await connection(url), await connection(url)];
		const lock = (client: typeof holder, { job }: typeof one) =>
			client.query('SELECT FROM plinth.jobs WHERE id = $1 FOR UPDATE', [job.id]);
		const waiting = async (count: number) => {
			const waits = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
			await eventually(`${count} connections wait`, async () => (await statement(url, waits)).length === count);
		};
		await Promise.all([holder, otherClient].map((client) => client.query('BEGIN')));
		await otherClient.query('SET deadlock_timeout = 60000');
		await lock(holder, two);
		await lock(otherClient, three);
		const complete = ({ job, fence }: typeof one) => store.complete(job.id, fence, { result: {}, retentionMs: null });
		const ends = Promise.all([one, two, three].map(complete));
		await waiting(1);
		const closing = lock(otherClient, one);
		await waiting(2);
		await holder.query('COMMIT');
		await closing;
		await otherClient.query('COMMIT');
		expect(await ends).toEqual([true, true, true]);
		// A connection reports its statistics when it ends.
		await Promise.all([holder.end(), otherClient.end(), handle.close()]);
		handle = await handleOn(url, 'plinth');
		await eventually('the deadlock is counted', async () => (await deadlocks()) > 0, 15_000);
	}, 30_000);

	test('one that is idle in another database delays no event', async () => {
		const other = await connection(await server.database());
		await other.query('BEGIN');
		await other.query('SELECT txid_current()');
		const began = performance.now();
		const { job } = await store.create(newJob());
		const { events } = await store.events(undefined, { limit: 10 });
		expect(events.map(({ jobId }) => jobId)).toEqual([job.id]);
		expect(performance.now() - began).toBeLessThan(1_000);
		await other.end();
	});

	test('one that holds the lock of the log makes writes fail in time; reads and heartbeats work', async () => {
		const { job, fence } = await running();
		const commit = await holdOpen(url, 'video_held');
		const { code, ms } = await outcome(store.create(newJob()));
		expect([code, ms < 2_000]).toEqual(['E_STORE_UNAVAILABLE', true]);
		expect(await store.heartbeat(job.id, fence, { progress: 0.5 })).toBe('ok');
		expect((await store.get('acme', job.id))?.progress).toBe(0.5);
		await commit();
		expect((await outcome(store.create(newJob()))).code).toBe('ok');
	});

	async function deadlocks(): Promise<number> {
		const rows = await statement<{ deadlocks: string }>(
			url,
			'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
		);
		return Number(rows[0]?.deadlocks);
	}
});

describe('a heartbeat', () => {
	test('writes one narrow row and no index', async () => {
		const claims = [await running(), await running(), await running()];
		for (let n = 1; n <= 100; n += 1) {
			await Promise.all(claims.map(({ job, fence }) => store.heartbeat(job.id, fence, { progress: n / 200 })));
		}
		// A connection reports its statistics when it ends.
		await handle.close();
		const count =
			"SELECT relname, n_tup_upd AS u, n_tup_hot_upd AS hot FROM pg_stat_user_tables WHERE schemaname = 'plinth'";
		const read = async (name: string) =>
			(await statement<{ relname: string; u: string; hot: string }>(url, count)).find(
				({ relname }) => relname === name,
			);
		await eventually('all statistics are reported', async () => Number((await read('leases'))?.u) >= 300, 15_000);
		const [leases, jobs] = [await read('leases'), await read('jobs')];
		expect(Number(leases?.hot)).toBe(Number(leases?.u));
		// Only the three takes have updated rows of the jobs table, and no index was updated.
		expect([Number(jobs?.u), Number(jobs?.hot)]).toEqual([3, 3]);
		handle = await handleOn(url, 'plinth');
	}, 30_000);
});

describe('a full disk', () => {
	test('is reported as a full disk; reads, heartbeats and deletes work', async () => {
		const { job, fence } = await running();
		const records = new PostgresRecordStore(handle);
		const ref = { tenant: 'acme', collection: 'c' };
		await records.put(ref, 'a', {});
		await statement(
			url,
			`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
			BEGIN RAISE EXCEPTION 'could not extend file "base/1/2": No space left on device' USING ERRCODE = 'disk_full'; END $$`,
		);
		for (const table of ['jobs', 'records']) {
			await statement(url, `CREATE TRIGGER full_disk BEFORE INSERT ON plinth.${table} EXECUTE FUNCTION full_disk()`);
		}
		const calls = [store.create(newJob()), store.create(newJob()), records.put(ref, 'b', {})];
		for (const { code } of await Promise.all(calls.map(outcome))) expect(code).toBe('E_STORE_FULL');
		expect(await store.heartbeat(job.id, fence)).toBe('ok');
		expect((await store.get('acme', job.id))?.status).toBe('in_progress');
		expect((await store.remove('acme', job.id))?.id).toBe(job.id);
		expect(await records.delete(ref, 'a')).toBe(true);
		expect(await store.lead('duty', 'me', 1_000)).toBe(true);
	});
});

describe('a group of writes', () => {
	test('fails only for the writes that are at fault', async () => {
		const good = [newJob(), newJob()];
		const calls = [
			store.create(good[0] as NewJob),
			store.create(newJob({ principal: 'a\u0000b' })),
			store.create(good[1] as NewJob),
		];
		const codes = (await Promise.all(calls.map(outcome))).map(({ code }) => code);
		expect(codes[0]).toBe('ok');
		expect(codes[1]).toMatch(/PostgreSQL refused a statement/);
		expect(codes[2]).toBe('ok');
	});
});

describe('a backup', () => {
	test('that is restored keeps older cursors, and reports newer ones', async () => {
		const first = await store.create(newJob());
		const { cursor } = await store.events(undefined, { limit: 10 });
		await server.program('pg_dump', ['-Fc', '-f', 'dump', url]);
		await store.create(newJob());
		const lost = await store.head();

		const restored = await server.database();
		await server.program('pg_restore', ['-d', restored, 'dump']);
		const other = await handleOn(restored, 'plinth');
		const after = new PostgresJobStore(other, week);
		expect((await after.get('acme', first.job.id))?.status).toBe('queued');
		expect(await after.events(cursor, { limit: 10 })).toEqual({ events: [], cursor, missed: false });
		expect((await after.events(lost, { limit: 10 })).missed).toBe(true);
		const next = await after.create(newJob());
		for (const from of [cursor, lost]) {
			const page = await after.events(from, { limit: 10 });
			expect(page.events.map(({ jobId }) => jobId)).toEqual([next.job.id]);
		}
		await other.close();
	});
});
