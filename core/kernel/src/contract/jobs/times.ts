/** How long an idempotency key is remembered, in milliseconds. */
export const idempotencyKeyMs = 24 * 60 * 60 * 1000;
/** How old a job may be to answer a retry that carries no key, in milliseconds. */
export const retryWindowMs = 10 * 60 * 1000;

/** A worker that has not asked for jobs for this long offers its models no more, in milliseconds. */
export const offerMs = 60_000;

/** How often an offer is written at most, in milliseconds, so that workers without work write seldom. */
export const offerEveryMs = 20_000;

/** When a worker that asks at `now` counts as seen. */
export function offerInstant(now: number): number {
	return now - (now % offerEveryMs);
}
/** How long a job whose model no worker offers waits before it fails with `E_JOB_NO_WORKER`, in milliseconds. */
export const modelWaitMs = 3_600_000;
