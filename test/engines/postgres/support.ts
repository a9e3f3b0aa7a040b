import type { Clock } from '@plinth/core';
import { type ManualClock, silentLogger } from '@plinth/testing';
import { type DatabaseHandle, openDatabase } from '../../../adapters/postgres/src/engine/database.ts';
import { PostgresJobStore } from '../../../adapters/postgres/src/jobs/store.ts';
import { PostgresRecordStore } from '../../../adapters/postgres/src/records/store.ts';
import { connection, statement } from '../support/postgres.ts';

const retentionMs = 168 * 3_600_000;

/** A handle with its own connections, as another process has. Handles with the same URL would share connections. */
export function handleOn(url: string, name: string): Promise<DatabaseHandle> {
	const own = new URL(url);
	own.searchParams.set('application_name', name);
	return openDatabase({ url: own.href, schema: 'plinth', migrate: true }, silentLogger());
}

/** Deletes all data, as in a new database. */
export async function empty(url: string): Promise<void> {
	const tables = ['jobs', 'leases', 'events', 'turns', 'offers', 'duties', 'records'];
	const statements = tables.map((table) => `DELETE FROM plinth.${table};`).join(' ');
	await statement(url, `${statements} UPDATE plinth.log SET trimmed = 0;`);
}

/** A job store with the given clock. */
export function jobsOn(handle: DatabaseHandle, clock: ManualClock): PostgresJobStore {
	return new PostgresJobStore(handle, retentionMs, clock);
}

/** A record store with the given clock. */
export function recordsOn(handle: DatabaseHandle, clock: ManualClock): PostgresRecordStore {
	return new PostgresRecordStore(handle, clock);
}

/** Appends an event in a transaction that stays open until the returned function is called. */
export async function holdOpen(url: string, jobId: string): Promise<() => Promise<void>> {
	const client = await connection(url);
	await client.query('BEGIN');
	await client.query('SELECT plinth.lock_log()');
	await client.query(
		`INSERT INTO plinth.events (type, job_id, kind, tenant, at, data)
			VALUES ('job.queued', $1, 'video', 'acme', 0, '{}')`,
		[jobId],
	);
	return async () => {
		await client.query('COMMIT');
		await client.end();
	};
}

/** The system clock. */
export function realClock(): Clock {
	return {
		now: () => Date.now(),
		after(ms, task) {
			const timer = setTimeout(task, ms);
			timer.unref();
			return () => clearTimeout(timer);
		},
	};
}
