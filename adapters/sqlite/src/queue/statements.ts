/** The SQL of the queue. */

/** Ringing twice for a waiting job is harmless. */
export const insertMessage = `
	INSERT INTO messages (kind, tenant, job_id) VALUES ($kind, $tenant, $jobId) ON CONFLICT (job_id) DO NOTHING`;

export const nextTenant = `
	SELECT tenant FROM messages WHERE kind = $kind AND tenant > $after ORDER BY tenant LIMIT 1`;

/** Ids sort by creation, so a job that was interrupted has its old place again. */
export const takeOldest = `
	DELETE FROM messages
	WHERE job_id = (SELECT job_id FROM messages WHERE kind = $kind AND tenant = $tenant ORDER BY job_id LIMIT 1)
	RETURNING job_id`;

export const countWaiting = `SELECT count(*) AS count FROM messages WHERE kind = $kind`;

export const isWaiting = `SELECT 1 AS found FROM messages WHERE kind = $kind LIMIT 1`;

/** Changes when another connection has committed to the file. */
export const dataVersion = `PRAGMA data_version`;
