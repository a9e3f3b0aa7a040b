import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { JobEvent, JobStore } from '@plinth/core';

/** Events per read. */
const pageSize = 200;

/** Handlers of the events. */
export interface EventLogHandlers {
	/** Called in the order of the log; the next event follows when the promise resolves. */
	event(event: JobEvent): Promise<void>;
	failed(err: unknown): void;
	recovered(): void;
}

/** Reads the event log of all tenants, starting at its head at the first read. Reads never overlap. */
export class EventLogReader {
	readonly #store: Pick<JobStore, 'events' | 'head'>;
	readonly #handlers: EventLogHandlers;
	#cursor: string | undefined;
	/** Incremented by `reset`, which invalidates a running read. */
	#epoch = 0;
	#isReading = false;
	#isPollRequested = false;
	#pendingSyncs: PromiseWithResolvers<void>[] = [];

	constructor(store: Pick<JobStore, 'events' | 'head'>, events: EventLogHandlers) {
		this.#store = store;
		this.#handlers = events;
	}

	/** The cursor of the next read. Defined after a successful `sync`. */
	get cursor(): string | undefined {
		return this.#cursor;
	}

	/** Starts a read. Calls during a read cause one more. */
	poll(): void {
		this.#isPollRequested = true;
		if (!this.#isReading) void this.#run();
	}

	/** Resolves when all events before the call were delivered. Rejects when the store fails. */
	sync(): Promise<void> {
		const sync = Promise.withResolvers<void>();
		this.#pendingSyncs.push(sync);
		this.poll();
		return sync.promise;
	}

	/** Stops at the current position; the next read starts at the head. */
	reset(): void {
		this.#epoch += 1;
		this.#cursor = undefined;
	}

	async #run(): Promise<void> {
		this.#isReading = true;
		while (this.#isPollRequested) {
			this.#isPollRequested = false;
			const syncs = this.#pendingSyncs.splice(0);
			try {
				await this.#read();
				this.#handlers.recovered();
				for (const { resolve } of syncs) resolve();
			} catch (err) {
				this.#handlers.failed(err);
				for (const { reject } of syncs) reject(err);
			}
		}
		this.#isReading = false;
	}

	async #read(): Promise<void> {
		const epoch = this.#epoch;
		let cursor = this.#cursor ?? (await this.#store.head());
		for (let hasMore = true; hasMore && epoch === this.#epoch; ) {
			this.#cursor = cursor;
			// Events trimmed before this read are missed. This happens only after the process was suspended for days, and
			// the records have the result.
			const page = await this.#store.events(cursor, { limit: pageSize });
			hasMore = page.events.length === pageSize;
			cursor = page.cursor;
			await this.#deliver(page.events);
			if (hasMore) await yieldToEventLoop();
		}
		if (epoch === this.#epoch) this.#cursor = cursor;
	}

	async #deliver(events: readonly JobEvent[]): Promise<void> {
		const epoch = this.#epoch;
		for (const event of events) {
			if (epoch !== this.#epoch) return;
			await this.#handlers.event(event);
		}
	}
}
