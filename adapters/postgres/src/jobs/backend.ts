import { defineBackend, services } from '@plinth/core';
import { z } from 'zod';
import { migrateDatabase, openDatabase } from '../engine/database.ts';
import { databaseOptions } from '../engine/options.ts';
import { PostgresJobStore } from './store.ts';

/** Jobs in PostgreSQL, for any number of processes. */
export const postgresJobs = defineBackend({
	name: 'postgresJobs',
	provides: services.jobs,
	config: z.strictObject({
		...databaseOptions,
		/** How long an ended job, and every event, is kept. */
		recordRetentionHours: z.coerce.number<number | string>().positive().default(168),
	}),
	migrate: migrateDatabase,
	async create({ config, log, onStop }) {
		const database = await openDatabase(config, log);
		onStop(database.close);
		const store = new PostgresJobStore(database, Math.round(config.recordRetentionHours * 3_600_000));
		onStop(() => store.close());
		return store;
	},
});
