import { type ConformanceCase, checkAgainstModel, jobStoreSuite, manualClock, recordStoreSuite } from '@plinth/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DatabaseHandle } from '../../../adapters/postgres/src/engine/database.ts';
import { testDatabase } from '../support/postgres.ts';
import { empty, handleOn, holdOpen, jobsOn, recordsOn } from './support.ts';

const supports = { reopen: true };
let database: Awaited<ReturnType<typeof testDatabase>>;
let one: DatabaseHandle;
let two: DatabaseHandle;

beforeAll(async () => {
	database = await testDatabase();
	one = await handleOn(database.url, 'one');
	two = await handleOn(database.url, 'two');
});

afterAll(async () => {
	await one?.close();
	await two?.close();
	await database?.remove();
});

async function jobs() {
	await empty(database.url);
	const clock = manualClock();
	return {
		store: jobsOn(one, clock),
		clock,
		peer: async () => jobsOn(two, clock),
		holdOpen: (jobId: string) => holdOpen(database.url, jobId),
		async reopen() {
			await one.close();
			one = await handleOn(database.url, 'one');
			return jobsOn(one, clock);
		},
		close: async () => {},
	};
}

async function records() {
	await empty(database.url);
	const clock = manualClock();
	return {
		store: recordsOn(one, clock),
		clock,
		async reopen() {
			await one.close();
			one = await handleOn(database.url, 'one');
			return recordsOn(one, clock);
		},
		close: async () => {},
	};
}

conforms('postgresJobs', jobStoreSuite({ supports, create: jobs }));

conforms('postgresRecords', recordStoreSuite({ supports, create: records }));

test('the reference model explains every result of three concurrent clients on two handles', async () => {
	await expect(checkAgainstModel(jobs, { runs: 100 })).resolves.toBeUndefined();
}, 300_000);

function conforms(name: string, cases: readonly ConformanceCase[]): void {
	describe(name, () => {
		for (const { name: sentence, run } of cases) test(sentence, run);
	});
}
