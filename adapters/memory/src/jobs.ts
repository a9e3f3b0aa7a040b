import { defineBackend, services } from '@plinth/core';
import { z } from 'zod';

/** Jobs in memory, kept until the process exits. */
export const memoryJobs = defineBackend({
	name: 'memoryJobs',
	provides: services.jobs,
	config: z.strictObject({
		/** How long ended jobs and all events are kept. */
		recordRetentionHours: z.coerce.number<number | string>().positive().default(168),
	}),
	needs: { clock: services.clock },
	async create({ config, services: { clock } }) {
		// Loaded on demand, so that programs that use only other backends of this package start sooner.
		const { MemoryJobStore } = await import('./job-store.ts');
		return new MemoryJobStore(clock, Math.round(config.recordRetentionHours * 3_600_000));
	},
});
