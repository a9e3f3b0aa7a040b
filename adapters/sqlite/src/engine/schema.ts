import type { Connection } from './connection.ts';
import { isBusy } from './failures.ts';

/**
 * The migrations from an empty file to the current schema. `PRAGMA user_version` is the number of migrations that a
 * file has. The statements of a released migration never change. Times are in milliseconds since the Unix epoch.
 */
export const migrations: readonly string[] = [
	`
	CREATE TABLE jobs (
		id TEXT PRIMARY KEY,
		kind TEXT NOT NULL,
		tenant TEXT NOT NULL,
		principal TEXT NOT NULL,
		model TEXT NOT NULL,
		status TEXT NOT NULL,
		input TEXT NOT NULL,
		result TEXT,
		error TEXT,
		progress REAL NOT NULL DEFAULT 0,
		checkpoint TEXT,
		attempt INTEGER NOT NULL DEFAULT 0,
		max_attempts INTEGER NOT NULL,
		fence INTEGER NOT NULL DEFAULT 0,
		cancel_requested INTEGER NOT NULL DEFAULT 0,
		created_at INTEGER NOT NULL,
		started_at INTEGER,
		completed_at INTEGER,
		expires_at INTEGER,
		-- the worker of the last claim, for operators who inspect the table
		worker TEXT,
		lease_ms INTEGER NOT NULL DEFAULT 0,
		-- the time from which a claim takes or ends the job: the retry, or the end of the lease; null once ended
		claimable_at INTEGER,
		content_due_at INTEGER,
		record_due_at INTEGER,
		removed INTEGER NOT NULL DEFAULT 0,
		idempotency_key TEXT,
		fingerprint TEXT,
		-- the highest retry count that made or received this job
		received_retry INTEGER NOT NULL DEFAULT 0
	) STRICT;
	CREATE INDEX jobs_page ON jobs (tenant, kind, id) WHERE removed = 0;
	CREATE INDEX jobs_claimable ON jobs (created_at, id, claimable_at, kind, tenant) WHERE claimable_at IS NOT NULL;
	CREATE INDEX jobs_pending ON jobs (kind, tenant) WHERE claimable_at IS NOT NULL;
	CREATE INDEX jobs_content_due ON jobs (content_due_at) WHERE content_due_at IS NOT NULL;
	CREATE INDEX jobs_record_due ON jobs (record_due_at) WHERE record_due_at IS NOT NULL;
	CREATE INDEX jobs_key ON jobs (tenant, principal, idempotency_key, created_at)
		WHERE removed = 0 AND idempotency_key IS NOT NULL;
	CREATE INDEX jobs_fingerprint ON jobs (tenant, principal, fingerprint, created_at, id)
		WHERE removed = 0 AND fingerprint IS NOT NULL;

	-- AUTOINCREMENT: a cursor must never be reused after old events were trimmed
	CREATE TABLE events (
		seq INTEGER PRIMARY KEY AUTOINCREMENT,
		type TEXT NOT NULL,
		job_id TEXT NOT NULL,
		kind TEXT NOT NULL,
		tenant TEXT NOT NULL,
		at INTEGER NOT NULL,
		data TEXT NOT NULL
	) STRICT;
	CREATE INDEX events_job ON events (job_id, seq);
	CREATE INDEX events_tenant ON events (tenant, seq);
	CREATE INDEX events_at ON events (at);

	CREATE TABLE messages (
		seq INTEGER PRIMARY KEY,
		job_id TEXT NOT NULL UNIQUE,
		kind TEXT NOT NULL,
		tenant TEXT NOT NULL
	) STRICT;
	CREATE INDEX messages_turn ON messages (kind, tenant, seq);

	CREATE TABLE records (
		tenant TEXT NOT NULL,
		collection TEXT NOT NULL,
		id TEXT NOT NULL,
		value TEXT NOT NULL,
		version INTEGER NOT NULL,
		updated_at INTEGER NOT NULL,
		index_value TEXT,
		PRIMARY KEY (tenant, collection, id)
	) STRICT, WITHOUT ROWID;
	CREATE INDEX records_index ON records (tenant, collection, index_value, id) WHERE index_value IS NOT NULL;
	`,
	`
	-- the call that ended the attempt with the current fence, to recognise a repeated call; null while it runs
	ALTER TABLE jobs ADD COLUMN ended_by TEXT;
	DROP INDEX jobs_claimable;
	CREATE INDEX jobs_claimable ON jobs (kind, id, claimable_at, tenant) WHERE claimable_at IS NOT NULL;
	`,
	`
	-- where to report the end, as JSON; null: nowhere
	ALTER TABLE jobs ADD COLUMN callback TEXT;
	DROP INDEX jobs_pending;
	CREATE INDEX jobs_pending ON jobs (kind, tenant, id) WHERE claimable_at IS NOT NULL;
	-- the log is trimmed from its start, in the order of seq
	DROP INDEX events_at;
	`,
	`
	-- the oldest job of a tenant comes first, whatever the time of its message
	DROP INDEX messages_turn;
	CREATE INDEX messages_turn ON messages (kind, tenant, job_id);
	`,
	`
	-- the store hands out jobs, so there is no separate queue
	DROP TABLE messages;
	DROP INDEX jobs_claimable;
	DROP INDEX jobs_pending;
	-- the time from which a take hands the job out or ends it: 0, the retry, or the lease's end; null once ended
	ALTER TABLE jobs RENAME COLUMN claimable_at TO due_at;
	UPDATE jobs SET due_at = 0 WHERE status = 'queued' AND due_at <= created_at;
	-- since when no worker offers the model; null while one does
	ALTER TABLE jobs ADD COLUMN unoffered_since INTEGER;
	CREATE INDEX jobs_pending ON jobs (kind, tenant, id, due_at, model) WHERE due_at IS NOT NULL;
	CREATE INDEX jobs_spent ON jobs (kind, due_at)
		WHERE due_at IS NOT NULL AND (cancel_requested = 1 OR attempt >= max_attempts);
	CREATE INDEX jobs_unoffered ON jobs (kind, model) WHERE unoffered_since IS NOT NULL;

	-- the tenant that got a job last
	CREATE TABLE turns (kind TEXT PRIMARY KEY, tenant TEXT NOT NULL) STRICT, WITHOUT ROWID;

	-- the models of each worker, as a JSON array; null stands for every model
	CREATE TABLE offers (
		kind TEXT NOT NULL,
		worker TEXT NOT NULL,
		models TEXT,
		seen_at INTEGER NOT NULL,
		PRIMARY KEY (kind, worker)
	) STRICT, WITHOUT ROWID;

	-- tasks that one process at a time does
	CREATE TABLE duties (name TEXT PRIMARY KEY, holder TEXT NOT NULL, until INTEGER NOT NULL) STRICT, WITHOUT ROWID;
	`,
	`
	-- the id of this store; the blob store has the same id
	CREATE TABLE identity (id TEXT NOT NULL) STRICT;
	INSERT INTO identity (id) VALUES (lower(hex(randomblob(16))));
	`,
];

/** The file was written by a newer version of this adapter. */
class NewerSchema extends Error {
	constructor(version: number) {
		super(`The file has schema version ${version} and this version of @plinth/sqlite knows ${migrations.length}.`);
		this.name = 'NewerSchema';
	}
}

/**
 * Migrates a file to the current schema, in WAL mode. Safe when several processes do it at once. Throws {@link
 * NewerSchema}.
 */
export function prepareFile(connection: Connection, timeoutMs: number): void {
	enableWal(connection, timeoutMs);
	// Returns before the first write, which would fail on a full disk.
	if (hasCurrentSchema(connection)) return;
	connection.exec('BEGIN IMMEDIATE');
	try {
		const version = versionOf(connection);
		if (version > migrations.length) throw new NewerSchema(version);
		for (const step of migrations.slice(version)) connection.exec(step);
		connection.exec(`PRAGMA user_version = ${migrations.length}`);
		connection.exec('COMMIT');
	} catch (error) {
		if (connection.inTransaction) connection.exec('ROLLBACK');
		throw error;
	}
}

/** Whether the file has all migrations, and none of a later version. */
export function hasCurrentSchema(connection: Connection): boolean {
	return versionOf(connection) === migrations.length;
}

function versionOf(connection: Connection): number {
	return connection.get<readonly [number]>('PRAGMA user_version')?.[0] ?? 0;
}

/** SQLite does not wait for locks while it changes the journal mode, so two processes on a new file need this loop. */
function enableWal(connection: Connection, timeoutMs: number): void {
	const deadline = performance.now() + timeoutMs;
	for (;;) {
		try {
			connection.exec('PRAGMA journal_mode = WAL');
			return;
		} catch (error) {
			if (!isBusy(error) || performance.now() > deadline) throw error;
			Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
		}
	}
}
