import { defineBackend, services } from '@plinth/core';
import { z } from 'zod';
import { openDatabase } from '../engine/database.ts';
import { fileOption } from '../options.ts';
import { SqliteJobQueue } from './queue.ts';

/** A queue in a SQLite file, for every process that opens it. */
export const sqliteQueue = defineBackend({
	name: 'sqliteQueue',
	provides: services.queue,
	config: z.strictObject({
		file: fileOption,
		/** How often consumers look for messages of other processes; those of their own process wake them at once. */
		pollMs: z.coerce.number<number | string>().int().min(10).max(60_000).default(200),
	}),
	needs: { clock: services.clock },
	async create({ config, services: { clock }, log, onStop }) {
		const { database, close } = await openDatabase(config.file, log);
		const queue = new SqliteJobQueue(database, clock, log, config.pollMs);
		onStop(close);
		onStop(() => queue.stop());
		return queue;
	},
});
