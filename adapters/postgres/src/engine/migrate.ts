import { errorFrom } from '@plinth/core';
import type pg from 'pg';
import { z } from 'zod';
import { postgresErrors, toBootError } from '../errors.ts';
import { databaseOptions } from './options.ts';
import { Pool } from './pool.ts';
import { inSchema, type Migration, migrations } from './schema/migrations.ts';

/** The versions of a schema before and after. 0: it had no tables. */
export interface MigrationResult {
	readonly from: number;
	readonly to: number;
}

const checked = z.object({ url: databaseOptions.url, schema: databaseOptions.schema });

/** The oldest supported PostgreSQL. */
const oldestServer = 150_000;

/**
 * Migrates a schema to the current version, under a lock and in one transaction. It only adds, so processes of the
 * previous version continue. Rejects with an error that names the remedy, or with the errors of the options.
 */
export async function migratePostgres(options: {
	readonly url: string;
	readonly schema?: string;
}): Promise<MigrationResult> {
	const { url, schema } = checked.parse(options);
	const pool = new Pool(url);
	try {
		return await prepare(pool, schema, 'migrate');
	} catch (error) {
		throw toBootError(error, pool.address);
	} finally {
		await pool.close();
	}
}

/** Checks the server and the schema. With `migrate`, it migrates the schema to the current version. */
export function prepare(
	pool: Pool,
	schema: string,
	mode: 'migrate' | 'check',
	steps: readonly Migration[] = migrations,
): Promise<MigrationResult> {
	return pool.withClient(async (client) => {
		await checkServer(client);
		const current = await versionOf(client, schema);
		refuseNewer(current, steps.length);
		if (current.version < steps.length && mode === 'check') {
			throw errorFrom(postgresErrors, 'E_POSTGRES_OLDER', {
				message: `The schema "${schema}" has version ${current.version}, and this process needs ${steps.length}.`,
			});
		}
		if (current.version >= steps.length) {
			await adopt(client, schema);
			return { from: current.version, to: current.version };
		}
		return transaction(client, () => migrate(client, schema, steps));
	});
}

/** Takes a lock, because several processes may start at once. */
async function migrate(client: pg.ClientBase, schema: string, steps: readonly Migration[]): Promise<MigrationResult> {
	await client.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [`plinth migrations of ${schema}`]);
	const { rowCount } = await client.query('SELECT FROM pg_namespace WHERE nspname = $1', [schema]);
	if (rowCount === 0) await client.query(`CREATE SCHEMA "${schema}"`);
	const current = await versionOf(client, schema);
	refuseNewer(current, steps.length);
	if (current.version === 0) {
		await client.query(
			`CREATE TABLE "${schema}".versions (version integer PRIMARY KEY, serves integer NOT NULL,
				at timestamptz NOT NULL DEFAULT now())`,
		);
	}
	for (const [index, { serves, sql }] of steps.entries()) {
		if (index < current.version) continue;
		await client.query(inSchema(sql, schema));
		await client.query(`INSERT INTO "${schema}".versions (version, serves) VALUES ($1, $2)`, [index + 1, serves]);
	}
	await client.query(`SELECT "${schema}".adopt()`);
	return { from: current.version, to: Math.max(current.version, steps.length) };
}

/** After a restore, the log continues at new places. */
async function adopt(client: pg.ClientBase, schema: string): Promise<void> {
	await client.query(`SELECT "${schema}".lock_log(), "${schema}".adopt()`);
}

async function checkServer(client: pg.ClientBase): Promise<void> {
	const { rows } = await client.query<{ version: number; name: string; encoding: string; standby: boolean }>(
		`SELECT current_setting('server_version_num')::integer AS version, current_setting('server_version') AS name,
			current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS standby`,
	);
	const { version = 0, name, encoding, standby } = rows[0] ?? {};
	if (version < oldestServer) {
		throw errorFrom(postgresErrors, 'E_POSTGRES_VERSION', { message: `The server is PostgreSQL ${name}.` });
	}
	if (standby) {
		throw errorFrom(postgresErrors, 'E_POSTGRES_ADDRESS', {
			message: 'The server is a standby, which accepts no writes.',
		});
	}
	if (encoding !== 'UTF8') {
		throw errorFrom(postgresErrors, 'E_POSTGRES_ENCODING', { message: `The encoding of the database is ${encoding}.` });
	}
}

interface SchemaVersion {
	readonly version: number;
	readonly serves: number;
}

/** The version of a schema, and the oldest version of a process that it supports. */
async function versionOf(client: pg.ClientBase, schema: string): Promise<SchemaVersion> {
	const { rows } = await client.query<{ found: boolean }>('SELECT to_regclass($1) IS NOT NULL AS found', [
		`"${schema}".versions`,
	]);
	if (!rows[0]?.found) return { version: 0, serves: 0 };
	const versions = await client.query<SchemaVersion>(
		`SELECT version, serves FROM "${schema}".versions ORDER BY version DESC LIMIT 1`,
	);
	return versions.rows[0] ?? { version: 0, serves: 0 };
}

function refuseNewer({ version, serves }: SchemaVersion, known: number): void {
	if (serves <= known) return;
	throw errorFrom(postgresErrors, 'E_POSTGRES_NEWER', {
		message: `Version ${version} of the schema supports processes from version ${serves} on, but this one has ${known}.`,
	});
}

/** The connection is closed afterwards, which rolls back a transaction that failed. */
async function transaction<T>(client: pg.ClientBase, task: () => Promise<T>): Promise<T> {
	await client.query('BEGIN');
	const result = await task();
	await client.query('COMMIT');
	return result;
}
