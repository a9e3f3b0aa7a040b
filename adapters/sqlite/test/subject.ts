import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JobStore, NewJob } from '@plinth/core';
import { type ManualClock, silentLogger } from '@plinth/testing';
import { Connection } from '../src/engine/connection.ts';
import { Database } from '../src/engine/database.ts';
import { SqliteJobStore } from '../src/jobs/store.ts';

// These tests make thousands of commits. A disk in memory, if there is one, makes them fast.
const disk = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** A file path in a new directory, and a function that removes it. */
export async function temporaryFile(): Promise<{ file: string; remove(): Promise<void> }> {
	const directory = await mkdtemp(join(disk, 'plinth-sqlite-'));
	return {
		file: join(directory, 'plinth.db'),
		remove: () => rm(directory, { recursive: true, force: true }),
	};
}

/** Deletes all rows of a file. */
export function empty(file: string): void {
	const connection = new Connection(file);
	connection.exec(`BEGIN IMMEDIATE;
		DELETE FROM jobs; DELETE FROM events; DELETE FROM turns; DELETE FROM offers; DELETE FROM duties;
		DELETE FROM records; DELETE FROM sqlite_sequence;
		COMMIT`);
	connection.close();
}

/** A second handle on a file, with its own connection and writer thread, as another process has. */
export async function peerOf(
	file: string,
	clock: ManualClock,
): Promise<{ readonly store: JobStore; close(): Promise<void> }> {
	const database = await Database.open(file, silentLogger());
	const store = new SqliteJobStore(database, clock, 168 * 3_600_000);
	return { store, close: () => database.close() };
}

/** Appends an event in a transaction that stays open until the returned function is called. */
export async function holdOpen(file: string, jobId: string): Promise<() => Promise<void>> {
	const connection = new Connection(file);
	connection.exec('BEGIN IMMEDIATE');
	connection.run(
		"INSERT INTO events (type, job_id, kind, tenant, at, data) VALUES ('job.queued', $jobId, 'video', 'acme', 0, '{}')",
		{ jobId },
	);
	return async () => {
		connection.exec('COMMIT');
		connection.close();
	};
}

/** A job with the id `video_` and `id`. */
export const newJob = (id: string): NewJob => ({
	id: `video_${id}`,
	kind: 'video',
	tenant: 'acme',
	principal: 'key_1',
	model: 'sora-2',
	input: {},
	maxAttempts: 5,
});
