import type { Clock } from '@plinth/core';
import { isPlinthError } from '@plinth/core';
import type { FeedEndReason, FeedQuery, FeedReader, JobUpdate } from '@plinth/toolkit';
import type { TickBudget } from './tick-budget.ts';
import type { FeedEvent, Updates } from './updates.ts';

/** Maximum queued updates of one reader, in estimated bytes. */
const maxQueuedBytes = 262_144;
/** Delay before a failed read of a record is retried. */
const retryMs = 500;

/** Dependencies of a subscription. */
export interface SubscriptionContext {
	readonly updates: Updates;
	/** Limits the updates per tick. */
	readonly budget: TickBudget;
	readonly clock: Clock;
	/** Called when the store fails. */
	readonly onFailure: (err: unknown) => void;
	/** Called when the subscription closes. */
	readonly onClose: (closed: FeedSubscription) => void;
}

interface QueuedEvent {
	readonly event: FeedEvent;
	readonly bytes: number;
}

/** The updates of one reader. Queues events until they are read, and ends when the queue exceeds its limit. */
export class FeedSubscription implements FeedReader, AsyncIterator<JobUpdate> {
	readonly tenant: string;
	readonly jobId: string | undefined;
	readonly #kind: string | undefined;
	readonly #signal: AbortSignal;
	readonly #context: SubscriptionContext;
	/** The initial events, sent before the queue, in reverse order. */
	#initial: FeedEvent[] = [];
	/** Events by cursor, in order; progress and previews by job id, so that only the newest is queued. */
	readonly #queue = new Map<string, QueuedEvent>();
	#queuedBytes = 0;
	#endReason: FeedEndReason | undefined;
	#isDone = false;
	#wake: () => void = () => {};
	#cancelTimeout: () => void = () => {};
	readonly #onAbort = () => this.#close();

	constructor({ tenant, jobId, kind, signal, maxMs }: FeedQuery, context: SubscriptionContext) {
		this.tenant = tenant;
		this.jobId = jobId;
		this.#kind = kind;
		this.#signal = signal;
		this.#context = context;
		if (signal.aborted) this.#close();
		else signal.addEventListener('abort', this.#onAbort, { once: true });
		if (maxMs !== undefined && !this.#isDone) {
			this.#cancelTimeout = context.clock.after(maxMs, () => this.finish('max_age'));
		}
	}

	get endReason(): FeedEndReason | undefined {
		return this.#endReason;
	}

	get isDone(): boolean {
		return this.#isDone;
	}

	/** Whether the queue is more than half full. */
	get isBackedUp(): boolean {
		return this.#queuedBytes > maxQueuedBytes / 2;
	}

	[Symbol.asyncIterator](): this {
		return this;
	}

	/** Queues an event of the tenant. */
	push(event: FeedEvent): void {
		if (this.#isDone || !this.#matches(event)) return;
		const { cursor, jobId, preview } = event;
		if (preview !== undefined) {
			this.#pushPreview(event, preview.length);
			return;
		}
		const bytes = cursor === undefined ? 0 : this.#context.updates.estimateBytes(event);
		if (this.#queuedBytes + bytes > maxQueuedBytes) {
			this.finish('slow_reader');
			return;
		}
		this.#queuedBytes += bytes;
		this.#queue.set(cursor ?? jobId, { event, bytes });
		this.#wake();
	}

	/** Drops a preview if the queue would be more than half full, so that other events have room. */
	#pushPreview(event: FeedEvent, bytes: number): void {
		const key = `${event.jobId} preview`;
		this.#drop(key);
		if (this.#queuedBytes + bytes > maxQueuedBytes / 2) return;
		this.#queuedBytes += bytes;
		this.#queue.set(key, { event, bytes });
		this.#wake();
	}

	/** Empties the queue, because the state that is read next includes its events. */
	clear(): void {
		this.#queue.clear();
		this.#queuedBytes = 0;
	}

	/** Sets the initial events, which replace equal ones in the queue. */
	start(initial: readonly FeedEvent[]): void {
		if (this.#isDone) return;
		for (const { cursor } of initial) if (cursor !== undefined) this.#drop(cursor);
		this.#initial = initial.filter((event) => this.#matches(event)).reverse();
	}

	/** Ends the subscription early and drops the queue. */
	finish(reason?: FeedEndReason): void {
		if (this.#isDone) return;
		this.#endReason = reason;
		this.#close();
	}

	/** Rejects when a job cannot be rendered; a retry would not help. */
	async next(): Promise<IteratorResult<JobUpdate, undefined>> {
		for (;;) {
			const event = this.#shift();
			if (event) {
				const update = await this.#toUpdate(event);
				if (update) return { done: false, value: update };
			} else if (this.#isDone) {
				return { done: true, value: undefined };
			} else {
				await new Promise<void>((resolve) => {
					this.#wake = resolve;
				});
			}
		}
	}

	async return(): Promise<IteratorResult<JobUpdate, undefined>> {
		this.#close();
		return { done: true, value: undefined };
	}

	#matches({ type, tenant, kind, jobId }: FeedEvent): boolean {
		if (type === 'stream.ready') return true;
		const matchesJob = this.jobId === undefined || this.jobId === jobId;
		return matchesJob && tenant === this.tenant && (this.#kind ?? kind) === kind;
	}

	#shift(): FeedEvent | undefined {
		const first = this.#initial.pop();
		if (first) return first;
		const [entry] = this.#queue;
		if (!entry) return undefined;
		const [key, { event }] = entry;
		this.#drop(key);
		return event;
	}

	#drop(key: string): void {
		this.#queuedBytes -= this.#queue.get(key)?.bytes ?? 0;
		this.#queue.delete(key);
	}

	/** The update of an event; undefined when it is outdated. */
	async #toUpdate(event: FeedEvent): Promise<JobUpdate | undefined> {
		const update = await this.#read(event);
		if (!update || isOutdated(update)) return undefined;
		if (this.jobId !== undefined && isLast(update)) this.#close();
		return update;
	}

	/** Retries while the store is unavailable, so that a short outage does not end the feed. */
	async #read(event: FeedEvent): Promise<JobUpdate | undefined> {
		const { updates, budget, clock, onFailure } = this.#context;
		await budget.take();
		if (this.#isDone) return undefined;
		for (;;) {
			try {
				return await updates.forEvent(event);
			} catch (err) {
				if (!isPlinthError(err) || err.code !== 'E_STORE_UNAVAILABLE') {
					this.#close();
					throw err;
				}
				onFailure(err);
				await new Promise<void>((resolve) => clock.after(retryMs, resolve));
				if (this.#isDone) return undefined;
			}
		}
	}

	#close(): void {
		if (this.#isDone) return;
		this.#isDone = true;
		this.#cancelTimeout();
		this.#signal.removeEventListener('abort', this.#onAbort);
		this.#initial = [];
		this.clear();
		this.#context.onClose(this);
		this.#wake();
	}
}

/** Whether a later transition, or the removal of the job, makes the update obsolete. */
function isOutdated({ type, job }: JobUpdate): boolean {
	if (type === 'stream.ready' || type === 'job.deleted') return false;
	if (!job) return true;
	if (type === 'job.waiting') return job.status !== 'queued';
	return (type === 'job.progress' || type === 'job.preview') && job.status !== 'in_progress';
}

/** Whether the update is the last one of its job. */
function isLast({ type, job }: JobUpdate): boolean {
	if (type === 'job.completed' || type === 'job.failed' || type === 'job.deleted') return true;
	return type === 'job.state' && job !== null && job.completedAt !== null;
}
