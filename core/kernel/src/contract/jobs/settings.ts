import { z } from 'zod';
import { integer, maxTimerMs } from '../server-settings.ts';

const ms = (fallback: number) => integer(1, maxTimerMs).default(fallback);

/** How jobs are run; the `jobs` section of a config. Times are in milliseconds. */
export const jobSettings = z
	.strictObject({
		/** Maximum concurrent attempts of one kind in this process. */
		concurrency: integer(1).default(2),
		/** Maximum concurrent attempts of one kind and tenant in this process. */
		perTenant: integer(1).optional(),
		/** Maximum unfinished jobs of one kind and tenant. More are refused with `queue_full`. 0: no limit. */
		maxPendingPerTenant: integer(0).default(500),
		/** Another process takes over an attempt after this time without a heartbeat. */
		leaseMs: ms(20_000),
		/** Interval of heartbeats: at most half of `leaseMs`, so that a lease outlives one lost heartbeat. */
		heartbeatMs: ms(5_000),
		/** Minimum time between two writes of the progress. */
		progressMs: ms(1_000),
		/** Interval at which a free worker looks for jobs of other processes. */
		pollMs: ms(1_000),
		/** Interval at which expired content and removed records are deleted. */
		sweepMs: ms(30_000),
		/**
		 * Age at which bytes without a record are deleted, and interval of that check. A create that takes longer than half
		 * of it is refused, because its bytes might be deleted.
		 */
		orphanMs: ms(86_400_000),
		/** Maximum time of an attempt. A longer one fails with `job_timeout`. */
		maxRunMs: ms(3_600_000),
	})
	.refine(({ heartbeatMs, leaseMs }) => heartbeatMs * 2 <= leaseMs, {
		path: ['heartbeatMs'],
		error: 'must be at most half of leaseMs',
	});

/** The checked `jobs` section. */
export type JobSettings = z.output<typeof jobSettings>;
