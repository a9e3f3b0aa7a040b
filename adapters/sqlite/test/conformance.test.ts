import type { JobStore } from '@plinth/core';
import { createBackend, jobStoreSuite, manualClock } from '@plinth/core/testing';
import { describe, test } from 'vitest';
import { sqliteJobs } from '../src/index.ts';
import { temporaryFile } from './subject.ts';

describe('sqliteJobs', () => {
	const suite = jobStoreSuite({
		supports: { reopen: true },
		async create() {
			const { file, remove } = await temporaryFile();
			const clock = manualClock();
			const open = () => createBackend<JobStore>(sqliteJobs({ file }), { clock });
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
		},
	});
	for (const { name, run } of suite) test(name, run);
});
