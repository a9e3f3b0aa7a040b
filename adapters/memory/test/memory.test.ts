import type { BlobStore, EventBus, JobStore, RecordStore } from '@plinth/core';
import {
	blobStoreSuite,
	type ConformanceCase,
	createBackend,
	eventBusSuite,
	jobStoreSuite,
	manualClock,
	recordStoreSuite,
} from '@plinth/testing';
import { describe, test } from 'vitest';
import { memoryBlobs, memoryEvents, memoryJobs, memoryRecords } from '../src/index.ts';

conforms('memoryJobs', () =>
	jobStoreSuite({
		async create() {
			const clock = manualClock();
			const { provided: store, stop } = await createBackend<JobStore>(memoryJobs(), { clock });
			return { store, clock, peer: async () => store, close: stop };
		},
	}),
);

conforms('memoryRecords', () =>
	recordStoreSuite({
		async create() {
			const clock = manualClock();
			const { provided: store, stop } = await createBackend<RecordStore>(memoryRecords(), {
				clock,
			});
			return { store, clock, close: stop };
		},
	}),
);

conforms('memoryBlobs', () =>
	blobStoreSuite({
		async create() {
			const { provided: store, stop } = await createBackend<BlobStore>(memoryBlobs());
			return { store, close: stop };
		},
	}),
);

conforms('memoryEvents', () =>
	eventBusSuite({
		async create() {
			const { provided: bus, stop } = await createBackend<EventBus>(memoryEvents());
			return { bus, close: stop };
		},
	}),
);

function conforms(name: string, suite: () => ConformanceCase[]): void {
	describe(name, () => {
		for (const { name: sentence, run } of suite()) test(sentence, run);
	});
}
