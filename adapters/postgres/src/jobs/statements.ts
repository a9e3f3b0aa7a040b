/** The reads of the job store, and the calls of its functions, for a schema of the name `plinth`. */
import type { JobListOptions } from '@plinth/core';

/** The time of the statement; tests pass another one. A condition with a volatile function would use no index. */
const now = '(SELECT coalesce($1::bigint, plinth.now_ms()))';

/** Values: time. */
export const selectNow = `SELECT ${now}`;

/** Whether a job may be handed out or ended at the time of the statement. */
const isDue = `j.completed_at IS NULL AND NOT j.removed AND (CASE j.status WHEN 'queued' THEN j.due_at <= ${now}
	ELSE EXISTS (SELECT FROM plinth.leases l WHERE l.job_id = j.id AND l.until <= ${now}) END)`;

/** Values: time, commands. Returns `AnswerRow`s. */
export const run = `SELECT r.n, ${now}, r.outcome, (r.job).* FROM plinth.run($2::jsonb, $1::bigint) r`;

/** Values: time, ids, fences, progress. */
export const heartbeat = 'SELECT b.id, b.fence, b.cancel FROM plinth.beat($2, $3, $4, $1) b';

/** Values: time, ids. */
export const selectJobs = `SELECT ${now}, s.* FROM plinth.shown s WHERE s.id = ANY ($2) AND NOT s.removed`;

/** A page of a tenant's jobs. Values: time, tenant, kind, one more than the page, and `after`. */
export function selectPage({ order, after, pending }: Pick<JobListOptions, 'order' | 'after' | 'pending'>): string {
	const afterClause = order === 'asc' ? 'AND s.id > $5' : 'AND s.id < $5';
	return `SELECT ${now}, s.* FROM plinth.shown s
		WHERE s.tenant = $2 AND s.kind = $3 AND NOT s.removed ${pending ? 'AND s.completed_at IS NULL' : ''}
			${after === undefined ? '' : afterClause}
		ORDER BY s.id ${order} LIMIT $4`;
}

/** Values: time, kind, models, limit. */
export const selectDue = `
	SELECT j.id, j.tenant, j.model FROM plinth.jobs j
	WHERE ${isDue} AND j.kind = $2 AND j.model = ANY ($3) ORDER BY j.id LIMIT $4`;

/** Values: kind, tenant or null. */
export const countPending = `
	SELECT count(*) FROM plinth.jobs j
	WHERE j.completed_at IS NULL AND NOT j.removed AND j.kind = $1 AND ($2::text IS NULL OR j.tenant = $2)`;

/** Values: ids. */
export const selectKnown = 'SELECT j.id FROM plinth.jobs j WHERE j.id = ANY ($1)';

/** Values: time, limit. */
export const selectSwept = `
	(SELECT 'record', j.id, j.kind, j.tenant FROM plinth.jobs j
		WHERE j.record_due_at <= ${now} ORDER BY j.record_due_at LIMIT $2)
	UNION ALL
	(SELECT 'content', j.id, j.kind, j.tenant FROM plinth.jobs j
		WHERE j.content_due_at <= ${now} AND j.record_due_at > ${now} ORDER BY j.content_due_at LIMIT $2)
	LIMIT $2`;

/** The highest place that was trimmed, and the newest place. */
const bounds = `l.trimmed, greatest(l.trimmed, (SELECT max(e.place) FROM plinth.events e))`;

export const selectBounds = `SELECT ${bounds} FROM plinth.log l`;

/** Values: position, limit, tenant or null, job or null. At least one row, with the bounds. */
export function selectEvents(byTenant: boolean, byJob: boolean): string {
	const values = byTenant ? 4 : 3;
	return `SELECT ${bounds}, found.* FROM plinth.log l LEFT JOIN LATERAL (
			SELECT e.place, e.type, e.job_id, e.kind, e.tenant, e.at, e.data FROM plinth.events e
			WHERE e.place > $1 ${byTenant ? 'AND e.tenant = $3' : ''} ${byJob ? `AND e.job_id = $${values}` : ''}
			ORDER BY e.place LIMIT $2
		) found ON true ORDER BY found.place`;
}

export const selectIdentity = `SELECT id FROM plinth.identity`;

/** Values: time, duty, holder, lease. No row: another process has it. A clock that was set back prolongs no duty. */
export const lead = `
	INSERT INTO plinth.duties AS d (name, holder, until) VALUES ($2, $3, ${now} + $4::bigint)
	ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
	WHERE d.holder = excluded.holder OR d.until <= ${now} OR ($4 > 0 AND d.until > ${now} + $4::bigint)
	RETURNING 1`;
