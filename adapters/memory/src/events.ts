import { defineBackend, services } from '@plinth/core';
import { LocalBus } from '@plinth/toolkit';
import { z } from 'zod';

/** An event bus inside one process. */
export const memoryEvents = defineBackend({
	name: 'memoryEvents',
	provides: services.events,
	config: z.strictObject({}),
	create: ({ log }) => new LocalBus(log),
});
