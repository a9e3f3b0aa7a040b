import { mkdir, stat, symlink, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { JobStore, RecordStore } from '@plinth/core';
import { createBackend, silentLogger } from '@plinth/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Connection } from '../src/engine/connection.ts';
import { openDatabase } from '../src/engine/database.ts';
import { runGroup } from '../src/engine/group.ts';
import { prepareFile } from '../src/engine/schema.ts';
import { toError } from '../src/errors.ts';
import { sqliteJobs, sqliteRecords } from '../src/index.ts';
import { newJob, temporaryFile } from './subject.ts';

let file: string;
let remove: () => Promise<void>;

beforeEach(async () => {
	({ file, remove } = await temporaryFile());
});

afterEach(() => remove());

const openJobs = () => createBackend<JobStore>(sqliteJobs({ file }));

describe('the writer thread', () => {
	test('starts after the reads of a file with the current schema, and the first write waits for it', async () => {
		const first = await openDatabase(file, silentLogger());
		await first.close();
		let isRunning = false;
		process.once('worker', (worker) => worker.once('online', () => (isRunning = true)));
		const { database, close } = await openDatabase(file, silentLogger());
		expect(isRunning).toBe(false);
		expect(database.get('SELECT count(*) FROM jobs')).toEqual([0]);
		await database.write('records.delete', { tenant: 't', collection: 'c', id: 'a' });
		expect(isRunning).toBe(true);
		await close();
	});

	test('commits writes of one turn as one group', async () => {
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

	test('commits writes that arrive during a commit as the next group', async () => {
		const { database, close } = await openDatabase(file, silentLogger());
		const remove = (id: string) => database.write('records.delete', { tenant: 'acme', collection: 'c', id });
		const first = remove('a');
		await Promise.resolve();
		const second = [remove('b'), remove('c'), remove('d')];
		await Promise.all([first, ...second]);
		expect(database.writer.groups).toBe(2);
		await close();
	});

	test('keeps the other members of a group when one fails', async () => {
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

	test('is shared by all backends on one file, for any spelling of its path', async () => {
		await mkdir(join(dirname(file), 'sub'));
		await symlink(dirname(file), join(dirname(file), 'link'));
		const spellings = [file, join(dirname(file), 'sub/../plinth.db'), join(dirname(file), 'link/plinth.db')];
		const handles = await Promise.all(spellings.map((path) => openDatabase(path, silentLogger())));
		expect(new Set(handles.map(({ database }) => database)).size).toBe(1);
		for (const { close } of handles) await close();
	});

	test('runs until the last backend on its file has stopped', async () => {
		const jobs = await openJobs();
		const records = await createBackend<RecordStore>(sqliteRecords({ file }));
		await jobs.stop();
		expect(await records.provided.put({ tenant: 't', collection: 'c' }, 'a', {})).toBe(1);
		await records.stop();
	});

	test('commits waiting writes before it closes', async () => {
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

	test('rejects only the write with a value that cannot be sent', async () => {
		const { database, close } = await openDatabase(file, silentLogger());
		const remove = (id: unknown) =>
			database.write('records.delete', { tenant: 't', collection: 'c', id: id as string });
		const answers = await Promise.allSettled([remove('a'), remove(() => {}), remove('b')]);
		expect(answers).toMatchObject([
			{ status: 'fulfilled', value: false },
			{ status: 'rejected', reason: { name: 'TypeError', cause: { name: 'DataCloneError' } } },
			{ status: 'fulfilled', value: false },
		]);
		await close();
	});

	test('continues after a group of which nothing could be sent', async () => {
		const { database, close } = await openDatabase(file, silentLogger());
		const remove = (id: unknown) =>
			database.write('records.delete', { tenant: 't', collection: 'c', id: id as string });
		await expect(remove(Symbol('a'))).rejects.toThrow('records.delete');
		expect(await remove('b')).toBe(false);
		await close();
	});

	test('rejects writes after its database was closed, and does not reopen the file', async () => {
		const { database, close } = await openDatabase(file, silentLogger());
		const remove = () => database.write('records.delete', { tenant: 't', collection: 'c', id: 'a' });
		const closing = close();
		await expect(remove()).rejects.toMatchObject({ code: 'E_STORE_UNAVAILABLE' });
		await closing;
		await unlink(file);
		await expect(remove()).rejects.toMatchObject({ code: 'E_STORE_UNAVAILABLE' });
		await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' });
	});
});

describe('a group', () => {
	test('on a full disk rejects the writes that do not fit and keeps the others', () => {
		const connection = new Connection(file);
		prepareFile(connection, 1_000);
		const [pages = 0] = connection.get<readonly [number]>('PRAGMA page_count') ?? [];
		connection.exec(`PRAGMA max_page_count = ${pages + 4}`);
		const put = (name: string, bytes: number) => ({ name, input: 'x'.repeat(bytes) });
		const outcomes = runGroup(connection, [put('a', 100), put('b', 100_000), put('c', 100)], (db, { name, input }) =>
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

	test('rolls back everything that a failed command wrote, and nothing else', () => {
		const connection = new Connection(file);
		prepareFile(connection, 1_000);
		const put = `INSERT INTO records VALUES ('t', 'c', ?, 'v', 1, 1, NULL) RETURNING id`;
		const commands = ['a', 'b', 'c'].map((name) => ({ name, input: null }));
		const outcomes = runGroup(connection, commands, (db, { name }) => {
			const row = db.get<readonly [string]>(put, name);
			if (name === 'b') throw new Error('failed after its first write');
			return row?.[0];
		});
		expect(outcomes).toEqual([
			{ ok: true, value: 'a' },
			{ ok: false, failure: { kind: 'other', message: 'failed after its first write' } },
			{ ok: true, value: 'c' },
		]);
		const rows = connection.all<readonly [string]>('SELECT id FROM records ORDER BY id');
		expect(rows.map(([id]) => id)).toEqual(['a', 'c']);
		connection.close();
	});

	test('is executed once when the failed commands wrote nothing', () => {
		const connection = new Connection(file);
		prepareFile(connection, 1_000);
		const put = `INSERT INTO records VALUES ('t', 'c', $name, 'v', 1, 1, NULL)`;
		const reported: string[] = [];
		const commands = ['a', 'a', 'b'].map((name) => ({ name, input: null }));
		const outcomes = runGroup(connection, commands, (db, { name }) => {
			reported.push(name);
			return db.run(put, { name });
		});
		expect(outcomes.map(({ ok }) => ok)).toEqual([true, false, true]);
		expect(reported).toEqual(['a', 'a', 'b']);
		expect(connection.all('SELECT id FROM records')).toHaveLength(2);
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
