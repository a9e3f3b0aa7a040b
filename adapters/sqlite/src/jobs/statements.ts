/** The SQL of the job store. Columns are explained in `engine/schema.ts`. */
import type { JobListOptions } from '@plinth/core';

const owned = `id = $id AND fence = $fence AND status = 'in_progress' AND removed = 0`;
const visible = `tenant = $tenant AND id = $id AND removed = 0`;

/** The columns of `SubjectRow`. Returning whole rows would take as long as the write itself. */
const subjectColumns = 'id, kind, tenant, attempt, error, callback';

/** The columns of `JobRow`. */
const jobColumns = `id, kind, tenant, principal, model, status, input, result, error, progress, checkpoint, attempt,
	max_attempts, fence, cancel_requested, created_at, started_at, completed_at, expires_at, callback`;

/** Parameters: tenant, id. */
export const selectJob = `SELECT ${jobColumns} FROM jobs WHERE tenant = ? AND id = ? AND removed = 0`;

/** Parameters: the columns in their order. */
export const insertJob = `
	INSERT INTO jobs (id, kind, tenant, principal, model, status, input, max_attempts, callback, created_at, due_at,
		idempotency_key, fingerprint, received_retry)
	VALUES (?, ?, ?, ?, ?, 'queued', ?, ?, ?, ?, 0, ?, ?, ?)
	RETURNING ${jobColumns}`;

export const selectByKey = `
	SELECT id, fingerprint FROM jobs
	WHERE removed = 0 AND tenant = $tenant AND principal = $principal AND idempotency_key = $key
		AND created_at >= $since
	ORDER BY created_at DESC LIMIT 1`;

export const selectByFingerprint = `
	SELECT id, received_retry FROM jobs
	WHERE removed = 0 AND tenant = $tenant AND principal = $principal AND fingerprint = $fingerprint
		AND created_at >= $since
	ORDER BY created_at DESC LIMIT 1`;

export const markReceived = `UPDATE jobs SET received_retry = $retry WHERE id = $id`;

const spent = `FROM jobs INDEXED BY jobs_spent
	WHERE due_at IS NOT NULL AND (cancel_requested = 1 OR attempt >= max_attempts)`;

/** Whether there is a due job that may not run again. Parameters: kind, now. */
export const selectSpent = `SELECT 1 ${spent} AND kind = ? AND due_at <= ? LIMIT 1`;

/** Ends due jobs that may not run again, except those in `$running`, which their attempts end. */
export const endSpent = `
	UPDATE jobs SET status = 'failed', error = iif(cancel_requested, $cancelled, $exhausted), completed_at = $now,
		due_at = NULL, content_due_at = $now, record_due_at = $recordDueAt
	WHERE id IN (SELECT id ${spent} AND kind = $kind AND due_at <= $now)
		AND id NOT IN (SELECT value FROM json_each($running))
	RETURNING ${subjectColumns}`;

/** The first tenant after a given one that has a queued or running job. Parameters: kind, the given tenant. */
export const nextTenant = `
	SELECT tenant FROM jobs INDEXED BY jobs_pending
	WHERE due_at IS NOT NULL AND kind = ? AND tenant > ? ORDER BY tenant LIMIT 1`;

/**
 * The oldest due job of a tenant, after `endSpent` has run. Parameters: kind, tenant, now, and as JSON arrays the
 * models (with `byModels`) and the ids of running jobs (with `butRunning`).
 */
export function selectOldestDue(byModels: boolean, butRunning: boolean): string {
	return `SELECT id FROM jobs INDEXED BY jobs_pending
		WHERE due_at IS NOT NULL AND kind = ? AND tenant = ? AND due_at <= ?
			${byModels ? 'AND model IN (SELECT value FROM json_each(?))' : ''}
			${butRunning ? 'AND id NOT IN (SELECT value FROM json_each(?))' : ''}
		ORDER BY id LIMIT 1`;
}

/** The jobs of some models that a take may return or end, oldest first. */
export const selectDue = `
	SELECT id, tenant, model FROM jobs INDEXED BY jobs_pending
	WHERE due_at IS NOT NULL AND kind = :kind AND due_at <= :now AND model IN (SELECT value FROM json_each(:models))
	ORDER BY id LIMIT :limit`;

/** Parameters: now, worker, lease, end of the lease, id. */
export const takeJob = `
	UPDATE jobs SET status = 'in_progress', attempt = attempt + 1, fence = fence + 1,
		started_at = coalesce(started_at, ?), worker = ?, lease_ms = ?, due_at = ?, ended_by = NULL, unoffered_since = NULL
	WHERE id = ?
	RETURNING ${jobColumns}`;

export const selectTurn = `SELECT tenant FROM turns WHERE kind = ?`;
export const keepTurn = `
	INSERT INTO turns (kind, tenant) VALUES ($kind, $tenant)
	ON CONFLICT (kind) DO UPDATE SET tenant = excluded.tenant WHERE tenant <> excluded.tenant`;

/** The tenants of jobs. */
export const selectTenants = `SELECT tenant FROM jobs WHERE id IN (SELECT value FROM json_each($ids))`;

/** Whether a job is due, and whether the offer of the worker is already stored. */
export const selectLook = `
	SELECT EXISTS (SELECT 1 FROM jobs INDEXED BY jobs_pending
			WHERE due_at IS NOT NULL AND kind = $kind AND due_at <= $now) AS due,
		EXISTS (SELECT 1 FROM offers
			WHERE kind = $kind AND worker = $worker AND models IS $models AND seen_at = $seenAt) AS offered`;

export const keepOffer = `
	INSERT INTO offers (kind, worker, models, seen_at) VALUES (?, ?, ?, ?)
	ON CONFLICT (kind, worker) DO UPDATE SET models = excluded.models, seen_at = excluded.seen_at
	WHERE seen_at <> excluded.seen_at OR models IS NOT excluded.models`;
export const trimOffers = `DELETE FROM offers WHERE seen_at <= $before`;
/** Corrects offers from the future: the clock was set back. */
export const cutOffers = `UPDATE offers SET seen_at = $seenAt WHERE seen_at > $now`;

/** Each kind and model of the due jobs, and whether a worker offers it. */
export const selectDueModels = `
	SELECT kind, model, EXISTS (SELECT 1 FROM offers
		WHERE offers.kind = wanted.kind
			AND (models IS NULL OR model IN (SELECT value FROM json_each(models)))) AS offered
	FROM (SELECT DISTINCT kind, model FROM jobs INDEXED BY jobs_pending
		WHERE due_at IS NOT NULL AND due_at <= $now) AS wanted`;
const dueOfModel = `kind = $kind AND model = $model AND due_at <= $now`;
export const noteOffered = `UPDATE jobs SET unoffered_since = NULL WHERE unoffered_since IS NOT NULL AND ${dueOfModel}`;
export const noteUnoffered = `UPDATE jobs SET unoffered_since = $now WHERE unoffered_since IS NULL AND ${dueOfModel}`;
export const endUnoffered = `
	UPDATE jobs SET status = 'failed', error = $noWorker, completed_at = $now, due_at = NULL, content_due_at = $now,
		record_due_at = $recordDueAt
	WHERE unoffered_since <= $since AND ${dueOfModel}
	RETURNING ${subjectColumns}`;

/** Changes nothing while another process has the duty. */
export const lead = `
	INSERT INTO duties (name, holder, until) VALUES ($duty, $holder, $until)
	ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
	WHERE holder = excluded.holder OR until <= $now OR ($until > $now AND until > $until)
	RETURNING name`;
export const selectLeader = `SELECT 1 FROM duties
	WHERE name = $duty AND holder <> $holder AND until > $now AND ($until = $now OR until <= $until)`;

export const heartbeat = `
	UPDATE jobs SET due_at = $now + lease_ms, progress = max(progress, min($progress, 0.99)),
		checkpoint = coalesce($checkpoint, checkpoint)
	WHERE ${owned}
	RETURNING cancel_requested`;

export const completeJob = `
	UPDATE jobs SET status = 'completed', progress = 1, result = $result, completed_at = $now, expires_at = $expiresAt,
		content_due_at = $expiresAt, due_at = NULL, record_due_at = $recordDueAt, ended_by = 'complete'
	WHERE ${owned}
	RETURNING ${subjectColumns}`;

/** A job that is to be cancelled does not wait for its retry. */
export const retryJob = `
	UPDATE jobs SET status = 'queued', due_at = iif(cancel_requested, 0, $retryAt), ended_by = 'fail'
	WHERE ${owned} AND attempt < max_attempts
	RETURNING ${subjectColumns}`;

export const failJob = `
	UPDATE jobs SET status = 'failed', error = $error, completed_at = $now, due_at = NULL, content_due_at = $now,
		record_due_at = $recordDueAt, ended_by = 'fail'
	WHERE ${owned}
	RETURNING ${subjectColumns}`;

export const releaseJob = `
	UPDATE jobs SET status = 'queued', attempt = attempt - 1, due_at = 0, ended_by = 'release'
	WHERE ${owned}
	RETURNING ${subjectColumns}`;

/** Whether the same call has ended the attempt before. Every claim clears `ended_by`. */
export const selectEnding = `
	SELECT 1 FROM jobs WHERE id = $id AND fence = $fence AND removed = 0 AND ended_by = $by`;

export const cancelQueued = `
	UPDATE jobs SET status = 'failed', cancel_requested = 1, error = $cancelled, completed_at = $now, due_at = NULL,
		content_due_at = $now, record_due_at = $recordDueAt
	WHERE ${visible} AND status = 'queued'
	RETURNING ${jobColumns}`;

export const cancelRunning = `
	UPDATE jobs SET cancel_requested = 1 WHERE ${visible} AND status = 'in_progress'`;

/** While a lease is valid, its attempt may still write bytes, so the record is due only after the end of the lease. */
export const removeJob = `
	UPDATE jobs SET removed = 1, record_due_at = iif(status = 'in_progress', max($now, due_at), $now),
		content_due_at = NULL, due_at = NULL
	WHERE ${visible}
	RETURNING ${jobColumns}`;

export const sweptContent = `UPDATE jobs SET content_due_at = NULL WHERE tenant = $tenant AND id = $id`;
export const sweptRecord = `DELETE FROM jobs WHERE tenant = $tenant AND id = $id AND record_due_at IS NOT NULL`;

export const insertEvent = `
	INSERT INTO events (type, job_id, kind, tenant, at, data) VALUES (?, ?, ?, ?, ?, ?)`;

/** A bounded batch, so that a long backlog never blocks the writer. */
const batch = `SELECT seq, at FROM events WHERE seq > 0 ORDER BY seq LIMIT 5000`;

/**
 * Trims only the start of the log: it keeps all events from the first one that is recent enough, whatever their
 * timestamps.
 */
export const trimEvents = `
	DELETE FROM events WHERE seq < coalesce((SELECT min(seq) FROM (${batch}) WHERE at >= $before),
		(SELECT max(seq) + 1 FROM (${batch})))`;

/** Returns `LogBounds`. */
export const selectLogBounds = `
	SELECT (SELECT min(seq) FROM events), (SELECT seq FROM sqlite_sequence WHERE name = 'events')`;

/**
 * Shortens leases that end later than now plus their length: the clock was set back. The first comparison skips jobs
 * that are due.
 */
export const cutLeases = `
	UPDATE jobs SET due_at = $now + lease_ms
	WHERE due_at > $now AND due_at > $now + lease_ms AND status = 'in_progress'`;

export const selectKnown = `SELECT id FROM jobs WHERE id IN (SELECT value FROM json_each($ids))`;

export const dueRecords = `
	SELECT 'record' AS due, id, kind, tenant FROM jobs WHERE record_due_at <= $now ORDER BY record_due_at LIMIT $limit`;

export const dueContents = `
	SELECT 'content' AS due, id, kind, tenant FROM jobs INDEXED BY jobs_content_due
	WHERE content_due_at <= $now AND record_due_at > $now
	ORDER BY content_due_at LIMIT $limit`;

export const selectIdentity = `SELECT id FROM identity`;
export const hasJobs = `SELECT EXISTS (SELECT 1 FROM jobs)`;
export const keepIdentity = `UPDATE identity SET id = ?`;

/** Events with given positions. */
export const insertPlaced = `INSERT OR IGNORE INTO events (seq, type, job_id, kind, tenant, at, data)
	VALUES (?, ?, ?, ?, ?, ?, ?)`;
/** Sets where the log continues. `sqlite_sequence` has no row before the first event. Parameter: position. */
export const keepHead = [
	`INSERT INTO sqlite_sequence (name, seq) SELECT 'events', 0
		WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'events')`,
	`UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'events'`,
] as const;
/** The events at some positions, which are a JSON array. */
export const selectPlaced = `SELECT seq, type, job_id, kind, tenant, at, data FROM events
	WHERE seq IN (SELECT value FROM json_each(?))`;

export const countPending = `
	SELECT count(*) FROM jobs WHERE due_at IS NOT NULL AND kind = $kind`;
export const countPendingOf = `${countPending} AND tenant = $tenant`;

/** A page of a tenant's jobs; `$limit` is one more than the page, to see whether more follow. */
export function selectPage({ order, after, pending }: Pick<JobListOptions, 'order' | 'after' | 'pending'>): string {
	const afterClause = order === 'asc' ? 'AND id > $after' : 'AND id < $after';
	const whereClause = pending ? 'INDEXED BY jobs_pending WHERE due_at IS NOT NULL' : 'WHERE removed = 0';
	return `SELECT ${jobColumns} FROM jobs ${whereClause} AND tenant = $tenant AND kind = $kind
		${after === undefined ? '' : afterClause} ORDER BY id ${order} LIMIT $limit`;
}

/** Events after a cursor. Each filter has an index that ends in `seq`. */
export function selectEvents(byTenant: boolean, byJob: boolean): string {
	return `SELECT seq, type, job_id, kind, tenant, at, data FROM events
		WHERE seq > $cursor ${byTenant ? 'AND tenant = $tenant' : ''} ${byJob ? 'AND job_id = $jobId' : ''}
		ORDER BY seq LIMIT $limit`;
}
