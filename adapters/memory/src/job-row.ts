import type { Idempotency, Job, JobCallback, NewJob } from '@plinth/core';

/** The calls that end an attempt. */
export type Ending = 'complete' | 'fail' | 'release';

/** A job and what the store must remember beside it. Instants are milliseconds since the Unix epoch. */
export interface JobRow {
	job: Job;
	/** From when on `claim` takes the job or ends it: the retry's instant while queued, the end of the lease while running, null once ended. */
	claimableAt: number | null;
	/** The length of the current lease. */
	leaseMs: number;
	/** How the attempt with the present fence ended by its own call, so that a repeat is recognised; null while it runs. */
	endedBy: Ending | null;
	/** When the bytes are due for deletion: the expiry, or the end of a job that failed; null when there are none or they were swept. */
	contentDueAt: number | null;
	/** When the record is due for deletion; null while the job lives. */
	recordDueAt: number | null;
	removed: boolean;
	readonly callback: JobCallback | undefined;
	readonly key: string | undefined;
	readonly fingerprint: string | undefined;
	/** The highest retry count that made or received this job. */
	receivedRetry: number;
}

/** The row of a job that was just submitted. */
export function newRow(
	{ callback, ...job }: NewJob,
	idempotency: Idempotency | undefined,
	now: number,
): JobRow {
	return {
		job: {
			...job,
			status: 'queued',
			result: null,
			error: null,
			progress: 0,
			checkpoint: null,
			attempt: 0,
			fence: 0,
			cancelRequested: false,
			createdAt: now,
			startedAt: null,
			completedAt: null,
			expiresAt: null,
		},
		claimableAt: now,
		leaseMs: 0,
		endedBy: null,
		contentDueAt: null,
		recordDueAt: null,
		removed: false,
		callback,
		key: idempotency?.key,
		fingerprint: idempotency?.fingerprint,
		receivedRetry: idempotency?.retry ?? 0,
	};
}

/** Orders rows from the oldest job to the newest. */
export function byAge(a: JobRow, b: JobRow): number {
	return a.job.createdAt - b.job.createdAt || (a.job.id < b.job.id ? -1 : 1);
}

/** Whether the job waits or runs. */
export function isPending({ job }: JobRow): boolean {
	return job.status === 'queued' || job.status === 'in_progress';
}
