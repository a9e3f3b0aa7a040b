import type { ConsumeOptions, Logger, QueueHandler, QueueMessage } from '@plinth/core';
import type { Database } from '../engine/database.ts';
import * as sql from './statements.ts';

/** One subscription: takes as many messages as it has free slots, tenant by tenant. */
export class SqliteConsumer {
	readonly kind: string;
	readonly #db: Database;
	readonly #log: Logger;
	readonly #options: ConsumeOptions;
	readonly #handler: QueueHandler;
	readonly #inFlight = new Map<string, number>();
	readonly #open = new Set<Promise<void>>();
	#taken = 0;
	#servedLast = '';
	#taking = false;
	#rungMeanwhile = false;
	#closed = false;

	constructor(
		database: Database,
		log: Logger,
		kind: string,
		options: ConsumeOptions,
		handler: QueueHandler,
	) {
		this.kind = kind;
		this.#db = database;
		this.#log = log;
		this.#options = options;
		this.#handler = handler;
	}

	/** Takes what it can. Calls while it takes are remembered, so that no message waits for the next ring. */
	pump(): void {
		if (this.#taking) {
			this.#rungMeanwhile = true;
			return;
		}
		if (this.#closed || this.#taken >= this.#options.concurrency) return;
		this.#taking = true;
		this.#track(
			this.#take().finally(() => {
				this.#taking = false;
				if (this.#rungMeanwhile) {
					this.#rungMeanwhile = false;
					this.pump();
				}
			}),
		);
	}

	async close(): Promise<void> {
		this.#closed = true;
		while (this.#open.size > 0) await Promise.all(this.#open);
	}

	async #take(): Promise<void> {
		try {
			if (!this.#db.get(sql.isWaiting, { kind: this.kind })) return;
			const messages = await this.#db.write('queue.take', {
				kind: this.kind,
				count: this.#options.concurrency - this.#taken,
				after: this.#servedLast,
				room: this.#room(),
				perTenant: this.#options.perTenant,
			});
			this.#servedLast = messages.at(-1)?.tenant ?? this.#servedLast;
			// Closed meanwhile: they go back to where others find them.
			if (this.#closed) await this.#putBack(messages);
			else for (const message of messages) this.#accept(message);
		} catch (error) {
			this.#log.warn({ err: error, kind: this.kind }, 'The SQLite queue could not be read.');
		}
	}

	async #putBack(messages: readonly QueueMessage[]): Promise<void> {
		await Promise.all(messages.map((message) => this.#db.write('queue.enqueue', message)));
	}

	#accept(message: QueueMessage): void {
		this.#occupy(message.tenant, 1);
		this.#track(this.#call(message));
	}

	/** Settles with the handler; the slot stays taken until the attempt has finished. */
	async #call(message: QueueMessage): Promise<void> {
		const free = (): void => {
			this.#occupy(message.tenant, -1);
			this.pump();
		};
		try {
			const accepted = await this.#handler(message);
			void (accepted?.finished ?? Promise.resolve()).catch(() => {}).then(free);
		} catch (error) {
			this.#log.warn({ err: error, jobId: message.jobId }, 'A queue handler failed.');
			free();
		}
	}

	#room(): Record<string, number> {
		const { perTenant } = this.#options;
		return Object.fromEntries(
			[...this.#inFlight].map(([tenant, count]) => [tenant, perTenant - count]),
		);
	}

	#occupy(tenant: string, change: 1 | -1): void {
		const count = (this.#inFlight.get(tenant) ?? 0) + change;
		this.#taken += change;
		if (count === 0) this.#inFlight.delete(tenant);
		else this.#inFlight.set(tenant, count);
	}

	#track(task: Promise<void>): void {
		this.#open.add(task);
		void task.finally(() => this.#open.delete(task));
	}
}
