import type { Logger } from '@plinth/core';
import { toBootError } from '../errors.ts';
import { migratePostgres, prepare } from './migrate.ts';
import { addressOf, Pool } from './pool.ts';

/** Which database, and which schema in it. */
export interface DatabaseOptions {
	readonly url: string;
	readonly schema: string;
	readonly migrate: boolean;
}

/** A backend's share of the connections to a URL. */
export interface DatabaseHandle {
	readonly pool: Pool;
	/** Replaces `plinth.` in a statement by the name of the schema: `sql('SELECT 1 FROM plinth.jobs')`. */
	readonly sql: (text: string) => string;
	/** Releases the share. The last release closes the connections. */
	close(): Promise<void>;
}

interface Shared {
	readonly pool: Pool;
	/** By schema, whether it has been prepared. */
	readonly prepared: Map<string, Promise<unknown>>;
	users: number;
}

const open = new Map<string, Shared>();

/** Opens or shares the connections to a URL, and checks or migrates the schema. Rejects with a boot error. */
export async function openDatabase(options: DatabaseOptions, log: Logger): Promise<DatabaseHandle> {
	const { url, schema, migrate } = options;
	const shared = open.get(url) ?? { pool: new Pool(url, log), prepared: new Map(), users: 0 };
	open.set(url, shared);
	shared.users += 1;
	const { pool, prepared } = shared;
	const close = async () => {
		shared.users -= 1;
		if (shared.users > 0) return;
		open.delete(url);
		await pool.close();
	};
	try {
		const ready = prepared.get(schema) ?? prepare(pool, schema, migrate ? 'migrate' : 'check');
		prepared.set(schema, ready);
		await ready;
	} catch (error) {
		// Another app of this process may keep the connections open, and the next one tries again.
		prepared.delete(schema);
		await close();
		throw toBootError(error, pool.address);
	}
	return { pool, sql: (text) => text.replaceAll('plinth.', `"${schema}".`), close };
}

/** `plinth migrate`, for a backend of this adapter. */
export async function migrateDatabase({ url, schema }: DatabaseOptions): Promise<string> {
	const { from, to } = await migratePostgres({ url, schema });
	const what = `the schema "${schema}" of ${addressOf(url)}`;
	return from === to ? `${what} has version ${to} already` : `${what} was brought from version ${from} to ${to}`;
}
