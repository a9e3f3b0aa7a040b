import { AssertionError } from 'node:assert';
import { type Claim, type Job, type JobStore, plinthError } from '@plinth/core';
import { memoryJobs } from '@plinth/memory';
import { checkAgainstModel, createBackend, manualClock } from '@plinth/testing';
import { describe, expect, test } from 'vitest';
import { replace } from './sabotage.ts';

type Spoil = (right: JobStore) => Partial<JobStore>;

function memory(spoil: Spoil = () => ({})) {
	return async () => {
		const clock = manualClock();
		const { provided, stop } = await createBackend<JobStore>(memoryJobs(), { clock });
		const store = replace(provided, spoil(provided));
		return { store, clock, peer: async () => store, close: stop };
	};
}

/** Lets other calls run, like a store that awaits between its read and its write. */
const pause = () => new Promise((resolve) => setImmediate(resolve));

const wrong: readonly (readonly [string, Spoil])[] = [
	[
		'a complete that ignores the fence',
		(right) => ({
			async complete(id, fence, completion) {
				const newest = Math.max(fence, (await fenceOf(right, id)) ?? 0);
				return right.complete(id, newest, completion);
			},
		}),
	],
	[
		'a take that gives two who ask at once the same job',
		(right) => {
			let given: Promise<readonly Claim[]> | undefined;
			return {
				async take(kind, worker, options) {
					const asked = given ?? right.take(kind, worker, options);
					given = asked;
					await pause();
					given = undefined;
					return asked;
				},
			};
		},
	],
	[
		'a take that gives the newest first',
		(right) => ({
			take: async (...args) => [...(await right.take(...args))].reverse(),
		}),
	],
	[
		'a take that forgets what its worker runs',
		(right) => ({
			take: (kind, worker, options) => right.take(kind, worker, { ...options, running: [] }),
		}),
	],
	[
		'a take that does not note which models are offered',
		(right) => ({
			take: (kind, worker, options) => (options.count === 0 ? Promise.resolve([]) : right.take(kind, worker, options)),
		}),
	],
	['a duty that two have', (right) => ({ lead: async (...args) => (await right.lead(...args)) || args[2] > 0 })],
	[
		'a removed job that its attempt completes',
		(right) => {
			const removed = new Map<string, Job>();
			return {
				async remove(tenant, id) {
					const job = await right.remove(tenant, id);
					if (job) removed.set(id, job);
					return job;
				},
				async complete(id, fence, completion) {
					if (removed.get(id)?.fence === fence) return true;
					return right.complete(id, fence, completion);
				},
			};
		},
	],
	[
		'an end that appends no event',
		(right) => ({
			async events(cursor, query) {
				const page = await right.events(cursor, query);
				return { ...page, events: page.events.filter(({ type }) => type !== 'job.completed') };
			},
		}),
	],
	[
		'an event that is written before what it tells',
		(right) => {
			let readCount = 0;
			return {
				async release(id, fence) {
					readCount += 1;
					return right.release(id, fence);
				},
				async events(cursor, query) {
					const page = await right.events(cursor, query);
					return readCount > 0 ? { ...page, events: page.events.slice(0, -1) } : page;
				},
			};
		},
	],
	[
		'attempts that are not capped',
		(right) => ({
			create: (job, options) => right.create({ ...job, maxAttempts: job.maxAttempts + 1 }, options),
		}),
	],
	[
		'progress that a retry sets back',
		(right) => {
			const back = new Set<string>();
			return {
				async fail(id, fence, error, retryInMs) {
					back.add(id);
					return right.fail(id, fence, error, retryInMs);
				},
				async get(tenant, id) {
					const job = await right.get(tenant, id);
					return job && back.has(id) && job.status === 'queued' ? { ...job, progress: 0 } : job;
				},
			};
		},
	],
	[
		'a line that is counted before the create',
		(right) => ({
			async create(job, { idempotency, maxPending = 1e9 } = {}) {
				if ((await right.pending(job.kind, job.tenant)) >= maxPending) {
					throw plinthError('E_QUEUE_FULL');
				}
				await pause();
				return right.create(job, idempotency && { idempotency });
			},
		}),
	],
	[
		'a key that two creates at once do not see',
		(right) => {
			const jobs = new Map<string, string>();
			return {
				async create(job, { idempotency, ...options } = {}) {
					const name = idempotency?.key && `${job.tenant} ${idempotency.key}`;
					const earlier = name && jobs.get(name);
					await pause();
					if (earlier || !name) return right.create(job, { ...options, ...(idempotency && { idempotency }) });
					jobs.set(name, job.id);
					const { key: _, ...unnamed } = idempotency;
					return right.create(job, { ...options, idempotency: { ...unnamed, retry: 0 } });
				},
			};
		},
	],
	[
		'a release that counts the attempt',
		(right) => ({
			release: (id, fence) => right.fail(id, fence, { code: 'model_error', message: 'The model failed.' }, 0),
		}),
	],
	[
		'a retry that does not wait',
		(right) => ({
			fail: (id, fence, error, retryInMs) => right.fail(id, fence, error, retryInMs && 0),
		}),
	],
	['a lease that a clock set back makes long', () => ({ tidy: async () => {} })],
	[
		'a known that forgets removed jobs',
		(right) => ({
			async known(ids) {
				const living = await Promise.all(ids.map((id) => ofAnyTenant(right, id)));
				return living.flatMap((job) => (job ? [job.id] : []));
			},
		}),
	],
	[
		'a sweep that leaves out what failed',
		(right) => ({
			sweep: async (limit) => (await right.sweep(limit)).filter(({ due }) => due === 'record'),
		}),
	],
	[
		'a heartbeat that brings a checkpoint to the next owner',
		(right) => ({
			async heartbeat(id, fence, update) {
				const newest = (await fenceOf(right, id)) ?? fence;
				const answer = await right.heartbeat(id, fence, update);
				if (answer === 'lost') await right.heartbeat(id, newest, update);
				return answer;
			},
		}),
	],
];

async function ofAnyTenant(store: JobStore, id: string): Promise<Job | null> {
	return (await store.get('tenant-0', id)) ?? store.get('tenant-1', id);
}

async function fenceOf(store: JobStore, id: string): Promise<number | undefined> {
	return (await ofAnyTenant(store, id))?.fence;
}

describe('the model of a job store', () => {
	test('explains every result of the memory store for concurrent calls of three clients', async () => {
		await checkAgainstModel(memory(), { runs: 500 });
	}, 60_000);

	test.each(wrong)(
		'notices %s',
		async (_sentence, spoil) => {
			const options = { runs: 500, seed: 1, endOnFailure: true };
			const checked = checkAgainstModel(memory(spoil), options);
			await expect(checked).rejects.toMatchObject({ cause: expect.any(AssertionError) });
		},
		60_000,
	);
});
