import { memoryBlobs, memoryEvents, memoryJobs, memoryQueue } from '@plinth/memory';
import type {
	BlobStore,
	EventBus,
	JobDefinition,
	JobQueue,
	JobStore,
	Jobs,
	Principal,
} from '../../src/index.ts';
import { JobService } from '../../src/jobs/jobs.ts';
import { jobSettings } from '../../src/jobs/settings.ts';
import { Sweeper } from '../../src/jobs/sweeper.ts';
import { JobWorker } from '../../src/jobs/worker.ts';
import {
	createBackend,
	type ManualClock,
	manualClock,
	silentLogger,
} from '../../src/testing/index.ts';

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

/** Builds a machine that runs one kind of job, `work`. Stores may be wrapped to misbehave. */
export async function machine(
	definition: JobDefinition,
	wrap: { store?: (store: JobStore) => JobStore; queue?: (queue: JobQueue) => JobQueue } = {},
): Promise<Machine> {
	const clock = manualClock();
	const log = silentLogger();
	const make = async <T>(instance: Parameters<typeof createBackend>[0]) =>
		(await createBackend<T>(instance, { clock })).provided;
	const plainStore = await make<JobStore>(memoryJobs());
	const store = wrap.store?.(plainStore) ?? plainStore;
	const plainQueue = await make<JobQueue>(memoryQueue());
	const queue = wrap.queue?.(plainQueue) ?? plainQueue;
	const blobs = await make<BlobStore>(memoryBlobs());
	const bus = await make<EventBus>(memoryEvents());
	const settings = jobSettings.parse({});
	const service = new JobService(store, queue, blobs, bus, clock, log);
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
		keys: () => keysOf(blobs),
		submit: async (principal = alice) =>
			(await jobs.submit({ principal, model: 'm', input: () => ({}) })).job.id,
	};
}

async function keysOf(blobs: BlobStore): Promise<string[]> {
	const keys: string[] = [];
	for await (const { key } of blobs.list('')) keys.push(key);
	return keys;
}
