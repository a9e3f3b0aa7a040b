import type { Job, JsonObject } from '@plinth/core';

/** The view of a job whose plugin defines none. Instants are Unix seconds. */
export function defaultView(job: Job): JsonObject {
	const { id, kind, model, status, progress, error } = job;
	return {
		id,
		object: kind,
		model,
		status,
		progress,
		created_at: toSeconds(job.createdAt),
		completed_at: job.completedAt === null ? null : toSeconds(job.completedAt),
		expires_at: job.expiresAt === null ? null : toSeconds(job.expiresAt),
		failure: error && { code: error.code, message: error.message },
	};
}

function toSeconds(ms: number): number {
	return Math.floor(ms / 1000);
}
