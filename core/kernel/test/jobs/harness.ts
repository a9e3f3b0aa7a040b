import { memoryBlobs, memoryEvents, memoryJobs } from '@plinth/memory';
import { createBackend, type ManualClock, manualClock, silentLogger } from '@plinth/testing';
import { type JobSettings, jobSettings } from '../../src/contract/jobs/settings.ts';
import type { BlobStore, Claim, EventBus, JobDefinition, JobRun, JobStore, Jobs, Principal } from '../../src/index.ts';
import { ownerKey } from '../../src/jobs/blobs.ts';
import { Housekeeping } from '../../src/jobs/housekeeping.ts';
import { JobService } from '../../src/jobs/jobs.ts';
import { JobWorker } from '../../src/jobs/worker.ts';

export const alice: Principal = { id: 'key_a', tenant: 'a', scopes: ['*'] };
export const bob: Principal = { id: 'key_b', tenant: 'b', scopes: ['*'] };

/** The job machine on memory backends and a manual clock. */
export interface Machine {
	readonly clock: ManualClock;
	readonly store: JobStore;
	readonly blobs: BlobStore;
	readonly bus: EventBus;
	readonly jobs: Jobs;
	readonly worker: JobWorker;
	readonly housekeeping: Housekeeping;
	/** Housekeeping with another blob store. */
	housekeepingOn(blobs: BlobStore): Housekeeping;
	/** Another worker on the same store. */
	otherWorker(): JobWorker;
	/** The keys of all blobs, except the blob that names the job store. */
	keys(): Promise<string[]>;
	/** Claims the oldest job for a worker that does not exist. */
	take(leaseMs?: number): Promise<Claim | undefined>;
	/** Submits a job for a principal. */
	submit(principal?: Principal): Promise<string>;
}

/** Wrappers of the backends of a machine, and changed settings. */
export interface Wraps {
	readonly store?: (store: JobStore) => JobStore;
	readonly blobs?: (blobs: BlobStore) => BlobStore;
	readonly settings?: Partial<JobSettings>;
	/** Receives the messages of errors in the log. */
	readonly errorMessages?: unknown[];
}

/** Builds a machine that runs one kind of job, `work`. Stores may be wrapped to fail. */
export async function machine(definition: JobDefinition, wrap: Wraps = {}): Promise<Machine> {
	const clock = manualClock();
	const log = silentLogger();
	if (wrap.errorMessages) log.error = (...args: unknown[]) => void wrap.errorMessages?.push(args.at(-1));
	const make = async <T>(instance: Parameters<typeof createBackend>[0]) =>
		(await createBackend<T>(instance, { clock })).provided;
	const plainStore = await make<JobStore>(memoryJobs());
	const store = wrap.store?.(plainStore) ?? plainStore;
	const plainBlobs = await make<BlobStore>(memoryBlobs());
	const blobs = wrap.blobs?.(plainBlobs) ?? plainBlobs;
	const bus = await make<EventBus>(memoryEvents());
	const settings = jobSettings.parse(wrap.settings ?? {});
	const tools = { store, blobs, bus, clock, log, settings };
	const service = new JobService(tools);
	const jobs = service.register('work', definition);
	const housekeepingOn = (on: BlobStore) => new Housekeeping({ ...tools, blobs: on }, service.definitions);
	return {
		clock,
		store,
		blobs,
		bus,
		jobs,
		worker: new JobWorker(service, tools),
		otherWorker: () => new JobWorker(service, tools),
		housekeeping: housekeepingOn(blobs),
		housekeepingOn,
		keys: () => keysOf(plainBlobs),
		take: async (leaseMs = 20_000) => (await store.take('work', 'elsewhere', { leaseMs, count: 1 }))[0],
		submit: async (principal = alice) => (await jobs.submit({ principal, model: 'm', input: () => ({}) })).job.id,
	};
}

async function keysOf(blobs: BlobStore): Promise<string[]> {
	const keys: string[] = [];
	for await (const { key } of blobs.list('')) if (key !== ownerKey) keys.push(key);
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

/** Work that runs until its signal aborts. */
export function untilAborted({ signal }: JobRun): Promise<never> {
	return new Promise((_, reject) => {
		signal.addEventListener('abort', () => reject(signal.reason), { once: true });
	});
}
