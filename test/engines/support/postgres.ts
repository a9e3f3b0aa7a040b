import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { appendFile, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@plinth/testing';
import pg from 'pg';
import { freePort } from '../../support/free-port.ts';
import { childrenOf } from '../../support/process-tree.ts';

const run = promisify(execFile);

/** The programs of the newest PostgreSQL version that is installed from Debian. */
const programs = ['18', '17', '16', '15'].map((version) => `/usr/lib/postgresql/${version}/bin`).find(existsSync);

/** A PostgreSQL server with a temporary folder, a free port and synchronous commits. */
export interface OwnPostgres {
	readonly port: number;
	/** The URL of a database, `postgres` by default. */
	url(database?: string): string;
	/** Creates an empty database. */
	database(): Promise<string>;
	/** Kills the server, as in a crash. */
	kill(): Promise<void>;
	/** Stops the server in the fast mode. */
	shutDown(): Promise<void>;
	start(): Promise<void>;
	/** A pooler in transaction mode in front of the server, with two connections per database. */
	pooler(database: string): Promise<{ readonly url: string; stop(): Promise<void> }>;
	/** Starts a standby of this server. */
	standby(): Promise<OwnPostgres>;
	/** Runs a program of PostgreSQL, such as `pg_dump`, as the user of the server. */
	program(name: string, args: readonly string[]): Promise<string>;
	remove(): Promise<void>;
}

/** The folder of a server, and its primary. */
export interface PostgresOptions {
	/** The folder of the data, without the write-ahead log; a temporary folder by default. */
	readonly disk?: string;
	/** The URL of the primary, for a standby. */
	readonly primary?: string;
}

/** Starts a server. Rejects when PostgreSQL is not installed. */
export async function ownPostgres(
	settings: readonly string[] = [],
	{ disk, primary }: PostgresOptions = {},
): Promise<OwnPostgres> {
	if (!programs) throw new Error('There is no PostgreSQL: apt-get install postgresql.');
	const folder = await mkdtemp(join(tmpdir(), 'plinth-postgres-'));
	const user = await unprivileged();
	if (user) await chown(folder, user.uid, user.gid);
	const port = await freePort();
	if (disk && user) await chown(disk, user.uid, user.gid);
	const data = join(disk ?? folder, 'data');
	const options = {
		...user,
		cwd: folder,
		env: { PATH: process.env.PATH ?? '', LC_ALL: 'C.UTF-8', PGPASSWORD: secret },
	};
	const program = async (name: string, args: readonly string[]) =>
		(await run(join(programs, name), args, options)).stdout;
	if (primary) await program('pg_basebackup', ['-D', data, '-d', primary, '-R', '-c', 'fast']);
	else {
		const password = join(folder, 'password');
		await writeFile(password, secret);
		if (user) await chown(password, user.uid, user.gid);
		const access = ['-U', 'plinth', `--pwfile=${password}`, '-A', 'scram-sha-256'];
		await program('initdb', ['-D', data, ...access, '-E', 'UTF8', `--waldir=${join(folder, 'wal')}`]);
	}
	const own = [
		"listen_addresses = '127.0.0.1'",
		`port = ${port}`,
		`unix_socket_directories = '${folder}'`,
		'fsync = on',
	];
	await appendFile(join(data, 'postgresql.conf'), [...own, ...settings, ''].join('\n'));
	const url = (database = 'postgres') => `postgres://plinth:${secret}@127.0.0.1:${port}/${database}`;

	let server: ReturnType<typeof spawn> | undefined;
	const stop = async (signal: NodeJS.Signals) => {
		const stopping = server;
		server = undefined;
		if (!stopping || stopping.exitCode !== null) return;
		const ended = once(stopping, 'exit');
		// Its processes are not in the process group of the child. A remaining one may complete one more statement.
		const left = signal === 'SIGKILL' && stopping.pid ? childrenOf(stopping.pid) : [];
		stopping.kill(signal);
		for (const pid of left) killIfAlive(pid);
		await ended;
	};
	const start = async () => {
		const begin = () =>
			spawn(join(programs, 'postgres'), ['-D', data], { ...options, stdio: 'ignore', detached: true });
		server = begin();
		const isUp = () => {
			// After a crash the server does not start until the last of its old processes has ended.
			if (server?.exitCode !== null) server = begin();
			return responses(url());
		};
		await eventually('PostgreSQL answers', isUp, 20_000);
	};
	await start();
	return {
		port,
		url,
		async database() {
			const name = `t${randomBytes(6).toString('hex')}`;
			await statement(url(), `CREATE DATABASE ${name}`);
			return url(name);
		},
		kill: () => stop('SIGKILL'),
		shutDown: () => stop('SIGINT'),
		start,
		standby: () => ownPostgres(settings, { primary: url() }),
		program,
		async pooler(database) {
			const near = await freePort();
			const name = new URL(database).pathname.slice(1);
			const file = join(folder, `pgbouncer-${near}.ini`);
			const lines = [
				'[databases]',
				`${name} = host=127.0.0.1 port=${port} user=plinth password=${secret}`,
				'[pgbouncer]',
				'listen_addr = 127.0.0.1',
				`listen_port = ${near}`,
				'unix_socket_dir =',
				'auth_type = any',
				'pool_mode = transaction',
				'default_pool_size = 2',
			];
			await writeFile(file, lines.join('\n'));
			const pooler = spawn('/usr/sbin/pgbouncer', ['-q', file], { ...options, stdio: 'ignore' });
			const url = `postgres://plinth:${secret}@127.0.0.1:${near}/${name}`;
			await eventually('pgbouncer answers', () => responses(url), 10_000);
			return {
				url,
				async stop() {
					const ended = once(pooler, 'exit');
					pooler.kill('SIGKILL');
					await ended;
				},
			};
		},
		async remove() {
			await stop('SIGKILL');
			await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
		},
	};
}

/** Creates a database on the server of `PLINTH_TEST_POSTGRES`, or on a server that is started for it. */
export async function testDatabase(): Promise<{ readonly url: string; remove(): Promise<void> }> {
	const given = process.env.PLINTH_TEST_POSTGRES;
	if (given) {
		const name = `plinth_test_${randomBytes(6).toString('hex')}`;
		await statement(given, `CREATE DATABASE ${name}`);
		const url = new URL(given);
		url.pathname = `/${name}`;
		return { url: url.href, remove: async () => void (await statement(given, `DROP DATABASE ${name} WITH (FORCE)`)) };
	}
	const server = await ownPostgres();
	return { url: await server.database(), remove: () => server.remove() };
}

/** Runs one statement on its own connection. */
export async function statement<Row extends pg.QueryResultRow>(url: string, text: string, values: unknown[] = []) {
	const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
	client.on('error', () => {});
	await client.connect();
	try {
		return (await client.query<Row>(text, values)).rows;
	} finally {
		await client.end();
	}
}

/** A connection that stays open. */
export async function connection(url: string): Promise<pg.Client> {
	const client = new pg.Client({ connectionString: url });
	client.on('error', () => {});
	await client.connect();
	return client;
}

const secret = randomBytes(12).toString('hex');

/** PostgreSQL refuses to run as root. It then runs as the user that its Debian package has created. */
async function unprivileged(): Promise<{ uid: number; gid: number } | undefined> {
	if (process.getuid?.() !== 0) return undefined;
	const [uid, gid] = await Promise.all(
		['-u', '-g'].map(async (of) => Number((await run('id', [of, 'postgres'])).stdout)),
	);
	return { uid: uid ?? 0, gid: gid ?? 0 };
}

function killIfAlive(pid: number): void {
	try {
		process.kill(pid, 'SIGKILL');
	} catch {
		// The process has ended meanwhile.
	}
}

async function responses(url: string): Promise<boolean> {
	return statement(url, 'SELECT 1').then(
		() => true,
		() => false,
	);
}
