/** The statements and rows of dumps of jobs and events, for a schema of the name `plinth`. */
import type { JobEvent, StoredJob } from '@plinth/core';

/** The members of a stored job in the order of its row; columns have the same names, in snake case. */
const members = [
	...(['id', 'kind', 'tenant', 'principal', 'model', 'status', 'input', 'result', 'error', 'progress'] as const),
	...(['checkpoint', 'attempt', 'maxAttempts', 'fence', 'cancelRequested', 'createdAt', 'startedAt'] as const),
	...(['completedAt', 'expiresAt', 'callback', 'dueAt', 'leaseMs', 'endedBy', 'unofferedSince'] as const),
	...(['contentDueAt', 'recordDueAt', 'removed', 'idempotencyKey', 'fingerprint', 'receivedRetry'] as const),
] satisfies readonly (keyof StoredJob)[];

const json: readonly string[] = ['input', 'result', 'error', 'checkpoint', 'callback'];

const columnOf = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Members that are not simply the column of their name. The row of an ended job may still have a `due_at`. */
const expressions: Readonly<Record<string, string>> = {
	progress: 'coalesce(l.progress, j.progress)',
	dueAt: 'CASE WHEN j.completed_at IS NULL AND NOT j.removed THEN coalesce(l.until, j.due_at) END',
	leaseMs: 'coalesce(l.lease_ms, 0)',
};

const selectStored = `SELECT ${members.map((name) => expressions[name] ?? `j.${columnOf(name)}`).join(', ')}
	FROM plinth.jobs j LEFT JOIN plinth.leases l ON l.job_id = j.id`;

/** Values: the id after which the page starts. */
export const selectStoredPage = `${selectStored} WHERE j.id > $1 ORDER BY j.id LIMIT 200`;
/** Values: ids. */
export const selectStoredOf = `${selectStored} WHERE j.id = ANY ($1)`;

const selectEvents = 'SELECT e.place, e.type, e.job_id, e.kind, e.tenant, e.at, e.data FROM plinth.events e';
/** Values: the place after which the page starts. */
export const selectEventPage = `${selectEvents} WHERE e.place > $1 ORDER BY e.place LIMIT 200`;
/** Values: places. */
export const selectEventsOf = `${selectEvents} WHERE e.place = ANY ($1)`;

export const selectStore = `SELECT i.id, EXISTS (SELECT FROM plinth.jobs) FROM plinth.identity i`;

/** Values: jobs, events; identity, trimmed place and head of the store, or null. One statement is one transaction. */
export const load = `
	WITH jobs AS (
		INSERT INTO plinth.jobs SELECT * FROM jsonb_populate_recordset(NULL::plinth.jobs, $1::jsonb)
		ON CONFLICT (id) DO NOTHING
		RETURNING *
	), leases AS (
		INSERT INTO plinth.leases (job_id, kind, fence, until, lease_ms, progress, cancel, worker)
		SELECT j.id, j.kind, j.fence, r.until, r.lease_ms, j.progress, j.cancel_requested, ''
		FROM jobs j JOIN jsonb_to_recordset($1::jsonb) AS r(id text, until bigint, lease_ms bigint) ON r.id = j.id
		WHERE r.until IS NOT NULL
	), events AS (
		INSERT INTO plinth.events (place, type, job_id, kind, tenant, at, data) OVERRIDING SYSTEM VALUE
		SELECT r.* FROM jsonb_to_recordset($2::jsonb)
			AS r(place bigint, type text, job_id text, kind text, tenant text, at bigint, data text)
		ON CONFLICT (place) DO NOTHING
	), identity AS (
		UPDATE plinth.identity SET id = $3 WHERE $3::text IS NOT NULL
	), log AS (
		UPDATE plinth.log SET trimmed = greatest(trimmed, $4::bigint)
	)
	SELECT setval(pg_get_serial_sequence('plinth.events', 'place'), $5::bigint) WHERE $5::bigint > 0`;

/** The job in a row. */
export function toStored(row: readonly unknown[]): StoredJob {
	const entries = members.map((name, index) => {
		const value = row[index];
		return [name, json.includes(name) && value !== null ? JSON.parse(String(value)) : value] as const;
	});
	return Object.fromEntries(entries) as unknown as StoredJob;
}

/** The row of a job, and of its lease. */
export function toRow(job: StoredJob): Readonly<Record<string, unknown>> {
	const entries = members.map((name) => {
		const value = job[name];
		return [columnOf(name), json.includes(name) && value !== null ? JSON.stringify(value) : value] as const;
	});
	const isLeased = job.status === 'in_progress' && !job.removed;
	return { ...Object.fromEntries(entries), ...(isLeased && { due_at: null, until: job.dueAt }) };
}

/** The row of an event, with its place in the log. */
export function toEventRow({ cursor, type, jobId, kind, tenant, at, data }: JobEvent) {
	return { place: Number(cursor), type, job_id: jobId, kind, tenant, at, data: JSON.stringify(data) };
}
