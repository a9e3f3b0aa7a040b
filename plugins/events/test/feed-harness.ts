import type { EventBus, Job, JobDefinition, JobStore, Logger } from '@plinth/core';
import { memoryEvents, memoryJobs } from '@plinth/memory';
import { createBackend, eventually, type ManualClock, manualClock, silentLogger } from '@plinth/testing';
import type { FeedQuery, FeedReader, JobUpdate } from '@plinth/toolkit';
import { LiveFeed } from '../src/feed/live-feed.ts';

/** A feed on a store and a bus in memory, and a clock that stands still. */
export interface FeedTable {
	readonly clock: ManualClock;
	readonly store: JobStore;
	readonly bus: EventBus;
	readonly feed: LiveFeed;
	/** Hands the feed's readers to a listener, by default of all that tenant `a` does. */
	follow(query?: Partial<FeedQuery>): Promise<Heard>;
	/** Stores a job of tenant `a`. */
	create(changes?: Partial<Pick<Job, 'id' | 'tenant' | 'kind' | 'input'>>): Promise<Job>;
	/** Claims a job, and answers with its fence. */
	start(job: Job): Promise<number>;
	complete(job: Job, fence: number): Promise<void>;
	/** Says on the bus that something happened, as whoever wrote it does. */
	hint(type: string, job: Job, data?: { readonly progress: number } | { readonly preview: string }): void;
	/** As {@link Heard.until}, while the clock goes on. */
	later(what: string, condition: () => boolean): Promise<void>;
}

/** What a listener has heard. */
export interface Heard {
	readonly reader: FeedReader;
	/** Of jobs: without {@link ready}. */
	readonly updates: readonly JobUpdate[];
	/** Every `stream.ready`, with how many updates had come before. */
	readonly ready: readonly { readonly update: JobUpdate; readonly behind: number }[];
	/** The updates as `type id`, where the id is shown without its kind. */
	told(): readonly string[];
	readonly isOver: boolean;
	/** What the reader threw. */
	readonly error: unknown;
	leave(): void;
}

/** What a table may stand on in place of its own. */
export interface TableParts {
	readonly clock?: ManualClock;
	readonly store?: JobStore;
	/** What the feed sees of the store. */
	readonly seen?: (store: JobStore) => JobStore;
	readonly definitions?: ReadonlyMap<string, JobDefinition>;
	readonly log?: Logger;
}

let made = 0;

/** Makes a table. */
export async function feedTable(parts: TableParts = {}): Promise<FeedTable> {
	const { clock = manualClock(), seen = (store) => store, log = silentLogger() } = parts;
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
			const leaving = new AbortController();
			const asked = { tenant: 'a', signal: leaving.signal, ...query };
			return listen(await feed.follow(asked), leaving);
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
export function listen(reader: FeedReader, leaving: AbortController): Heard {
	const updates: JobUpdate[] = [];
	const ready: { update: JobUpdate; behind: number }[] = [];
	const heard = {
		reader,
		updates,
		ready,
		told: () => updates.map(({ type, jobId }) => `${type} ${jobId.split('_')[1]}`),
		isOver: false,
		error: undefined as unknown,
		leave: () => leaving.abort(),
	};
	void (async () => {
		try {
			for await (const update of reader) {
				if (update.type === 'stream.ready') ready.push({ update, behind: updates.length });
				else updates.push(update);
			}
		} catch (error) {
			heard.error = error;
		}
		heard.isOver = true;
	})();
	return heard;
}

/** `type id` of jobs, as {@link Heard.told} shows them. */
export function lines(...told: readonly (readonly [type: string, job: Job])[]): string[] {
	return told.map(([type, { id }]) => `${type} ${id.split('_')[1]}`);
}

/** Lets everything that is under way settle, without the clock. */
export async function settled(): Promise<void> {
	for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
