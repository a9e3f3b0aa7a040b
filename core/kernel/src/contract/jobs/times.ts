/** How long an idempotency key is remembered, in milliseconds. */
export const idempotencyKeyMs = 24 * 60 * 60 * 1000;
/** The maximum age of a job that a retry without a key receives, in milliseconds. */
export const retryWindowMs = 10 * 60 * 1000;

/** How long a worker offers its models after its last call of `take`, in milliseconds. */
export const offerMs = 60_000;

/** The minimum time between two writes of an offer, in milliseconds: workers without work rarely write. */
export const offerEveryMs = 20_000;

/** The stored instant of an offer at `now`: rounded down, so that it changes every `offerEveryMs`. */
export function offerInstant(now: number): number {
	return now - (now % offerEveryMs);
}
/** How long a job whose model no worker offers waits before it fails with `E_JOB_NO_WORKER`, in milliseconds. */
export const modelWaitMs = 3_600_000;
