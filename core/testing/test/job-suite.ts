import type { Job, JobStore } from '@plinth/core';
import { memoryJobs } from '@plinth/memory';
import { createBackend, jobStoreSuite, manualClock } from '@plinth/testing';

/** The job store suite on a spoiled memory store. */
export const jobSuite = (spoil: (right: JobStore) => JobStore) =>
	jobStoreSuite({
		async create() {
			const clock = manualClock();
			const { provided, stop } = await createBackend<JobStore>(memoryJobs(), { clock });
			const store = spoil(provided);
			return { store, clock, peer: async () => store, close: stop };
		},
	});

/** Returns changed jobs. */
export function showing(change: (job: Job) => Partial<Job>) {
	return (right: JobStore): Partial<JobStore> => ({
		async get(tenant, id) {
			const job = await right.get(tenant, id);
			return job && { ...job, ...change(job) };
		},
	});
}
