import type { ServerEvent } from '@plinth/core';

/** How many events may wait for a reader who is slower than the work: each may hold a picture of many megabytes. */
export const mostWaiting = 4;

/**
 * Events that are pushed while somebody reads them. `leave` is called once when the reader has gone before the end, also in the middle
 * of a wait: a generator would notice only when it yields.
 */
export class EventQueue implements AsyncIterableIterator<ServerEvent> {
	readonly #leave: () => void;
	readonly #events: ServerEvent[] = [];
	readonly #begun = Promise.withResolvers<void>();
	#end: { readonly error?: unknown } | undefined;
	#wake = () => {};
	#waiting: (() => void)[] = [];

	constructor(leave: () => void) {
		this.#leave = leave;
		// Whoever does not wait for the beginning reads the failure from the stream.
		this.#begun.promise.catch(() => {});
	}

	[Symbol.asyncIterator](): this {
		return this;
	}

	/** Whether the reader keeps up. */
	get hasRoom(): boolean {
		return this.#events.length < mostWaiting;
	}

	/** Resolves when the reader keeps up. Rejects when nobody reads any more. */
	async room(): Promise<void> {
		while (!this.#end && !this.hasRoom) {
			await new Promise<void>((resolve) => {
				this.#waiting.push(resolve);
			});
		}
		if (this.#end) throw new Error('Nobody reads any more.');
	}

	/** Adds an event, whether there is room or not; after the end it is dropped. */
	push(event: ServerEvent): void {
		if (this.#end) return;
		this.#events.push(event);
		this.#begun.resolve();
		this.#wake();
	}

	/** No more events. */
	end(): void {
		this.#finish({});
		this.#begun.resolve();
	}

	/** The events that are there are still read, then reading rejects. */
	fail(error: unknown): void {
		this.#finish({ error });
		this.#begun.reject(error);
	}

	/** Resolves with the first event. Rejects when there is a failure before. */
	begun(): Promise<void> {
		return this.#begun.promise;
	}

	async next(): Promise<IteratorResult<ServerEvent, undefined>> {
		for (;;) {
			const event = this.#events.shift();
			this.#tellRoom();
			if (event) return { done: false, value: event };
			if (this.#end && 'error' in this.#end) {
				const { error } = this.#end;
				this.#end = {};
				throw error;
			}
			if (this.#end) return { done: true, value: undefined };
			await new Promise<void>((resolve) => {
				this.#wake = resolve;
			});
		}
	}

	async return(): Promise<IteratorResult<ServerEvent, undefined>> {
		if (!this.#end) {
			this.#finish({});
			this.#leave();
		}
		this.#events.length = 0;
		return { done: true, value: undefined };
	}

	#finish(end: { readonly error?: unknown }): void {
		this.#end ??= end;
		this.#wake();
		this.#tellRoom();
	}

	#tellRoom(): void {
		for (const resolve of this.#waiting.splice(0)) resolve();
	}
}
