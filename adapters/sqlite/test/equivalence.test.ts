import type { JobStore } from '@plinth/core';
import { createBackend, type ManualClock, manualClock } from '@plinth/core/testing';
import { memoryJobs } from '@plinth/memory';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sqliteJobs } from '../src/index.ts';
import { empty, temporaryFile } from './subject.ts';

/** One call, told so that it means the same to every store. `job` counts the jobs of the run; `stale` takes an old fence. */
type Step =
	| {
			readonly call: 'create';
			readonly tenant: number;
			readonly repeat: number;
			readonly retry: number;
	  }
	| { readonly call: 'claim' | 'cancel' | 'remove' | 'get'; readonly job: number }
	| {
			readonly call: 'heartbeat';
			readonly job: number;
			readonly stale: boolean;
			readonly progress: number;
	  }
	| { readonly call: 'complete' | 'release'; readonly job: number; readonly stale: boolean }
	| {
			readonly call: 'fail';
			readonly job: number;
			readonly stale: boolean;
			readonly retryMs: number | undefined;
	  }
	| { readonly call: 'wait'; readonly ms: number }
	| { readonly call: 'sweep' | 'look' };

const job = fc.nat(4);
const stale = fc.boolean();
const call = <T extends string>(...names: T[]) => fc.constantFrom(...names);
const step: fc.Arbitrary<Step> = fc.oneof(
	{
		weight: 3,
		arbitrary: fc.record({
			call: call('create'),
			tenant: fc.nat(1),
			repeat: fc.nat(3),
			retry: fc.nat(2),
		}),
	},
	{ weight: 4, arbitrary: fc.record({ call: call('claim'), job }) },
	fc.record({ call: call('cancel', 'remove', 'get'), job }),
	fc.record({
		call: call('heartbeat'),
		job,
		stale,
		progress: fc.double({ min: 0, max: 1, noNaN: true }),
	}),
	fc.record({ call: call('complete', 'release'), job, stale }),
	fc.record({
		call: call('fail'),
		job,
		stale,
		retryMs: fc.option(fc.nat(30_000), { nil: undefined }),
	}),
	fc.record({
		call: call('wait'),
		ms: fc.constantFrom(1, 10_000, 20_000, 600_001, 90_000_000, 700_000_000),
	}),
	fc.record({ call: call('sweep', 'look') }),
);

let file: string;
let close: () => Promise<void>;

beforeAll(async () => {
	const temporary = await temporaryFile();
	file = temporary.file;
	// Kept open between the runs: most of a run would go into the start of the writer thread.
	const holder = await createBackend(sqliteJobs({ file }));
	close = async () => {
		await holder.stop();
		await temporary.remove();
	};
});

afterAll(() => close());

test('sqlite answers as memory does, whatever the order of calls', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(step, { minLength: 5, maxLength: 40, size: 'max' }),
			async (steps) => {
				empty(file);
				const clock = manualClock();
				const memory = await createBackend<JobStore>(memoryJobs(), { clock });
				const sqlite = await createBackend<JobStore>(sqliteJobs({ file }), { clock });
				try {
					const fences = new Map<string, number>();
					const ids: string[] = [];
					for (const [index, next] of steps.entries()) {
						if (next.call === 'wait') await clock.advance(next.ms);
						if (next.call === 'create') ids.push(idOf(clock, index));
						const expected = await perform(memory.provided, clock, next, ids, fences);
						const actual = await perform(sqlite.provided, clock, next, ids, fences);
						expect(actual, `step ${index}: ${JSON.stringify(next)}`).toEqual(expected);
						remember(expected, fences);
					}
				} finally {
					await sqlite.stop();
				}
			},
		),
		{ numRuns: 50 },
	);
}, 30_000);

/** What a store answers; an error becomes its code, so that two stores can be compared. */
async function perform(
	store: JobStore,
	clock: ManualClock,
	next: Step,
	ids: readonly string[],
	fences: ReadonlyMap<string, number>,
): Promise<unknown> {
	const id = 'job' in next ? (ids[next.job] ?? 'video_unknown') : '';
	const fence = (fences.get(id) ?? 1) - ('stale' in next && next.stale ? 1 : 0);
	switch (next.call) {
		case 'create':
			return create(store, next, ids.at(-1) ?? '');
		case 'claim':
			return store.claim(id, 'worker-1', 20_000);
		case 'cancel':
			return store.requestCancel('tenant-0', id);
		case 'remove':
			return store.remove('tenant-0', id);
		case 'get':
			return store.get('tenant-0', id);
		case 'heartbeat':
			return store.heartbeat(id, fence, {
				progress: next.progress,
				checkpoint: `c${next.progress}`,
			});
		case 'complete':
			return store.complete(id, fence, { result: { id }, expiresAt: clock.now() + 86_400_000.3 });
		case 'release':
			return store.release(id, fence);
		case 'fail': {
			const retryAt = next.retryMs === undefined ? undefined : clock.now() + next.retryMs / 3;
			return store.fail(id, fence, { code: 'model_error', message: 'It failed.' }, retryAt);
		}
		case 'sweep': {
			const items = await store.sweep(clock.now(), 100);
			await store.swept(items);
			return items.map((item) => JSON.stringify(item)).sort();
		}
		default:
			return look(store);
	}
}

async function create(
	store: JobStore,
	next: Step & { call: 'create' },
	id: string,
): Promise<unknown> {
	const { tenant, repeat, retry } = next;
	const job = {
		id,
		kind: 'video',
		tenant: `tenant-${tenant}`,
		principal: 'key_1',
		model: 'm',
		input: { id },
		maxAttempts: 2,
	};
	const fingerprint = `f${repeat % 2}`;
	const idempotency = repeat > 1 ? { key: 'k', fingerprint, retry } : { fingerprint, retry };
	return store.create(job, { idempotency }).catch((error: { code?: string }) => error.code);
}

async function look(store: JobStore): Promise<unknown> {
	const claimable = await store.claimable('video', { limit: 2 });
	const after = claimable.at(-1)?.id ?? '';
	return {
		pages: await Promise.all(
			(['asc', 'desc'] as const).map((order) =>
				store.list('tenant-0', { kind: 'video', limit: 3, order }),
			),
		),
		claimable: [claimable, await store.claimable('video', { after, limit: 10 })],
		pending: [await store.pending('video'), await store.pending('video', 'tenant-1')],
		events: await store.events('2', { limit: 100 }),
		ofOne: await store.events(undefined, { tenant: 'tenant-1', limit: 5 }),
	};
}

function remember(answer: unknown, fences: Map<string, number>): void {
	const claim = answer as { job?: { id: string }; fence?: number } | null;
	if (claim?.job && claim.fence !== undefined) fences.set(claim.job.id, claim.fence);
}

function idOf(clock: ManualClock, index: number): string {
	return `video_${String(clock.now()).padStart(15, '0')}${String(index).padStart(6, '0')}`;
}
