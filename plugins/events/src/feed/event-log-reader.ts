import { setImmediate as turn } from 'node:timers/promises';
import type { JobEvent, JobStore } from '@plinth/core';

/** How many events are read at once. */
const pageSize = 200;

/** What a tail does with what it reads. */
export interface TailEvents {
	/** In the order of the log. The next one follows when it resolves. */
	event(event: JobEvent): Promise<void>;
	failed(err: unknown): void;
	recovered(): void;
}

/** Reads the log of all tenants on, from where it stood when somebody began to follow. Never two reads at once. */
export class EventLogReader {
	readonly #store: Pick<JobStore, 'events' | 'head'>;
	readonly #events: TailEvents;
	#cursor: string | undefined;
	/** Raised whenever nobody follows any more: a read from before then is over. */
	#epoch = 0;
	#isReading = false;
	#isWanted = false;
	#waiting: PromiseWithResolvers<void>[] = [];

	constructor(store: Pick<JobStore, 'events' | 'head'>, events: TailEvents) {
		this.#store = store;
		this.#events = events;
	}

	/** Behind which event the next read begins. Known once a `sync` has succeeded. */
	get cursor(): string | undefined {
		return this.#cursor;
	}

	/** Something may have happened: reads soon. Many calls make one read. */
	poll(): void {
		this.#isWanted = true;
		if (!this.#isReading) void this.#run();
	}

	/** Resolves when all that had happened before the call has been told. Rejects when the store does not answer. */
	sync(): Promise<void> {
		const waiting = Promise.withResolvers<void>();
		this.#waiting.push(waiting);
		this.poll();
		return waiting.promise;
	}

	/** Nobody follows any more: what happens from now on is left out. */
	reset(): void {
		this.#epoch += 1;
		this.#cursor = undefined;
	}

	async #run(): Promise<void> {
		this.#isReading = true;
		while (this.#isWanted) {
			this.#isWanted = false;
			const waiting = this.#waiting.splice(0);
			try {
				await this.#read();
				this.#events.recovered();
				for (const { resolve } of waiting) resolve();
			} catch (err) {
				this.#events.failed(err);
				for (const { reject } of waiting) reject(err);
			}
		}
		this.#isReading = false;
	}

	async #read(): Promise<void> {
		const epoch = this.#epoch;
		let cursor = this.#cursor ?? (await this.#store.head());
		for (let isMore = true; isMore && epoch === this.#epoch; ) {
			this.#cursor = cursor;
			// What was trimmed before it could be read is in the records: only a process that slept for days misses it.
			const page = await this.#store.events(cursor, { limit: pageSize });
			isMore = page.events.length === pageSize;
			cursor = page.cursor;
			await this.#tell(page.events);
			if (isMore) await turn();
		}
		if (epoch === this.#epoch) this.#cursor = cursor;
	}

	async #tell(events: readonly JobEvent[]): Promise<void> {
		const epoch = this.#epoch;
		for (const event of events) {
			if (epoch !== this.#epoch) return;
			await this.#events.event(event);
		}
	}
}
