import type { Logger } from '@plinth/core';
import pg from 'pg';
import { failureKind, toError } from '../errors.ts';

/** Maximum connections of a process to one URL, including the one for hints. */
const maxConnections = 10;

/** A call fails within two seconds. A connection that it has started may take longer, and serves later calls. */
const callMs = 1_900;
const connectMs = 3_000;

/** How long a start waits for its connection. */
const startMs = 10_000;

/** A read is retried only with at least this time left. */
const retryMs = 500;

/** Values of a statement. */
export type Values = readonly unknown[];

/** Types as this adapter reads them: whole numbers below 2^53 are numbers. */
const types = {
	getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
		oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

/** Settings of `pg`, for the pool and for single connections. */
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
 * Connections to one URL. Each call is one statement and one transaction, so no transaction waits for this process, and
 * a pooler in transaction mode can be used. Statements are not named, because the functions cache their plans.
 */
export class Pool {
	/** Host, port and database, without user and password. */
	readonly address: string;
	readonly url: string;
	readonly #pool: pg.Pool;
	#isClosed = false;

	constructor(url: string, log?: Logger) {
		this.url = url;
		this.address = addressOf(url);
		// One connection is reserved for hints.
		this.#pool = new pg.Pool({ ...clientConfig(url), max: maxConnections - 1, allowExitOnIdle: true });
		// A statement in progress rejects when its connection ends. Without a listener, the event would end the process.
		this.#pool.on('connect', (client) => void client.on('error', () => {}));
		// The end of an idle connection fails no statement, so it is logged here.
		this.#pool.on('error', (err) => log?.debug({ err, address: this.address }, 'an idle connection has ended'));
	}

	/** Reads. Retries when a connection was lost: all connections may have ended at once. */
	async read<Row extends Values>(text: string, values: Values = []): Promise<Row[]> {
		const deadline = performance.now() + callMs;
		for (let tries = 1; ; tries += 1) {
			try {
				return await this.#query<Row>(text, values, deadline);
			} catch (error) {
				const isLate = deadline - performance.now() < retryMs;
				const hasNoTriesLeft = tries > (isRefused(error) ? 1 : maxConnections);
				if (failureKind(error) !== 'connection' || isLate || hasNoTriesLeft || this.#isClosed)
					throw toError(error, this.address);
			}
		}
	}

	/** Writes, and retries after a deadlock. Rejects with the error of `pg`. */
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

	/** Waits for running statements, then closes the connections. */
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
			// Such a connection is closed: a statement that timed out still runs, and a lost connection never responds.
			if (['connection', 'timeout'].includes(failureKind(error))) fault = error as Error;
			throw error;
		} finally {
			client.release(fault);
		}
	}
}

/** Whether no connection could be made. */
function isRefused(error: unknown): boolean {
	return (error as NodeJS.ErrnoException).syscall === 'connect';
}

/** Host, port and database of a URL. */
export function addressOf(url: string): string {
	const { hostname, port, pathname, searchParams } = new URL(url);
	return `${searchParams.get('host') ?? hostname}:${port || 5432}${pathname}`;
}
