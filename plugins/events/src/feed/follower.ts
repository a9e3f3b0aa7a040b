import type { Clock } from '@plinth/core';
import { isPlinthError } from '@plinth/core';
import type { FeedEnd, FeedQuery, FeedReader, JobUpdate } from '@plinth/toolkit';
import type { TickBudget } from './tick-budget.ts';
import type { FeedEvent, Updates } from './updates.ts';

/** How much may wait for one reader, in bytes of what it will become. */
const maxWaiting = 262_144;
/** How long to wait before a record is asked for again that could not be read. */
const againMs = 500;

/** What a follower works with. */
export interface FollowerTools {
	readonly updates: Updates;
	/** In which updates are handed out. */
	readonly turns: TickBudget;
	readonly clock: Clock;
	/** The store did not answer. */
	readonly onFailure: (err: unknown) => void;
	/** The follower is to be forgotten. */
	readonly onLeave: (follower: Follower) => void;
}

interface Waiting {
	readonly happening: FeedEvent;
	readonly bytes: number;
}

/** One reader's share of what happens: keeps what it has not taken yet, and ends when there is too much of it. */
export class Follower implements FeedReader, AsyncIterator<JobUpdate> {
	readonly tenant: string;
	readonly jobId: string | undefined;
	readonly #kind: string | undefined;
	readonly #signal: AbortSignal;
	readonly #tools: FollowerTools;
	/** What comes before everything that waits, the last first. */
	#first: FeedEvent[] = [];
	/** By cursor, in order; progress by its job, so that only the newest of it waits. */
	readonly #waiting = new Map<string, Waiting>();
	#bytes = 0;
	#end: FeedEnd | undefined;
	#isOver = false;
	#wake: () => void = () => {};
	#disarm: () => void = () => {};
	readonly #leave = () => this.#over();

	constructor({ tenant, jobId, kind, signal, maxMs }: FeedQuery, tools: FollowerTools) {
		this.tenant = tenant;
		this.jobId = jobId;
		this.#kind = kind;
		this.#signal = signal;
		this.#tools = tools;
		if (signal.aborted) this.#over();
		else signal.addEventListener('abort', this.#leave, { once: true });
		if (maxMs !== undefined && !this.#isOver) {
			this.#disarm = tools.clock.after(maxMs, () => this.finish('max_age'));
		}
	}

	get end(): FeedEnd | undefined {
		return this.#end;
	}

	get isOver(): boolean {
		return this.#isOver;
	}

	/** More than half of what may wait does: the reader needs a moment. */
	get isPressed(): boolean {
		return this.#bytes > maxWaiting / 2;
	}

	[Symbol.asyncIterator](): this {
		return this;
	}

	/** Takes what happened to a job of the tenant. */
	push(happening: FeedEvent): void {
		if (this.#isOver || !this.#concerns(happening)) return;
		const { cursor, jobId } = happening;
		const bytes = cursor === undefined ? 0 : this.#tools.updates.bytesOf(happening);
		if (this.#bytes + bytes > maxWaiting) {
			this.finish('slow_reader');
			return;
		}
		this.#bytes += bytes;
		this.#waiting.set(cursor ?? jobId, { happening, bytes });
		this.#wake();
	}

	/** Forgets what waits: the state that is read from here on has it. */
	clear(): void {
		this.#waiting.clear();
		this.#bytes = 0;
	}

	/** What to tell before all that waits, without what waits of it. */
	begin(first: readonly FeedEvent[]): void {
		if (this.#isOver) return;
		for (const { cursor } of first) if (cursor !== undefined) this.#drop(cursor);
		this.#first = first.filter((happening) => this.#concerns(happening)).reverse();
	}

	/** Ends the updates early: what waits is dropped. */
	finish(end?: FeedEnd): void {
		if (this.#isOver) return;
		this.#end = end;
		this.#over();
	}

	/** Rejects when a job can be read but not shown: that does not heal. */
	async next(): Promise<IteratorResult<JobUpdate, undefined>> {
		for (;;) {
			const happening = this.#take();
			if (happening) {
				const update = await this.#tell(happening);
				if (update) return { done: false, value: update };
			} else if (this.#isOver) {
				return { done: true, value: undefined };
			} else {
				await new Promise<void>((resolve) => {
					this.#wake = resolve;
				});
			}
		}
	}

	async return(): Promise<IteratorResult<JobUpdate, undefined>> {
		this.#over();
		return { done: true, value: undefined };
	}

	#concerns({ type, tenant, kind, jobId }: FeedEvent): boolean {
		if (type === 'stream.ready') return true;
		const isMeant = this.jobId === undefined || this.jobId === jobId;
		return isMeant && tenant === this.tenant && (this.#kind ?? kind) === kind;
	}

	#take(): FeedEvent | undefined {
		const first = this.#first.pop();
		if (first) return first;
		const [entry] = this.#waiting;
		if (!entry) return undefined;
		const [key, { happening }] = entry;
		this.#drop(key);
		return happening;
	}

	#drop(key: string): void {
		this.#bytes -= this.#waiting.get(key)?.bytes ?? 0;
		this.#waiting.delete(key);
	}

	/** Undefined: nobody needs to hear of it any more. */
	async #tell(happening: FeedEvent): Promise<JobUpdate | undefined> {
		const update = await this.#read(happening);
		if (!update || isOutdated(update)) return undefined;
		if (this.jobId !== undefined && isLast(update)) this.#over();
		return update;
	}

	/** A store that is away for a moment costs no reader its feed. */
	async #read(happening: FeedEvent): Promise<JobUpdate | undefined> {
		const { updates, turns, clock, onFailure } = this.#tools;
		await turns.take();
		if (this.#isOver) return undefined;
		for (;;) {
			try {
				return await updates.of(happening);
			} catch (err) {
				if (!isPlinthError(err) || err.code !== 'E_STORE_UNAVAILABLE') {
					this.#over();
					throw err;
				}
				onFailure(err);
				await new Promise<void>((resolve) => clock.after(againMs, resolve));
				if (this.#isOver) return undefined;
			}
		}
	}

	#over(): void {
		if (this.#isOver) return;
		this.#isOver = true;
		this.#disarm();
		this.#signal.removeEventListener('abort', this.#leave);
		this.#first = [];
		this.clear();
		this.#tools.onLeave(this);
		this.#wake();
	}
}

/** A transition that follows says more. */
function isOutdated({ type, job }: JobUpdate): boolean {
	if (type === 'job.state') return job === null;
	return type === 'job.progress' && job?.status !== 'in_progress';
}

/** Nothing follows that the reader of one job waits for. */
function isLast({ type, job }: JobUpdate): boolean {
	if (type === 'job.completed' || type === 'job.failed' || type === 'job.deleted') return true;
	return type === 'job.state' && job !== null && job.completedAt !== null;
}
