import { createApp, defineConfig } from '@plinth/core';
import { memoryBlobs } from '@plinth/memory';
import { migratePostgres, postgresEvents, postgresJobs, postgresRecords } from '@plinth/postgres';
import { silentLogger } from '@plinth/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../../adapters/postgres/src/engine/database.ts';
import { prepare } from '../../../adapters/postgres/src/engine/migrate.ts';
import { Pool } from '../../../adapters/postgres/src/engine/pool.ts';
import { migrations } from '../../../adapters/postgres/src/engine/schema/migrations.ts';
import { freePort } from '../../support/free-port.ts';
import { type OwnPostgres, ownPostgres, statement } from '../support/postgres.ts';

let server: OwnPostgres;

beforeAll(async () => {
	server = await ownPostgres();
	await statement(server.url(), "CREATE ROLE guest LOGIN PASSWORD 'guest-password'");
	await statement(
		server.url(),
		"CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0",
	);
});

afterAll(() => server?.remove());

type Change = (url: URL) => void | Promise<void>;

const faults: readonly [what: string, code: string, remedy: string, change: Change, more?: object][] = [
	[
		'port',
		'does not answer|ECONNREFUSED',
		'Start it, or correct host and port',
		async (url) => {
			url.port = String(await freePort());
		},
	],
	[
		'host',
		'ENOTFOUND|EAI_AGAIN',
		'Start it, or correct host and port',
		(url) => {
			url.hostname = 'nowhere.invalid';
		},
	],
	[
		'password',
		'password authentication failed',
		'Correct user and password',
		(url) => {
			url.password = 'not-the-password';
		},
	],
	[
		'user',
		'password authentication failed',
		'Correct user and password',
		(url) => {
			url.username = 'nobody';
		},
	],
	[
		'database',
		'does not exist',
		'Create it with createdb',
		(url) => {
			url.pathname = '/nothing';
		},
	],
	[
		'TLS',
		'SSL',
		'Correct sslmode',
		(url) => {
			url.searchParams.set('sslmode', 'verify-full');
		},
	],
	[
		'rights',
		'permission denied',
		'Let it own the schema',
		(url) => {
			url.username = 'guest';
			url.password = 'guest-password';
		},
	],
	[
		'encoding',
		'LATIN1',
		'encoding UTF8',
		(url) => {
			url.pathname = '/latin';
		},
	],
	['schema', 'has version 0', 'plinth migrate', () => {}, { schema: 'absent', migrate: false }],
];

/** The boot report of a start. */
async function report(url: string, more: object = {}): Promise<string> {
	const backends = {
		jobs: postgresJobs({ url, ...more }),
		records: postgresRecords({ url, ...more }),
		blobs: memoryBlobs(),
	};
	const config = defineConfig({ backends, server: { auth: 'off' }, log: { level: 'silent' } });
	const app = createApp(config);
	return app
		.then(
			async (started) => {
				await started.start();
				await started.stop();
				return 'it has started';
			},
			(error: Error) => error.message,
		)
		.catch((error: Error) => error.message);
}

describe('a start with a wrong config', () => {
	test.each(faults)('reports once: %s', async (_what, message, remedy, change, more) => {
		const url = new URL(server.url());
		await change(url);
		const text = await report(url.href, more);
		expect(text).toMatch(/Plinth cannot start: one problem/);
		expect(text).toMatch(/at {6}backends\.jobs/);
		expect(text).toMatch(new RegExp(message));
		expect(text).toContain(remedy);
		expect(text).not.toContain(url.password);
	});

	test('reports an invalid URL without printing it', async () => {
		const text = await report('mysql://root:the-secret@localhost/x');
		expect(text).toContain('postgres://host:5432/database');
		expect(text).not.toContain('the-secret');
	});

	test('reports a server of an old version', async () => {
		const old = new Pool(server.url(), silentLogger());
		const asked = old.withClient.bind(old);
		old.withClient = (task) =>
			asked(async (client) => {
				const query = client.query.bind(client) as (text: string) => Promise<object>;
				client.query = (async (text: string) =>
					text.includes('server_version_num')
						? { rows: [{ version: 140_012, name: '14.12', encoding: 'UTF8' }] }
						: query(text)) as never;
				return task(client);
			});
		await expect(prepare(old, 'plinth', 'migrate')).rejects.toThrow('14.12');
		await old.close();
	});
});

describe('migrations', () => {
	test('run once for any number of processes', async () => {
		const url = await server.database();
		const results = await Promise.all(Array.from({ length: 6 }, () => migratePostgres({ url })));
		expect(results.filter(({ from }) => from === 0).length).toBe(1);
		const versions = migrations.map((_, index) => ({ version: index + 1 }));
		expect(await statement(url, 'SELECT version FROM plinth.versions ORDER BY version')).toEqual(versions);
	});

	test('let running processes of the previous version continue, and keep older ones from starting', async () => {
		const url = await server.database();
		await migratePostgres({ url });
		const pool = new Pool(url);
		const next = (serves: number) => [...migrations, { serves, sql: 'CREATE TABLE plinth.later (id integer);' }];
		const [now, later] = [migrations.length, migrations.length + 1];
		expect(await prepare(pool, 'plinth', 'migrate', next(now))).toEqual({ from: now, to: later });
		expect(await migratePostgres({ url })).toEqual({ from: later, to: later });
		await statement(url, `UPDATE plinth.versions SET serves = ${later} WHERE version = ${later}`);
		await expect(migratePostgres({ url })).rejects.toThrow(`supports processes from version ${later} on`);
		await pool.close();
	});

	test('that fail are rolled back', async () => {
		const url = await server.database();
		const pool = new Pool(url);
		const broken = [{ serves: 1, sql: 'CREATE TABLE plinth.some (id integer); SELECT 1 / 0;' }];
		await expect(prepare(pool, 'plinth', 'migrate', broken)).rejects.toThrow('division by zero');
		expect(await statement(url, "SELECT FROM pg_namespace WHERE nspname = 'plinth'")).toEqual([]);
		expect(await prepare(pool, 'plinth', 'migrate')).toEqual({ from: 0, to: migrations.length });
		await pool.close();
	});

	test('work in a schema that was created for a user without other rights', async () => {
		const url = new URL(await server.database());
		await statement(url.href, 'CREATE SCHEMA media AUTHORIZATION guest');
		url.username = 'guest';
		url.password = 'guest-password';
		expect(await migratePostgres({ url: url.href, schema: 'media' })).toEqual({ from: 0, to: migrations.length });
	});
});

test('a schema that could not be opened is checked again, while another one keeps the connections open', async () => {
	const url = await server.database();
	const other = await openDatabase({ url, schema: 'other', migrate: true }, silentLogger());
	const options = { url, schema: 'media', migrate: false };
	await expect(openDatabase(options, silentLogger())).rejects.toThrow();
	await migratePostgres({ url, schema: 'media' });
	const opened = await openDatabase(options, silentLogger());
	await Promise.all([opened.close(), other.close()]);
});

test('three backends with one URL share their connections', async () => {
	const url = await server.database();
	const backends = {
		jobs: postgresJobs({ url }),
		records: postgresRecords({ url }),
		events: postgresEvents({ url }),
		blobs: memoryBlobs(),
	};
	const app = await createApp(defineConfig({ backends, server: { auth: 'off' }, log: { level: 'silent' } }));
	await app.start();
	const burst = Array.from({ length: 50 }, () => app.fetch(new Request('http://localhost/readyz')));
	await Promise.all(burst);
	const [row] = await statement<{ count: number }>(
		url,
		"SELECT count(*)::integer FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'plinth'",
	);
	await app.stop();
	expect(row?.count).toBeLessThanOrEqual(10);
	const left = await statement<{ count: number }>(
		url,
		"SELECT count(*)::integer FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'plinth'",
	);
	expect(left[0]?.count).toBe(0);
});
