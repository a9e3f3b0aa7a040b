import { defineBackend, services } from '@plinth/core';
import { z } from 'zod';
import { MemoryJobQueue } from './job-queue.ts';

/** A queue inside one process. */
export const memoryQueue = defineBackend({
	name: 'memoryQueue',
	provides: services.queue,
	config: z.strictObject({}),
	create: ({ log }) => new MemoryJobQueue(log),
});
