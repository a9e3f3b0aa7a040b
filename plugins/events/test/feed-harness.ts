import type { EventBus, Job, JobDefinition, JobStore, Logger } from '@plinth/core';
import { memoryEvents, memoryJobs } from '@plinth/memory';
import { createBackend, eventually, type ManualClock, manualClock, silentLogger } from '@plinth/testing';
import type { FeedQuery, FeedReader, JobUpdate } from '@plinth/toolkit';
import { LiveFeed } from '../src/feed/live-feed.ts';

/** A feed on a store and a bus in memory, with a manual clock. */
export interface FeedHarness {
	readonly clock: ManualClock;
	readonly store: JobStore;
	readonly bus: EventBus;
	readonly feed: LiveFeed;
	/** Follows the feed, by default all jobs of tenant `a`, and collects the updates. */
	follow(query?: Partial<FeedQuery>): Promise<CollectedUpdates>;
	/** Stores a job of tenant `a`. */
	create(changes?: Partial<Pick<Job, 'id' | 'tenant' | 'kind' | 'input'>>): Promise<Job>;
	/** Claims a job and returns its fence. */
	start(job: Job): Promise<number>;
	complete(job: Job, fence: number): Promise<void>;
	/** Publishes a hint on the bus, as the writer of an event does. */
	hint(type: string, job: Job, data?: { readonly progress: number } | { readonly preview: string }): void;
	/** Like `eventually`, while the clock advances. */
	later(what: string, condition: () => boolean): Promise<void>;
}

/** The collected updates of a feed. */
export interface CollectedUpdates {
	readonly reader: FeedReader;
	/** Updates of jobs, without those in `ready`. */
	readonly updates: readonly JobUpdate[];
	/** Each `stream.ready`, with the number of updates before it. */
	readonly ready: readonly { readonly update: JobUpdate; readonly behind: number }[];
	/** The updates as `type id`, with the id without its kind. */
	lines(): readonly string[];
	readonly isOver: boolean;
	/** The error of the reader. */
	readonly error: unknown;
	abort(): void;
}

/** Options of a feed harness. */
export interface FeedHarnessOptions {
	readonly clock?: ManualClock;
	readonly store?: JobStore;
	/** Wraps the store that the feed uses. */
	readonly wrapStore?: (store: JobStore) => JobStore;
	readonly definitions?: ReadonlyMap<string, JobDefinition>;
	readonly log?: Logger;
}

let made = 0;

/** Creates a feed harness. */
export async function createFeedHarness(parts: FeedHarnessOptions = {}): Promise<FeedHarness> {
	const { clock = manualClock(), wrapStore: seen = (store) => store, log = silentLogger() } = parts;
	const run: JobDefinition = { run: async () => ({ result: {} }) };
	const { definitions = new Map([['video', run]]) } = parts;
	const make = async <T>(instance: Parameters<typeof createBackend>[0]) =>
		(await createBackend<T>(instance, { clock })).provided;
	const store = parts.store ?? (await make<JobStore>(memoryJobs()));
	const bus = await make<EventBus>(memoryEvents());
	const feed = new LiveFeed(
		{
			store: seen(store),
			bus,
			kinds: {
				names: () => [...definitions.keys()],
				view: (job) => definitions.get(job.kind)?.view?.(job),
			},
		},
		clock,
		log,
	);
	return {
		clock,
		store,
		bus,
		feed,
		async follow(query = {}) {
			const controller = new AbortController();
			const request = { tenant: 'a', signal: controller.signal, ...query };
			return collect(await feed.follow(request), controller);
		},
		async create(changes = {}) {
			made += 1;
			const { kind = 'video' } = changes;
			const id = `${kind}_${String(made).padStart(8, '0')}`;
			const owner = { tenant: 'a', principal: 'key_a', model: id, input: {}, maxAttempts: 3 };
			return (await store.create({ id, kind, ...owner, ...changes })).job;
		},
		async start({ id, kind }) {
			const options = { leaseMs: 20_000, count: 1, models: [id] };
			return (await store.take(kind, 'worker', options))[0]?.fence ?? 0;
		},
		async complete({ id }, fence) {
			await store.complete(id, fence, { result: {}, retentionMs: null });
		},
		hint: (type, { id, tenant }, data) => bus.publish({ type, tenant, subject: id, data: data ?? null }),
		later: (what, condition) =>
			eventually(what, async () => {
				await clock.advance(100);
				return condition();
			}),
	};
}

/** Reads until the reader ends. */
export function collect(reader: FeedReader, leaving: AbortController): CollectedUpdates {
	const updates: JobUpdate[] = [];
	const ready: { update: JobUpdate; behind: number }[] = [];
	const collected = {
		reader,
		updates,
		ready,
		lines: () => updates.map(({ type, jobId }) => `${type} ${jobId.split('_')[1]}`),
		isOver: false,
		error: undefined as unknown,
		abort: () => leaving.abort(),
	};
	void (async () => {
		try {
			for await (const update of reader) {
				if (update.type === 'stream.ready') ready.push({ update, behind: updates.length });
				else updates.push(update);
			}
		} catch (error) {
			collected.error = error;
		}
		collected.isOver = true;
	})();
	return collected;
}

/** Jobs as `type id`, like {@link CollectedUpdates.lines}. */
export function linesOf(...told: readonly (readonly [type: string, job: Job])[]): string[] {
	return told.map(([type, { id }]) => `${type} ${id.split('_')[1]}`);
}

/** Resolves when all pending callbacks have run, without the clock. */
export async function nextTurns(): Promise<void> {
	for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
