import { defineBackend, services } from '@plinth/core';
import { z } from 'zod';
import { MemoryJobStore } from './job-store.ts';

/** Jobs that live as long as the process. */
export const memoryJobs = defineBackend({
	name: 'memoryJobs',
	provides: services.jobs,
	config: z.strictObject({
		/** How long an ended job, and every event, is kept. */
		recordRetentionHours: z.coerce.number<number | string>().positive().default(168),
	}),
	needs: { clock: services.clock },
	create: ({ config, services: { clock } }) =>
		new MemoryJobStore(clock, Math.round(config.recordRetentionHours * 3_600_000)),
});
