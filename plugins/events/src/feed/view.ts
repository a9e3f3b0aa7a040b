import type { Job, JsonObject } from '@plinth/core';

/** How a job looks whose plugin does not say: what every kind has. Instants are Unix seconds. */
export function plainView(job: Job): JsonObject {
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
