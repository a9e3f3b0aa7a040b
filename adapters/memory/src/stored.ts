import type { JobState, StoredJob } from '@plinth/core';

/** A job in the form of a dump. */
export function toStored(state: JobState): StoredJob {
	const { job, callback, idempotency, leaseMs, ...kept } = structuredClone(state);
	const { expired: _, ...stored } = job;
	return {
		...stored,
		...kept,
		callback: callback ?? null,
		leaseMs: job.status === 'in_progress' && !state.removed ? leaseMs : 0,
		idempotencyKey: idempotency?.key ?? null,
		fingerprint: idempotency?.fingerprint ?? null,
	};
}

/** The state of a job from a dump. */
export function fromStored(stored: StoredJob): JobState {
	const { callback, dueAt, leaseMs, endedBy, unofferedSince, contentDueAt, recordDueAt, removed, ...more } = stored;
	const { idempotencyKey: key, fingerprint, receivedRetry, ...job } = more;
	const idempotency =
		fingerprint === null ? undefined : { ...(key !== null && { key }), fingerprint, retry: receivedRetry };
	const kept = { dueAt, leaseMs, endedBy, unofferedSince, contentDueAt, recordDueAt, removed, receivedRetry };
	return { job: { ...job, expired: false }, callback: callback ?? undefined, ...kept, idempotency };
}
