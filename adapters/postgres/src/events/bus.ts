import { type BusEvent, defineBackend, type EventBus, services } from '@plinth/core';
import { LocalBus } from '@plinth/toolkit';
import { z } from 'zod';
import { openDatabase } from '../engine/database.ts';
import { databaseOptions } from '../engine/options.ts';
import { toBootError } from '../errors.ts';
import { HintConnection } from './hints.ts';

/** Hints between processes, through NOTIFY. */
export const postgresEvents = defineBackend({
	name: 'postgresEvents',
	provides: services.events,
	config: z.strictObject({
		...databaseOptions,
		/** With `false`, hints stay in their process, and other processes find new events by polling. For poolers. */
		listen: z.boolean().default(true),
	}),
	needs: { clock: services.clock },
	async create({ config, services: { clock }, log, onStop }): Promise<EventBus> {
		const local = new LocalBus(log);
		const database = await openDatabase(config, log);
		onStop(database.close);
		if (!config.listen) return local;
		const hints = new HintConnection({
			url: config.url,
			channel: `plinth_${config.schema}`,
			clock,
			log,
			read: (text, values) => database.pool.read(text, values),
			receive: (event: BusEvent) => local.publish(event),
		});
		onStop(() => hints.close());
		await hints.open().catch((error: unknown) => {
			throw toBootError(error, database.pool.address);
		});
		return {
			publish(event) {
				local.publish(event);
				hints.send(event);
			},
			subscribe: (filter, handler) => local.subscribe(filter, handler),
		};
	},
});
