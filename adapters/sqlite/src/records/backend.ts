import { defineBackend, services } from '@plinth/core';
import { z } from 'zod';
import { openDatabase } from '../engine/database.ts';
import { fileOption } from '../options.ts';
import { SqliteRecordStore } from './store.ts';

/** Records in a SQLite file. */
export const sqliteRecords = defineBackend({
	name: 'sqliteRecords',
	provides: services.records,
	config: z.strictObject({ file: fileOption }),
	needs: { clock: services.clock },
	async create({ config, services: { clock }, log, onStop }) {
		const { database, close } = await openDatabase(config.file, log);
		onStop(close);
		return new SqliteRecordStore(database, clock);
	},
});
