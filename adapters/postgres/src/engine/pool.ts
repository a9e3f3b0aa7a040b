import type { Logger } from '@plinth/core';
import pg from 'pg';
import { failureKind, toError } from '../errors.ts';

/** How many connections a process has to one URL, those of hints included. */
const connections = 10;

/** A call fails within two seconds. What it has begun to connect may take longer, and serves later calls. */
const callMs = 1_900;
const connectMs = 3_000;

/** How long a start waits for its connection. */
const startMs = 10_000;

/** A read is asked again only with so much time left. */
const againMs = 500;

/** Values of a statement. */
export type Values = readonly unknown[];

/** Types as this adapter reads them: whole numbers below 2^53 are numbers. */
const types = {
	getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
		oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

/** How `pg` connects, for the pool and for connections beside it. */
export function clientConfig(url: string): pg.ClientConfig {
	return {
		connectionString: url,
		application_name: 'plinth',
		connectionTimeoutMillis: connectMs,
		keepAlive: true,
		types,
	};
}

/**
 * Connections to one URL. Each call is one statement and one transaction, so no transaction waits for a client, and a
 * pooler in transaction mode may stand between. Statements are not named: their plans are in the functions.
 */
export class Pool {
	/** Where the database is, without user and password. */
	readonly address: string;
	readonly url: string;
	readonly #pool: pg.Pool;
	#isClosed = false;

	constructor(url: string, log?: Logger) {
		this.url = url;
		this.address = addressOf(url);
		// One is left for hints.
		this.#pool = new pg.Pool({ ...clientConfig(url), max: connections - 1, allowExitOnIdle: true });
		// While it is in use, the statement tells of its end; an event that nobody hears would end the process.
		this.#pool.on('connect', (client) => void client.on('error', () => {}));
		// Nobody waits for an idle connection, so nobody else hears of its end.
		this.#pool.on('error', (err) => log?.debug({ err, address: this.address }, 'an idle connection has ended'));
	}

	/** Reads. What fails because a connection was lost is asked again: all connections may have ended at once. */
	async read<Row extends Values>(text: string, values: Values = []): Promise<Row[]> {
		const deadline = performance.now() + callMs;
		for (let tries = 1; ; tries += 1) {
			try {
				return await this.#query<Row>(text, values, deadline);
			} catch (error) {
				const isLate = deadline - performance.now() < againMs;
				const isSpent = tries > (isRefused(error) ? 1 : connections);
				if (failureKind(error) !== 'connection' || isLate || isSpent || this.#isClosed)
					throw toError(error, this.address);
			}
		}
	}

	/** Writes, and repeats what has failed for a deadlock. Rejects with what `pg` has thrown. */
	async write<Row extends Values>(text: string, values: Values): Promise<Row[]> {
		const deadline = performance.now() + callMs;
		for (;;) {
			try {
				return await this.#query<Row>(text, values, deadline);
			} catch (error) {
				if (failureKind(error) !== 'retry' || performance.now() >= deadline) throw error;
			}
		}
	}

	/** Runs a task on a connection of its own, which is closed afterwards. For the start, which may take longer. */
	async withClient<T>(task: (client: pg.ClientBase) => Promise<T>): Promise<T> {
		const client = new pg.Client({ ...clientConfig(this.url), connectionTimeoutMillis: startMs });
		client.on('error', () => {});
		try {
			await client.connect();
			return await task(client);
		} finally {
			await client.end();
		}
	}

	/** Waits for the statements that run. */
	async close(): Promise<void> {
		this.#isClosed = true;
		await this.#pool.end();
	}

	#connect(deadline: number): Promise<pg.PoolClient> {
		return new Promise((resolve, reject) => {
			let isLate = false;
			const timer = setTimeout(() => {
				isLate = true;
				reject(new Error('timeout expired'));
			}, deadline - performance.now());
			this.#pool.connect().then(
				(client) => {
					clearTimeout(timer);
					if (isLate) client.release();
					else resolve(client);
				},
				(error: unknown) => {
					clearTimeout(timer);
					reject(error);
				},
			);
		});
	}

	async #query<Row extends Values>(text: string, values: Values, deadline: number): Promise<Row[]> {
		const client = await this.#connect(deadline);
		let fault: Error | undefined;
		try {
			const ms = Math.max(1, Math.round(deadline - performance.now()));
			const query = { text, values: [...values], rowMode: 'array' as const, query_timeout: ms };
			return (await client.query<Row[number][]>(query)).rows as unknown as Row[];
		} catch (error) {
			// A statement that timed out still runs, and the answer of a lost connection never comes.
			if (['connection', 'timeout'].includes(failureKind(error))) fault = error as Error;
			throw error;
		} finally {
			client.release(fault);
		}
	}
}

/** Whether no connection was made at all. */
function isRefused(error: unknown): boolean {
	return (error as NodeJS.ErrnoException).syscall === 'connect';
}

/** Host, port and database of a URL. */
export function addressOf(url: string): string {
	const { hostname, port, pathname, searchParams } = new URL(url);
	return `${searchParams.get('host') ?? hostname}:${port || 5432}${pathname}`;
}
