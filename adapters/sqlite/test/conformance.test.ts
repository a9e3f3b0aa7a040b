import type { BackendInstance, JobQueue, JobStore, RecordStore } from '@plinth/core';
import {
	type ConformanceCase,
	createBackend,
	jobQueueSuite,
	jobStoreSuite,
	manualClock,
	recordStoreSuite,
} from '@plinth/core/testing';
import { describe, test } from 'vitest';
import { sqliteJobs, sqliteQueue, sqliteRecords } from '../src/index.ts';
import { temporaryFile } from './subject.ts';

const supports = { reopen: true };

conforms('sqliteJobs', () =>
	jobStoreSuite({ supports, create: () => subject<JobStore>(sqliteJobs) }),
);

conforms('sqliteRecords', () =>
	recordStoreSuite({ supports, create: () => subject<RecordStore>(sqliteRecords) }),
);

conforms('sqliteQueue', () =>
	jobQueueSuite({
		async create() {
			const { store, close } = await subject<JobQueue>(sqliteQueue);
			return { queue: store, close };
		},
	}),
);

/** A backend on a file of its own, which it can close and open again. */
async function subject<T>(backend: (options: { file: string }) => BackendInstance) {
	const { file, remove } = await temporaryFile();
	const clock = manualClock();
	const open = () => createBackend<T>(backend({ file }), { clock });
	let running = await open();
	return {
		store: running.provided,
		clock,
		async reopen() {
			await running.stop();
			running = await open();
			return running.provided;
		},
		async close() {
			await running.stop();
			await remove();
		},
	};
}

/** Side by side: most of a case is waiting for the disk. */
function conforms(name: string, suite: () => ConformanceCase[]): void {
	describe(name, () => {
		for (const { name: sentence, run } of suite()) test.concurrent(sentence, run);
	});
}
