import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { BusEvent, Clock, EventBus, JobEvent, JobKinds, JobStore, Logger, ServerEvent } from '@plinth/core';
import { isPlinthError } from '@plinth/core';
import type { FeedQuery, FeedReader, JobFeed } from '@plinth/toolkit';
import { EventLogReader } from './event-log-reader.ts';
import { framesOf } from './frames.ts';
import { ProgressTracker } from './progress-tracker.ts';
import { eventsSince, type JobSnapshot, snapshotOfOne, snapshotsOfAll } from './snapshots.ts';
import { FeedSubscription } from './subscription.ts';
import { FeedSubscriptions } from './subscriptions.ts';
import { TickBudget } from './tick-budget.ts';
import { defaultView, type FeedEvent, Updates } from './updates.ts';

/** How often the log is polled without a hint: other processes share the store but perhaps not the bus. */
const pollMs = 500;
/** Updates per tick of the event loop, and pages read per tick when feeds start: some milliseconds of work. */
const updatesPerTick = 128;
const pagesPerTick = 4;

/** Services that the feed uses. */
export interface FeedPorts {
	readonly store: JobStore;
	readonly bus: EventBus;
	readonly kinds: JobKinds;
}

/** A job feed with one log reader for all subscriptions. It reads only while there are subscriptions. */
export class LiveFeed implements JobFeed {
	readonly #store: JobStore;
	readonly #bus: EventBus;
	readonly #kinds: JobKinds;
	readonly #clock: Clock;
	readonly #log: Logger;
	readonly #updates: Updates;
	readonly #logReader: EventLogReader;
	readonly #progress: ProgressTracker;
	readonly #subscriptions = new FeedSubscriptions();
	readonly #updateBudget = new TickBudget(updatesPerTick);
	readonly #pageBudget = new TickBudget(pagesPerTick);
	#stopPolling: (() => void) | undefined;
	#isFailing = false;
	#isStopped = false;

	constructor({ store, bus, kinds }: FeedPorts, clock: Clock, log: Logger) {
		this.#store = store;
		this.#bus = bus;
		this.#kinds = kinds;
		this.#clock = clock;
		this.#log = log;
		this.#updates = new Updates(store, (job) => kinds.view(job) ?? defaultView(job));
		this.#logReader = new EventLogReader(store, {
			event: (event) => this.#publish(event),
			failed: (err) => this.#noteFailure(err),
			recovered: () => {
				this.#isFailing = false;
			},
		});
		this.#progress = new ProgressTracker({
			store,
			clock,
			isFollowed: (tenant, jobId) => this.#subscriptions.has(tenant, jobId),
			publish: (event) => void this.#subscriptions.publish(event),
		});
	}

	kinds(): readonly string[] {
		return this.#kinds.names();
	}

	async follow(query: FeedQuery): Promise<FeedReader> {
		const subscription = new FeedSubscription(query, {
			updates: this.#updates,
			budget: this.#updateBudget,
			clock: this.#clock,
			onFailure: (err) => this.#noteFailure(err),
			onClose: (closed) => this.#remove(closed),
		});
		await this.#pageBudget.take();
		if (this.#isStopped) subscription.finish('stopping');
		if (subscription.isDone) return subscription;
		this.#subscriptions.add(subscription);
		this.#startPolling();
		try {
			await this.#start(subscription, query);
			return subscription;
		} catch (error) {
			subscription.finish();
			throw error;
		}
	}

	events(reader: FeedReader): AsyncIterable<ServerEvent> {
		return framesOf(reader, (update) => this.#updates.text(update), this.#clock);
	}

	/** Ends all feeds, including those that start later. */
	stop(): void {
		this.#isStopped = true;
		for (const subscription of this.#subscriptions.all()) subscription.finish('stopping');
	}

	/** Events during the start are queued; duplicates of the initial events are dropped. */
	async #start(subscription: FeedSubscription, query: FeedQuery): Promise<void> {
		await this.#logReader.sync();
		// From here on the queue holds events after the cursor; the reads below cover all earlier ones.
		const { cursor } = this.#logReader;
		subscription.clear();
		const since = await eventsSince(this.#store, query);
		const snapshots = await this.#snapshots(query, since);
		for (const job of snapshots) if (job.status === 'in_progress') this.#progress.started(job);
		const isEnded = query.jobId !== undefined && snapshots.some(hasEnded);
		if (since?.length === 0 && isEnded) return subscription.finish();
		if (since && since.length > 0) await this.#logReader.sync();
		subscription.start(since ?? this.#stateEvents(snapshots, query, cursor));
	}

	async #snapshots(query: FeedQuery, since: readonly FeedEvent[] | undefined): Promise<readonly JobSnapshot[]> {
		const { tenant, jobId, kind } = query;
		if (jobId === undefined) {
			const kinds = kind === undefined ? this.kinds() : [kind];
			return snapshotsOfAll(this.#store, tenant, kinds, this.#pageBudget);
		}
		// If the log has the deletion of the job, it is still to be sent, so a missing record is no error.
		const isDeletionLogged = since?.some(
			(event) => event.type === 'job.deleted' && (kind ?? event.kind) === event.kind,
		);
		const snapshot = snapshotOfOne(this.#store, query, jobId).then((job) => [job]);
		return isDeletionLogged ? snapshot.catch(noneIfUnknown) : snapshot;
	}

	/**
	 * Only the last event of a state has a cursor, so that a client that disconnects earlier receives the state again when
	 * it reconnects. The state of one job is a single event.
	 */
	#stateEvents(
		snapshots: readonly JobSnapshot[],
		{ tenant, jobId }: FeedQuery,
		cursor: string | undefined,
	): readonly FeedEvent[] {
		const common = { at: this.#clock.now(), tenant };
		const states = snapshots.map(
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

	/** Resolves when the next event may be published. */
	async #publish({ data: _, ...event }: JobEvent): Promise<void> {
		const { type, tenant, jobId, kind } = event;
		if (!this.#subscriptions.has(tenant, jobId)) return;
		if (type === 'job.started') this.#progress.started({ id: jobId, tenant, kind, progress: 0 });
		else this.#progress.ended(jobId);
		const isBackedUp = this.#subscriptions.publish(event);
		// Lets the readers drain their queues before the next event.
		if (isBackedUp) await yieldToEventLoop();
		await this.#updateBudget.take();
	}

	#onBusEvent({ type, tenant, subject, data }: BusEvent): void {
		if (!type.startsWith('job.') || !this.#subscriptions.has(tenant, subject)) return;
		const { progress, position, preview } = Object(data) as Readonly<Record<string, unknown>>;
		if (type === 'job.waiting') this.#publishHint(type, tenant, subject, { position: Number(position) });
		else if (type === 'job.preview') this.#publishHint(type, tenant, subject, { preview: String(preview) });
		else if (type !== 'job.progress') this.#logReader.poll();
		else if (typeof progress === 'number') this.#progress.report(subject, progress);
	}

	/** Publishes an event that is not in the log. */
	#publishHint(
		type: FeedEvent['type'],
		tenant: string,
		jobId: string,
		fields: Pick<FeedEvent, 'position' | 'preview'>,
	): void {
		const kind = jobId.slice(0, jobId.lastIndexOf('_'));
		const at = this.#clock.now();
		this.#subscriptions.publish({ type, cursor: undefined, at, jobId, kind, tenant, ...fields });
	}

	#startPolling(): void {
		if (this.#stopPolling) return;
		const unsubscribe = this.#bus.subscribe({}, (event) => this.#onBusEvent(event));
		let cancel = () => {};
		const poll = () => {
			cancel = this.#clock.after(pollMs, poll);
			this.#logReader.poll();
			this.#progress.poll().catch((err: unknown) => this.#noteFailure(err));
		};
		cancel = this.#clock.after(pollMs, poll);
		this.#stopPolling = () => {
			unsubscribe();
			cancel();
			this.#logReader.reset();
			this.#progress.clear();
		};
	}

	#remove(subscription: FeedSubscription): void {
		this.#subscriptions.delete(subscription);
		if (!this.#subscriptions.isEmpty) return;
		this.#stopPolling?.();
		this.#stopPolling = undefined;
	}

	/** Logs the first of consecutive failures. */
	#noteFailure(err: unknown): void {
		if (!this.#isFailing) this.#log.warn({ err }, 'job events cannot be read; the server retries');
		this.#isFailing = true;
	}
}

function noneIfUnknown(error: unknown): readonly JobSnapshot[] {
	if (isPlinthError(error) && error.code === 'E_JOB_NOT_FOUND') return [];
	throw error;
}

function hasEnded({ status }: JobSnapshot): boolean {
	return status === 'completed' || status === 'failed';
}
