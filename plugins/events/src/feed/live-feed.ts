import { setImmediate as turn } from 'node:timers/promises';
import type {
	BusEvent,
	Clock,
	EventBus,
	Job,
	JobEvent,
	JobKinds,
	JobStore,
	Logger,
	ServerEvent,
} from '@plinth/core';
import { isPlinthError } from '@plinth/core';
import type { FeedQuery, FeedReader, JobFeed } from '@plinth/toolkit';
import { eventsSince, type JobSnapshot, snapshotOfOne, snapshotsOfAll } from './beginning.ts';
import { EventLogReader } from './event-log-reader.ts';
import { Follower } from './follower.ts';
import { Followers } from './followers.ts';
import { framesOf } from './frames.ts';
import { ProgressWatch } from './progress.ts';
import { TickBudget } from './tick-budget.ts';
import { type FeedEvent, Updates } from './updates.ts';
import { plainView } from './view.ts';

/** How often the log is looked at although no hint came: other processes share the store, and need not share the bus. */
const lookMs = 500;
/** How many updates are handed out in one turn of the event loop, and how many pages are read where feeds begin: some milliseconds of work. */
const updatesPerTurn = 128;
const pagesPerTurn = 4;

/** What a feed stands on. */
export interface FeedPorts {
	readonly store: JobStore;
	readonly bus: EventBus;
	readonly kinds: JobKinds;
}

/** One reader of the log for all who follow, and none while nobody does. */
export class LiveFeed implements JobFeed {
	readonly #store: JobStore;
	readonly #bus: EventBus;
	readonly #kinds: JobKinds;
	readonly #clock: Clock;
	readonly #log: Logger;
	readonly #updates: Updates;
	readonly #tail: EventLogReader;
	readonly #progress: ProgressWatch;
	readonly #followers = new Followers();
	readonly #turns = new TickBudget(updatesPerTurn);
	readonly #pages = new TickBudget(pagesPerTurn);
	#sleep: (() => void) | undefined;
	#isAway = false;
	#isStopped = false;

	constructor({ store, bus, kinds }: FeedPorts, clock: Clock, log: Logger) {
		this.#store = store;
		this.#bus = bus;
		this.#kinds = kinds;
		this.#clock = clock;
		this.#log = log;
		this.#updates = new Updates(store, (job) => this.#view(job));
		this.#tail = new EventLogReader(store, {
			event: (event) => this.#tell(event),
			failed: (err) => this.#noteFailure(err),
			recovered: () => {
				this.#isAway = false;
			},
		});
		this.#progress = new ProgressWatch({
			store,
			clock,
			isWanted: (tenant, jobId) => this.#followers.concerns(tenant, jobId),
			tell: (happening) => void this.#followers.tell(happening),
		});
	}

	kinds(): readonly string[] {
		return this.#kinds.names();
	}

	async follow(query: FeedQuery): Promise<FeedReader> {
		const follower = new Follower(query, {
			updates: this.#updates,
			turns: this.#turns,
			clock: this.#clock,
			onFailure: (err) => this.#noteFailure(err),
			onLeave: (left) => this.#forget(left),
		});
		await this.#pages.take();
		if (this.#isStopped) follower.finish('stopping');
		if (follower.isOver) return follower;
		this.#followers.add(follower);
		this.#wake();
		try {
			await this.#begin(follower, query);
			return follower;
		} catch (error) {
			follower.finish();
			throw error;
		}
	}

	events(reader: FeedReader): AsyncIterable<ServerEvent> {
		return framesOf(reader, (update) => this.#updates.text(update), this.#clock);
	}

	/** Ends all feeds at once, and those that begin later too. */
	stop(): void {
		this.#isStopped = true;
		for (const follower of this.#followers.all()) follower.finish('stopping');
	}

	/** What happens meanwhile waits; what of it the beginning tells too is told once. */
	async #begin(follower: Follower, query: FeedQuery): Promise<void> {
		await this.#tail.sync();
		// From here on what waits is behind the cursor, and all before it is in what is read next.
		const { cursor } = this.#tail;
		follower.clear();
		const since = await eventsSince(this.#store, query);
		const standing = await this.#standing(query, since);
		for (const job of standing) if (job.status === 'in_progress') this.#progress.started(job);
		const isEnded = query.jobId !== undefined && standing.some(hasEnded);
		if (since?.length === 0 && isEnded) return follower.finish();
		if (since && since.length > 0) await this.#tail.sync();
		follower.begin(since ?? this.#states(standing, query, cursor));
	}

	async #standing(
		query: FeedQuery,
		since: readonly FeedEvent[] | undefined,
	): Promise<readonly JobSnapshot[]> {
		const { tenant, jobId, kind } = query;
		if (jobId === undefined) {
			const kinds = kind === undefined ? this.kinds() : [kind];
			return snapshotsOfAll(this.#store, tenant, kinds, this.#pages);
		}
		// A job that was removed meanwhile is not unknown: its end is still to be told.
		const isTold = since?.some((event) => (kind ?? event.kind) === event.kind);
		const found = snapshotOfOne(this.#store, query, jobId).then((job) => [job]);
		return isTold ? found.catch(noneIfUnknown) : found;
	}

	/** Only the end of a state says where to go on: who is cut off before hears all of it again. Of one job, its state is the end. */
	#states(
		standing: readonly JobSnapshot[],
		{ tenant, jobId }: FeedQuery,
		cursor: string | undefined,
	): readonly FeedEvent[] {
		const common = { at: this.#clock.now(), tenant };
		const states = standing.map(
			({ id, kind }): FeedEvent => ({
				...common,
				type: 'job.state',
				cursor: jobId === undefined ? undefined : cursor,
				jobId: id,
				kind,
			}),
		);
		if (jobId !== undefined) return states;
		return [...states, { ...common, type: 'stream.ready', cursor, jobId: '', kind: '' }];
	}

	/** Resolves when the next event may come. */
	async #tell({ data: _, ...event }: JobEvent): Promise<void> {
		const { type, tenant, jobId, kind } = event;
		if (!this.#followers.concerns(tenant, jobId)) return;
		if (type === 'job.started') this.#progress.started({ id: jobId, tenant, kind, progress: 0 });
		else this.#progress.ended(jobId);
		const isPressing = this.#followers.tell(event);
		// Then all who take what they have stand before us, and none of them is told more than it has taken.
		if (isPressing) await turn();
		await this.#turns.take();
	}

	#hear({ type, tenant, subject, data }: BusEvent): void {
		if (!type.startsWith('job.') || !this.#followers.concerns(tenant, subject)) return;
		const { progress } = (data ?? {}) as { readonly progress?: unknown };
		if (type !== 'job.progress') this.#tail.poll();
		else if (typeof progress === 'number') this.#progress.heard(subject, progress);
	}

	#wake(): void {
		if (this.#sleep) return;
		const unsubscribe = this.#bus.subscribe({}, (event) => this.#hear(event));
		let cancel = () => {};
		const look = () => {
			cancel = this.#clock.after(lookMs, look);
			this.#tail.poll();
			this.#progress.look().catch((err: unknown) => this.#noteFailure(err));
		};
		cancel = this.#clock.after(lookMs, look);
		this.#sleep = () => {
			unsubscribe();
			cancel();
			this.#tail.reset();
			this.#progress.clear();
		};
	}

	#forget(follower: Follower): void {
		this.#followers.delete(follower);
		if (!this.#followers.isEmpty) return;
		this.#sleep?.();
		this.#sleep = undefined;
	}

	#view(job: Job): object {
		return this.#kinds.view(job) ?? plainView(job);
	}

	/** The log hears of it once, until the store answers again. */
	#noteFailure(err: unknown): void {
		if (!this.#isAway)
			this.#log.warn({ err }, 'job events cannot be read; they are asked for again');
		this.#isAway = true;
	}
}

function noneIfUnknown(error: unknown): readonly JobSnapshot[] {
	if (isPlinthError(error) && error.code === 'E_JOB_NOT_FOUND') return [];
	throw error;
}

function hasEnded({ status }: JobSnapshot): boolean {
	return status === 'completed' || status === 'failed';
}
