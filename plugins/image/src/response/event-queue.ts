import type { ServerEvent } from '@plinth/core';

/** How many events may be queued for a slow reader: each may hold a picture of many megabytes. */
export const maxQueued = 4;

/**
 * A queue of events between a producer and one reader. Calls `onCancel` once when the reader returns before
 * the end, also while `next` is pending; a generator would notice only at its next yield.
 */
export class EventQueue implements AsyncIterableIterator<ServerEvent> {
	readonly #onCancel: () => void;
	readonly #events: ServerEvent[] = [];
	readonly #first = Promise.withResolvers<void>();
	#end: { readonly error?: unknown } | undefined;
	#wake = () => {};
	#blockedWriters: (() => void)[] = [];

	constructor(onCancel: () => void) {
		this.#onCancel = onCancel;
		// A caller that does not await the first event reads the failure from the iterator.
		this.#first.promise.catch(() => {});
	}

	[Symbol.asyncIterator](): this {
		return this;
	}

	/** Whether the queue is below its limit. */
	get hasCapacity(): boolean {
		return this.#events.length < maxQueued;
	}

	/** Resolves when the queue is below its limit. Rejects after the end. */
	async waitForCapacity(): Promise<void> {
		while (!this.#end && !this.hasCapacity) {
			await new Promise<void>((resolve) => {
				this.#blockedWriters.push(resolve);
			});
		}
		if (this.#end) throw new Error('The reader has returned.');
	}

	/** Adds an event, also above the limit; drops it after the end. */
	push(event: ServerEvent): void {
		if (this.#end) return;
		this.#events.push(event);
		this.#first.resolve();
		this.#wake();
	}

	/** Ends the queue; queued events are still read. */
	end(): void {
		this.#finish({});
		this.#first.resolve();
	}

	/** Queued events are still read; then reading rejects. */
	fail(error: unknown): void {
		this.#finish({ error });
		this.#first.reject(error);
	}

	/** Resolves with the first event or the end. Rejects on a failure before that. */
	awaitFirst(): Promise<void> {
		return this.#first.promise;
	}

	async next(): Promise<IteratorResult<ServerEvent, undefined>> {
		for (;;) {
			const event = this.#events.shift();
			this.#resumeWriters();
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
			this.#onCancel();
		}
		this.#events.length = 0;
		return { done: true, value: undefined };
	}

	#finish(end: { readonly error?: unknown }): void {
		this.#end ??= end;
		this.#wake();
		this.#resumeWriters();
	}

	#resumeWriters(): void {
		for (const resolve of this.#blockedWriters.splice(0)) resolve();
	}
}
