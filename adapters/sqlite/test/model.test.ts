import type { JobStore } from '@plinth/core';
import { createBackend, manualClock } from '@plinth/testing';
import { afterAll, beforeAll, test } from 'vitest';
import { checkAgainstModel } from '../../../core/testing/test/job-model/rounds.ts';
import { sqliteJobs } from '../src/index.ts';
import { empty, temporaryFile } from './subject.ts';

let file: string;
let close: () => Promise<void>;

beforeAll(async () => {
	const temporary = await temporaryFile();
	file = temporary.file;
	// Kept open between the runs: most of a run would go into the start of the writer thread.
	const holder = await createBackend(sqliteJobs({ file }));
	close = async () => {
		await holder.stop();
		await temporary.remove();
	};
});

afterAll(() => close());

test('the model explains every answer of the SQLite store, whatever three clients ask at once', async () => {
	const create = async () => {
		empty(file);
		const clock = manualClock();
		const { provided: store, stop } = await createBackend<JobStore>(sqliteJobs({ file }), {
			clock,
		});
		return { store, clock, close: stop };
	};
	await checkAgainstModel(create, { runs: 500 });
}, 60_000);
