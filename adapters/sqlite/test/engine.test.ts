import { readFile, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { JobStore, Logger } from '@plinth/core';
import { createBackend, manualClock, silentLogger } from '@plinth/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Connection } from '../src/engine/connection.ts';
import { migrations, prepareFile } from '../src/engine/schema.ts';
import { sqliteJobs } from '../src/index.ts';
import * as sql from '../src/jobs/statements.ts';
import { newJob, temporaryFile } from './subject.ts';

let file: string;
let remove: () => Promise<void>;

beforeEach(async () => {
	({ file, remove } = await temporaryFile());
});

afterEach(() => remove());

const openJobs = (path = file, log: Logger = silentLogger()) =>
	createBackend<JobStore>(sqliteJobs({ file: path }), { log });

describe('the file', () => {
	test('and its directory are accessible only to their owner', async () => {
		const path = join(dirname(file), 'data/plinth.db');
		const { provided, stop } = await openJobs(path);
		await provided.create(newJob('1'));
		const modes = await Promise.all(
			[dirname(path), path, `${path}-wal`].map(async (name) => (await stat(name)).mode & 0o777),
		);
		expect(modes).toEqual([0o700, 0o600, 0o600]);
		await stop();
	});

	test('of a newer version is rejected', async () => {
		const connection = new Connection(file);
		connection.exec('PRAGMA user_version = 99');
		connection.close();
		await expect(openJobs()).rejects.toMatchObject({ code: 'E_SQLITE_NEWER' });
	});

	test('that is no database is rejected, and can be opened after it is replaced by one', async () => {
		await writeFile(file, 'this is a text, and long enough to be looked at as a header of a database');
		await expect(openJobs()).rejects.toMatchObject({ code: 'E_STORE_UNAVAILABLE' });
		await unlink(file);
		const { stop } = await openJobs();
		await stop();
	});

	test('that is damaged is reported as unavailable, with the reason', async () => {
		const first = await openJobs();
		for (let n = 0; n < 50; n += 1) await first.provided.create(newJob(`${n}`.padStart(3, '0')));
		await first.stop();
		const bytes = await readFile(file);
		await writeFile(file, bytes.fill(0xff, 4_096));
		const { provided: store, stop } = await openJobs();
		const damaged = {
			code: 'E_STORE_UNAVAILABLE',
			cause: { message: expect.stringContaining('malformed') },
		};
		await expect(store.get('acme', 'video_001')).rejects.toMatchObject(damaged);
		await expect(store.create(newJob('new'))).rejects.toMatchObject(damaged);
		await stop();
	});

	test.each([1, 2, 3, 4])('of version %i is migrated and keeps its jobs', async (version) => {
		const older = new Connection(file);
		for (const step of migrations.slice(0, version)) older.exec(step);
		const columns = 'id, kind, tenant, principal, model, status, input, max_attempts, created_at';
		const values = "'video', 'acme', 'key_1', 'm', 'queued', '{}', 5, 1";
		for (const [id, dueAt] of [
			['video_1', 1],
			['video_3', 9e15],
		])
			older.exec(`INSERT INTO jobs (${columns}, claimable_at) VALUES ('${id}', ${values}, ${dueAt})`);
		older.exec(`PRAGMA user_version = ${version}`);
		older.close();
		const { provided: store, stop } = await openJobs();
		const [claim, ...others] = await store.take('video', 'w', { leaseMs: 1_000, count: 10 });
		expect([claim?.job.id, others]).toEqual(['video_1', []]);
		expect(await store.release('video_1', claim?.fence ?? 0)).toBe(true);
		const callback = { url: 'https://client.example', secret: null };
		await store.create({ ...newJob('2'), callback });
		for (const id of ['video_1', 'video_2']) await store.requestCancel('acme', id);
		const { events } = await store.events(undefined, { limit: 10 });
		const ends = events.filter(({ type }) => type === 'job.failed');
		expect(ends.map(({ data }) => data.callback)).toEqual([undefined, callback]);
		await stop();
	});

	test('in a read-only place is rejected', async () => {
		await writeFile(file, '');
		await expect(openJobs(join(file, 'below/plinth.db'))).rejects.toMatchObject({
			code: 'E_STORE_UNAVAILABLE',
		});
	});

	test('may not be ":memory:"', async () => {
		await expect(openJobs(':memory:')).rejects.toThrow('@plinth/memory');
	});
});

describe('the queries', () => {
	test.each([
		['oldestDue', sql.selectOldestDue(true, true)],
		['selectSpent', sql.selectSpent],
		['nextTenant', sql.nextTenant],
		['endSpent', sql.endSpent],
		['noteOffered', sql.noteOffered],
		['endUnoffered', sql.endUnoffered],
		['selectLook', sql.selectLook],
		['selectTenants', sql.selectTenants],
		['selectEnding', sql.selectEnding],
		['dueRecords', sql.dueRecords],
		['dueContents', sql.dueContents],
		['cutLeases', sql.cutLeases],
		['selectKnown', sql.selectKnown],
		['countPending', sql.countPending],
		['countPendingOf', sql.countPendingOf],
		['selectByKey', sql.selectByKey],
		['selectByFingerprint', sql.selectByFingerprint],
		['a page', sql.selectPage({ order: 'desc', after: 'video_1' })],
		['a pending page', sql.selectPage({ order: 'desc', after: 'video_1', pending: true })],
		['events', sql.selectEvents(false, false)],
		['events of a tenant', sql.selectEvents(true, false)],
		['events of a job', sql.selectEvents(true, true)],
		['trimEvents', sql.trimEvents],
	])('%s: uses an index and no sort', (_name, query) => {
		const connection = new Connection(file);
		prepareFile(connection, 1_000);
		const names = [...query.matchAll(/\$(\w+)/g)].map(([, name]) => [name, 1]);
		const plan = connection
			.all<PlanRow>(`EXPLAIN QUERY PLAN ${query}`, Object.fromEntries(names))
			.map(([, , , detail]) => detail)
			.join('\n');
		expect(plan).toMatch(/USING (COVERING )?INDEX|USING INTEGER PRIMARY KEY/);
		expect(plan).not.toMatch(/TEMP B-TREE|SCAN \w+$/m);
		connection.close();
	});
});

type PlanRow = readonly [id: number, parent: number, unused: number, detail: string];

test('the search for the next job reads only its index', () => {
	const connection = new Connection(file);
	prepareFile(connection, 1_000);
	const plan = connection.all<PlanRow>(`EXPLAIN QUERY PLAN ${sql.selectOldestDue(false, false)}`);
	expect(plan[0]?.[3]).toBe('SEARCH jobs USING COVERING INDEX jobs_pending (kind=? AND tenant=?)');
	connection.close();
});

test.each(['asc', 'desc'] as const)('a page of pending jobs (%s) reads no ended job', (order) => {
	const connection = new Connection(file);
	prepareFile(connection, 1_000);
	const parameters = { tenant: 'acme', kind: 'video', after: '', limit: 1 };
	const query = `EXPLAIN QUERY PLAN ${sql.selectPage({ order, after: 'video_1', pending: true })}`;
	const plan = connection.all<PlanRow>(query, parameters);
	expect(plan.map(([, , , detail]) => detail)).toEqual([
		`SEARCH jobs USING INDEX jobs_pending (kind=? AND tenant=? AND id${order === 'asc' ? '>' : '<'}?)`,
	]);
	connection.close();
});

test('a retention of a fraction of an hour may end between two milliseconds', async () => {
	const { provided: store, stop } = await createBackend<JobStore>(sqliteJobs({ file, recordRetentionHours: 1 / 7 }));
	await store.create(newJob('1'));
	const [claim] = await store.take('video', 'worker-1', { leaseMs: 1_000, count: 1 });
	const completion = { result: {}, retentionMs: null };
	expect(await store.complete('video_1', claim?.fence ?? 0, completion)).toBe(true);
	await stop();
});

describe('old events', () => {
	test('are removed by the sweep when they are older than the retention of records', async () => {
		const clock = manualClock();
		const { provided: store, stop } = await createBackend<JobStore>(sqliteJobs({ file, recordRetentionHours: 1 }), {
			clock,
		});
		await store.create(newJob('1'));
		await clock.advance(3_600_001);
		await store.create(newJob('2'));
		await store.tidy();
		const { events } = await store.events(undefined, { limit: 10 });
		expect(events.map(({ jobId }) => jobId)).toEqual(['video_2']);
		await stop();
	});
});
