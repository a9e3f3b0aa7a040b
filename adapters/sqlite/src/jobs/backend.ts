import { defineBackend, services } from '@plinth/core';
import { z } from 'zod';
import { openDatabase } from '../engine/database.ts';
import { fileOption } from '../options.ts';
import { SqliteJobStore } from './store.ts';

/** Jobs in a SQLite file. */
export const sqliteJobs = defineBackend({
	name: 'sqliteJobs',
	provides: services.jobs,
	config: z.strictObject({
		file: fileOption,
		/** How long an ended job, and every event, is kept. */
		recordRetentionHours: z.coerce.number<number | string>().positive().default(168),
	}),
	needs: { clock: services.clock },
	async create({ config, services: { clock }, log, onStop }) {
		const { database, close } = await openDatabase(config.file, log);
		onStop(close);
		const recordRetentionMs = Math.round(config.recordRetentionHours * 3_600_000);
		return new SqliteJobStore(database, clock, recordRetentionMs);
	},
});
