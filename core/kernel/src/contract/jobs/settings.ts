import { z } from 'zod';

/** The longest wait that a timer of Node keeps; a longer one would fire at once. */
const maxTimerMs = 2_147_483_647;

const ms = (fallback: number) => z.coerce.number().int().min(1).max(maxTimerMs).default(fallback);

/** How jobs are run; the `jobs` section of a config. Times are in milliseconds. */
export const jobSettings = z
	.strictObject({
		/** Attempts of one kind in flight in this process. */
		concurrency: z.coerce.number().int().min(1).default(2),
		/** Attempts of one kind in flight for one tenant in this process. */
		perTenant: z.coerce.number().int().min(1).optional(),
		/**
		 * Jobs of one kind that a tenant may have waiting or running; further ones are refused with `queue_full`.
		 * 0: no limit.
		 */
		maxPendingPerTenant: z.coerce.number().int().min(0).default(500),
		/** False: this process only accepts jobs; others run them. */
		work: z.boolean().default(true),
		/** An attempt whose process has not been heard of for this long is taken over by another one. */
		leaseMs: ms(20_000),
		/** At most half of `leaseMs`, so that one lost heartbeat costs no lease. */
		heartbeatMs: ms(5_000),
		/** Progress is written at most this often. */
		progressMs: ms(1_000),
		/** How often a worker with a free slot looks for jobs of other processes. */
		pollMs: ms(1_000),
		/** How often expired content and removed records are deleted. */
		sweepMs: ms(30_000),
		/**
		 * Bytes without a record are looked for at the start and this often, and deleted when they are this old. A
		 * create that takes half of it is refused, so that nothing under way is taken for left over.
		 */
		orphanMs: ms(86_400_000),
		/** An attempt that runs longer ends as `job_timeout`. */
		maxRunMs: ms(3_600_000),
	})
	.refine(({ heartbeatMs, leaseMs }) => heartbeatMs * 2 <= leaseMs, {
		path: ['heartbeatMs'],
		error: 'must be at most half of leaseMs',
	});

/** The checked `jobs` section. */
export type JobSettings = z.output<typeof jobSettings>;
