import {
	type Idempotency,
	idempotencyKeyMs,
	type JobState,
	type NewJob,
	plinthError,
	retryWindowMs,
} from '@plinth/core';

/**
 * The job that an earlier create of the same request has made, or undefined when the request is new. Throws
 * `E_IDEMPOTENCY_MISMATCH`.
 */
export function findRepeat(
	states: readonly JobState[],
	{ tenant, principal }: NewJob,
	{ key, fingerprint, retry }: Idempotency,
	now: number,
): JobState | undefined {
	const newestOf = (maxAgeMs: number, matches: (idempotency: Idempotency | undefined) => boolean) =>
		states
			.filter(({ job }) => job.tenant === tenant && job.principal === principal)
			.filter(({ job }) => now - job.createdAt <= maxAgeMs)
			.filter(({ idempotency }) => matches(idempotency))
			.sort(byAge)
			.at(-1);

	if (key !== undefined) {
		const earlier = newestOf(idempotencyKeyMs, (earlier) => earlier?.key === key);
		if (earlier && earlier.idempotency?.fingerprint !== fingerprint) throw plinthError('E_IDEMPOTENCY_MISMATCH');
		return earlier;
	}
	const newest = newestOf(retryWindowMs, (earlier) => earlier?.fingerprint === fingerprint);
	return newest && newest.receivedRetry < retry ? newest : undefined;
}

/** Orders from the oldest job to the newest. */
export function byAge({ job: a }: JobState, { job: b }: JobState): number {
	return a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);
}
