import { mkdir, stat, symlink, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { JobQueue, JobStore, Logger, NewJob, RecordStore } from '@plinth/core';
import { createBackend, eventually, manualClock, silentLogger } from '@plinth/core/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Connection } from '../src/engine/connection.ts';
import { openDatabase } from '../src/engine/database.ts';
import { runGroup } from '../src/engine/group.ts';
import { prepareFile } from '../src/engine/schema.ts';
import { toError } from '../src/errors.ts';
import { sqliteJobs, sqliteQueue, sqliteRecords } from '../src/index.ts';
import * as sql from '../src/jobs/statements.ts';
import { temporaryFile } from './subject.ts';

let file: string;
let remove: () => Promise<void>;

beforeEach(async () => {
	({ file, remove } = await temporaryFile());
});

afterEach(() => remove());

const newJob = (id: string): NewJob => ({
	id: `video_${id}`,
	kind: 'video',
	tenant: 'acme',
	principal: 'key_1',
	model: 'sora-2',
	input: {},
	maxAttempts: 5,
});

const openJobs = (path = file, log: Logger = silentLogger()) =>
	createBackend<JobStore>(sqliteJobs({ file: path }), { log });

describe('the writer thread', () => {
	test('commits what arrives in one turn as one group', async () => {
		const { database, close } = await openDatabase(file, silentLogger());
		const put = (id: string) =>
			database.write('records.put', {
				tenant: 'acme',
				collection: 'c',
				id,
				value: '{}',
				index: null,
				ifVersion: null,
				now: 1,
			});
		await Promise.all(['a', 'b', 'c', 'd'].map(put));
		expect(database.writer.groups).toBe(1);
		await close();
	});

	test('commits what arrives during a commit as the next group', async () => {
		const { database, close } = await openDatabase(file, silentLogger());
		const remove = (id: string) =>
			database.write('records.delete', { tenant: 'acme', collection: 'c', id });
		const first = remove('a');
		await Promise.resolve();
		const second = [remove('b'), remove('c'), remove('d')];
		await Promise.all([first, ...second]);
		expect(database.writer.groups).toBe(2);
		await close();
	});

	test('an error of one member of a group leaves the others standing', async () => {
		const { provided: store, stop } = await openJobs();
		const answers = await Promise.allSettled([
			store.create(newJob('1')),
			store.create(newJob('1')),
			store.create(newJob('2')),
		]);
		expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
		expect(await store.pending('video')).toBe(2);
		await stop();
	});

	test('serves every backend on one file, however its path is spelled', async () => {
		await mkdir(join(dirname(file), 'sub'));
		await symlink(dirname(file), join(dirname(file), 'link'));
		const spellings = [
			file,
			join(dirname(file), 'sub/../plinth.db'),
			join(dirname(file), 'link/plinth.db'),
		];
		const handles = await Promise.all(spellings.map((path) => openDatabase(path, silentLogger())));
		expect(new Set(handles.map(({ database }) => database)).size).toBe(1);
		for (const { close } of handles) await close();
	});

	test('goes on until the last backend on its file has stopped', async () => {
		const jobs = await openJobs();
		const records = await createBackend<RecordStore>(sqliteRecords({ file }));
		await jobs.stop();
		expect(await records.provided.put({ tenant: 't', collection: 'c' }, 'a', {})).toBe(1);
		await records.stop();
	});

	test('commits what waits before it closes', async () => {
		const first = await openJobs();
		const created = first.provided.create(newJob('1'));
		await first.stop();
		await created;
		const second = await openJobs();
		expect(await second.provided.pending('video')).toBe(1);
		await second.stop();
	});

	test('that dies rejects its callers, and the next write starts another', async () => {
		const { database, close } = await openDatabase(file, silentLogger());
		const broken = database.write('no.such' as 'records.delete', undefined as never);
		await expect(broken).rejects.toThrow('SQLite refused');
		const lost = database.write('records.delete', { tenant: 't', collection: 'c', id: 'a' });
		database.writer.kill();
		await expect(lost).rejects.toMatchObject({ code: 'E_STORE_UNAVAILABLE' });
		const after = database.write('records.delete', { tenant: 't', collection: 'c', id: 'a' });
		expect(await after).toBe(false);
		await close();
	});
});

describe('a group', () => {
	test('on a full disk rejects what does not fit and keeps what does', () => {
		const connection = new Connection(file);
		prepareFile(connection, 1_000);
		const { page_count } = connection.get<{ page_count: number }>('PRAGMA page_count') ?? {
			page_count: 0,
		};
		connection.exec(`PRAGMA max_page_count = ${page_count + 4}`);
		const put = (name: string, bytes: number) => ({ name, input: 'x'.repeat(bytes) });
		const outcomes = runGroup(
			connection,
			[put('a', 100), put('b', 100_000), put('c', 100)],
			(db, { name, input }) =>
				db.run(`INSERT INTO records VALUES ('t', 'c', $name, $value, 1, 1, NULL)`, {
					name,
					value: input as string,
				}),
		);
		expect(outcomes.map(({ ok }) => ok)).toEqual([true, false, true]);
		const failure = outcomes[1]?.ok === false ? outcomes[1].failure : expect.fail();
		expect(toError(failure, file)).toMatchObject({ code: 'E_STORE_FULL' });
		expect(connection.all('SELECT id FROM records ORDER BY id').length).toBe(2);
		connection.close();
	});

	test('that cannot get the lock reports the file as unavailable', () => {
		const holder = new Connection(file);
		prepareFile(holder, 1_000);
		const other = new Connection(file);
		other.exec('PRAGMA busy_timeout = 0');
		holder.exec('BEGIN IMMEDIATE');
		const [outcome] = runGroup(other, [{ name: 'x', input: null }], () => 1);
		const failure = outcome?.ok === false ? outcome.failure : expect.fail();
		expect(toError(failure, file)).toMatchObject({ code: 'E_STORE_UNAVAILABLE' });
		holder.exec('ROLLBACK');
		holder.close();
		other.close();
	});
});

describe('the file', () => {
	test('and its directory are readable by their owner only', async () => {
		const path = join(dirname(file), 'data/plinth.db');
		const { provided, stop } = await openJobs(path);
		await provided.create(newJob('1'));
		const modes = await Promise.all(
			[dirname(path), path, `${path}-wal`].map(async (name) => (await stat(name)).mode & 0o777),
		);
		expect(modes).toEqual([0o700, 0o600, 0o600]);
		await stop();
	});

	test('of a newer version is refused', async () => {
		const connection = new Connection(file);
		connection.exec('PRAGMA user_version = 99');
		connection.close();
		await expect(openJobs()).rejects.toMatchObject({ code: 'E_SQLITE_NEWER' });
	});

	test('that is no database is refused, and can be opened once it is one', async () => {
		await writeFile(
			file,
			'this is a text, and long enough to be looked at as a header of a database',
		);
		await expect(openJobs()).rejects.toMatchObject({ code: 'E_STORE_UNAVAILABLE' });
		await unlink(file);
		const { stop } = await openJobs();
		await stop();
	});

	test('in a place that cannot be written is refused', async () => {
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
		['claimable', sql.claimable],
		['dueRecords', sql.dueRecords],
		['dueContents', sql.dueContents],
		['countPending', sql.countPending],
		['countPendingOf', sql.countPendingOf],
		['selectByKey', sql.selectByKey],
		['selectByFingerprint', sql.selectByFingerprint],
		['a page', sql.selectPage('desc', false)],
		['events', sql.selectEvents(false, false)],
		['events of a tenant', sql.selectEvents(true, false)],
		['events of a job', sql.selectEvents(true, true)],
		['trimEvents', sql.trimEvents],
	])('%s: an index answers, without a sort', (_name, query) => {
		const connection = new Connection(file);
		prepareFile(connection, 1_000);
		const names = [...query.matchAll(/\$(\w+)/g)].map(([, name]) => [name, 1]);
		const plan = connection
			.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${query}`, Object.fromEntries(names))
			.map(({ detail }) => detail)
			.join('\n');
		expect(plan).toMatch(/USING (COVERING )?INDEX|USING INTEGER PRIMARY KEY/);
		expect(plan).not.toMatch(/TEMP B-TREE|SCAN \w+$/m);
		connection.close();
	});
});

describe('old events', () => {
	test('go with the sweep, once they are older than records are kept', async () => {
		const clock = manualClock();
		const { provided: store, stop } = await createBackend<JobStore>(
			sqliteJobs({ file, recordRetentionHours: 1 }),
			{ clock },
		);
		await store.create(newJob('1'));
		await clock.advance(3_600_001);
		await store.create(newJob('2'));
		await store.swept([]);
		const { events } = await store.events(undefined, { limit: 10 });
		expect(events.map(({ jobId }) => jobId)).toEqual(['video_2']);
		await stop();
	});
});

describe('the queue', () => {
	test('wakes consumers for messages of another process when it polls', async () => {
		const clock = manualClock();
		const { provided: queue, stop } = await createBackend<JobQueue>(sqliteQueue({ file }), {
			clock,
		});
		const seen: string[] = [];
		queue.consume('video', { concurrency: 1, perTenant: 1 }, async ({ jobId }) => {
			seen.push(jobId);
			return null;
		});
		const foreign = new Connection(file);
		foreign.exec(`INSERT INTO messages (job_id, kind, tenant) VALUES ('video_1', 'video', 'acme')`);
		foreign.close();
		await eventually('the message arrives', async () => {
			await clock.advance(200);
			return seen.length === 1;
		});
		await stop();
	});

	test('keeps what waits over a restart', async () => {
		const first = await createBackend<JobQueue>(sqliteQueue({ file }));
		await first.provided.enqueue({ jobId: 'video_1', kind: 'video', tenant: 'acme' });
		await first.stop();
		const second = await createBackend<JobQueue>(sqliteQueue({ file }));
		expect(await second.provided.depth('video')).toBe(1);
		await second.stop();
	});
});
