import {
	type Idempotency,
	idempotencyKeyMs,
	type NewJob,
	plinthError,
	retryWindowMs,
} from '@plinth/core';
import { byAge, type JobRow } from './job-row.ts';

/** The row that answers a repeated create, or undefined when the request is a new one. Throws `E_IDEMPOTENCY_MISMATCH`. */
export function findRepeat(
	rows: readonly JobRow[],
	job: NewJob,
	idempotency: Idempotency,
	now: number,
): JobRow | undefined {
	const { key, fingerprint, retry } = idempotency;
	const newestOf = (maxAgeMs: number, isMeant: (row: JobRow) => boolean) =>
		rows
			.filter(
				(row) =>
					row.job.tenant === job.tenant &&
					row.job.principal === job.principal &&
					now - row.job.createdAt <= maxAgeMs &&
					isMeant(row),
			)
			.sort(byAge)
			.at(-1);

	if (key !== undefined) {
		const earlier = newestOf(idempotencyKeyMs, (row) => row.key === key);
		if (earlier && earlier.fingerprint !== fingerprint) throw plinthError('E_IDEMPOTENCY_MISMATCH');
		return earlier;
	}
	if (retry === 0) return undefined;

	const newest = newestOf(retryWindowMs, (row) => row.fingerprint === fingerprint);
	if (!newest || newest.receivedRetry >= retry) return undefined;
	newest.receivedRetry = retry;
	return newest;
}
