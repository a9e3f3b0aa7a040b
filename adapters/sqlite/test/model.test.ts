import { checkAgainstModel, manualClock, silentLogger } from '@plinth/testing';
import { expect, test } from 'vitest';
import { Database } from '../src/engine/database.ts';
import { SqliteJobStore } from '../src/jobs/store.ts';
import { empty, temporaryFile } from './subject.ts';

test('the SQLite store behaves like the reference model for three concurrent clients on two handles', async () => {
	const { file, remove } = await temporaryFile();
	// Kept open between the runs, because starting the writer threads is most of the time of a run.
	const [one, two] = [await Database.open(file, silentLogger()), await Database.open(file, silentLogger())];
	const create = async () => {
		empty(file);
		const clock = manualClock();
		const on = (database: Database) => new SqliteJobStore(database, clock, 168 * 3_600_000);
		return { store: on(one), clock, peer: async () => on(two), close: async () => {} };
	};
	await expect(checkAgainstModel(create, { runs: 500 })).resolves.toBeUndefined();
	for (const database of [one, two]) await database.close();
	await remove();
}, 60_000);
