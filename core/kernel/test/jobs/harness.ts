import { memoryBlobs, memoryEvents, memoryJobs, memoryQueue } from '@plinth/memory';
import { createBackend, type ManualClock, manualClock, silentLogger } from '@plinth/testing';
import { type JobSettings, jobSettings } from '../../src/contract/jobs/settings.ts';
import type {
	BlobStore,
	EventBus,
	JobDefinition,
	JobQueue,
	JobRun,
	JobStore,
	Jobs,
	Principal,
} from '../../src/index.ts';
import { JobService } from '../../src/jobs/jobs.ts';
import { Sweeper } from '../../src/jobs/sweeper.ts';
import { JobWorker } from '../../src/jobs/worker.ts';

export const alice: Principal = { id: 'key_a', tenant: 'a', scopes: ['*'] };
export const bob: Principal = { id: 'key_b', tenant: 'b', scopes: ['*'] };

/** The job machine on memory backends and a clock that stands still. */
export interface Machine {
	readonly clock: ManualClock;
	readonly store: JobStore;
	readonly queue: JobQueue;
	readonly blobs: BlobStore;
	readonly bus: EventBus;
	readonly jobs: Jobs;
	readonly worker: JobWorker;
	readonly sweeper: Sweeper;
	/** A sweeper that works on other blobs. */
	sweeperOn(blobs: BlobStore): Sweeper;
	/** The keys of all blobs. */
	keys(): Promise<string[]>;
	/** Submits a job for a principal. */
	submit(principal?: Principal): Promise<string>;
}

/** What may stand between a machine and its backends, and settings that are not the default ones. */
export interface Wraps {
	readonly store?: (store: JobStore) => JobStore;
	readonly queue?: (queue: JobQueue) => JobQueue;
	readonly blobs?: (blobs: BlobStore) => BlobStore;
	readonly settings?: Partial<JobSettings>;
}

/** Builds a machine that runs one kind of job, `work`. Stores may be wrapped to misbehave. */
export async function machine(definition: JobDefinition, wrap: Wraps = {}): Promise<Machine> {
	const clock = manualClock();
	const log = silentLogger();
	const make = async <T>(instance: Parameters<typeof createBackend>[0]) =>
		(await createBackend<T>(instance, { clock })).provided;
	const plainStore = await make<JobStore>(memoryJobs());
	const store = wrap.store?.(plainStore) ?? plainStore;
	const plainQueue = await make<JobQueue>(memoryQueue());
	const queue = wrap.queue?.(plainQueue) ?? plainQueue;
	const plainBlobs = await make<BlobStore>(memoryBlobs());
	const blobs = wrap.blobs?.(plainBlobs) ?? plainBlobs;
	const bus = await make<EventBus>(memoryEvents());
	const settings = jobSettings.parse(wrap.settings ?? {});
	const service = new JobService(store, queue, blobs, bus, clock, log, settings);
	const jobs = service.register('work', definition);
	const sweeperOn = (on: BlobStore) => new Sweeper(service, store, queue, on, clock, log, settings);
	return {
		clock,
		store,
		queue,
		blobs,
		bus,
		jobs,
		worker: new JobWorker(service, store, queue, blobs, bus, clock, log, settings),
		sweeper: sweeperOn(blobs),
		sweeperOn,
		keys: () => keysOf(plainBlobs),
		submit: async (principal = alice) =>
			(await jobs.submit({ principal, model: 'm', input: () => ({}) })).job.id,
	};
}

async function keysOf(blobs: BlobStore): Promise<string[]> {
	const keys: string[] = [];
	for await (const { key } of blobs.list('')) keys.push(key);
	return keys;
}

/** `target` with some of its methods replaced. */
export function withMethods<T extends object>(target: T, methods: Partial<T>): T {
	return new Proxy(target, {
		get: (inner, key) => {
			const own = Reflect.get(methods, key) as unknown;
			if (own) return own;
			const value = Reflect.get(inner, key) as unknown;
			return typeof value === 'function' ? value.bind(inner) : value;
		},
	});
}

/** Work that goes on until its signal aborts. */
export function untilAborted({ signal }: JobRun): Promise<never> {
	return new Promise((_, reject) => {
		signal.addEventListener('abort', () => reject(signal.reason), { once: true });
	});
}
