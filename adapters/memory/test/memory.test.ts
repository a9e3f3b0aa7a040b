import type { JobStore } from '@plinth/core';
import { createBackend, jobStoreSuite, manualClock } from '@plinth/core/testing';
import { describe, test } from 'vitest';
import { memoryJobs } from '../src/index.ts';

describe('memoryJobs', () => {
	const suite = jobStoreSuite({
		async create() {
			const clock = manualClock();
			const { provided: store, stop } = await createBackend<JobStore>(memoryJobs(), { clock });
			return { store, clock, close: stop };
		},
	});
	for (const { name, run } of suite) test(name, run);
});
