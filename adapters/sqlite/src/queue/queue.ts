import type {
	Clock,
	ConsumeOptions,
	Consumer,
	JobQueue,
	Logger,
	QueueHandler,
	QueueMessage,
} from '@plinth/core';
import type { Database } from '../engine/database.ts';
import { SqliteConsumer } from './consumer.ts';
import * as sql from './statements.ts';

/** Messages as rows: a consumer takes a row by deleting it. What a crash takes with it, the reconciler rings for again. */
export class SqliteJobQueue implements JobQueue {
	readonly #db: Database;
	readonly #clock: Clock;
	readonly #log: Logger;
	readonly #pollMs: number;
	readonly #consumers = new Set<SqliteConsumer>();
	#stopPolling: (() => void) | undefined;
	#seenVersion: number | undefined;

	constructor(database: Database, clock: Clock, log: Logger, pollMs: number) {
		this.#db = database;
		this.#clock = clock;
		this.#log = log;
		this.#pollMs = pollMs;
	}

	async enqueue(message: QueueMessage): Promise<void> {
		const { kind, tenant, jobId } = message;
		await this.#db.write('queue.enqueue', { kind, tenant, jobId });
		for (const consumer of this.#consumers) {
			if (consumer.kind === kind) consumer.pump();
		}
	}

	consume(kind: string, options: ConsumeOptions, handler: QueueHandler): Consumer {
		const consumer = new SqliteConsumer(this.#db, this.#log, kind, options, handler);
		this.#consumers.add(consumer);
		if (this.#consumers.size === 1) this.#poll();
		consumer.pump();
		return { close: () => this.#close(consumer) };
	}

	async depth(kind: string): Promise<number> {
		return this.#db.get<{ count: number }>(sql.countWaiting, { kind })?.count ?? 0;
	}

	/** Closes what is still open, before the file is closed. */
	async stop(): Promise<void> {
		await Promise.all([...this.#consumers].map((consumer) => this.#close(consumer)));
	}

	async #close(consumer: SqliteConsumer): Promise<void> {
		this.#consumers.delete(consumer);
		if (this.#consumers.size === 0) this.#stopPolling?.();
		await consumer.close();
	}

	/** Looks for the commits of other processes. Our own change the version too, and then a look costs one index read. */
	#poll(): void {
		this.#stopPolling = this.#clock.after(this.#pollMs, () => {
			this.#poll();
			try {
				const version = this.#db.get<{ data_version: number }>(sql.dataVersion)?.data_version;
				if (version === this.#seenVersion) return;
				this.#seenVersion = version;
				for (const consumer of this.#consumers) consumer.pump();
			} catch (error) {
				this.#log.warn({ err: error }, 'The SQLite queue could not be read.');
			}
		});
	}
}
