import {
	type CreateOptions,
	type Idempotency,
	isPlinthError,
	type Job,
	type JobCallback,
	type JobStore,
	type SweepItem,
} from '@plinth/core';
import fc from 'fast-check';

/**
 * One call, told so that it means the same to every store. `job` counts back from the newest job to which the call
 * can do something, or from the newest of all when `aim` is false; `fence` is added to the newest one.
 */
export type Plan =
	| {
			readonly call: 'create';
			readonly tenant: number;
			readonly idempotency: Idempotency | undefined;
			readonly maxPending: number | undefined;
			readonly maxAttempts: number;
			readonly model: string;
	  }
	| {
			readonly call: 'take';
			readonly count: number;
			readonly models: readonly string[] | undefined;
			readonly perTenant: number | undefined;
			/** Whether the newest running job is one that the worker still runs. */
			readonly runs: boolean;
	  }
	| { readonly call: 'cancel' | 'remove' | 'get'; readonly job: number; readonly foreign: boolean }
	| {
			readonly call: 'heartbeat';
			readonly job: number;
			readonly aim: boolean;
			readonly fence: number;
			readonly progress: number;
			readonly checkpoint: string | undefined;
	  }
	| {
			readonly call: 'complete' | 'fail' | 'release';
			readonly job: number;
			readonly aim: boolean;
			readonly fence: number;
			/** The retention, or the wait before the retry. */
			readonly ms: number | undefined;
	  }
	| {
			readonly call: 'list';
			readonly tenant: number;
			readonly after: number | undefined;
			readonly limit: number;
			readonly order: 'asc' | 'desc';
			readonly pending: boolean;
	  }
	| { readonly call: 'pending'; readonly tenant: number | undefined }
	| { readonly call: 'lead'; readonly ms: number }
	| { readonly call: 'sweep' | 'swept' | 'tidy' | 'known' }
	| {
			readonly call: 'events';
			readonly goOn: boolean;
			readonly tenant: number | undefined;
			readonly job: number | undefined;
	  };

/** A plan with its numbers made into ids, tenants and fences. */
export type Call = Plan & {
	/** What `job` or `after` stands for; for a create, the id to be made. */
	readonly id: string;
	readonly owner: string;
	readonly token: number;
	/** The client, as a worker and as the holder of a duty. */
	readonly holder: string;
	/** What the worker still runs. */
	readonly busy: readonly string[];
	/** What the client's last sweep has listed. */
	readonly items: readonly SweepItem[];
	/** Where the client's last unfiltered read of events ended: for the store, and for the model. */
	readonly cursor: string | undefined;
	readonly seq: number;
	readonly ids: readonly string[];
	readonly now: number;
};

/** Length of every lease, in milliseconds. */
export const leaseMs = 20_000;

const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
const job = fc.oneof({ weight: 9, arbitrary: fc.nat(2) }, fc.nat(9));
const tenant = fc.nat(1);
const aim = fc.constantFrom(true, true, true, true, false);
const fence = fc.constantFrom(0, 0, 0, 0, 0, 0, -1, -1, -2, 1);
const idempotency = fc
	.record({
		key: maybe(fc.constantFrom('k', 'l')),
		fingerprint: fc.constantFrom('f', 'f', 'g'),
		retry: fc.nat(2),
	})
	.map(({ key, ...rest }): Idempotency => (key === undefined ? rest : { ...rest, key }));

const call = <T extends string>(...names: T[]) => fc.constantFrom(...names);
const attempt = { job, aim, fence };

/** Anything that a caller or a worker may ask of a store. */
export const plan: fc.Arbitrary<Plan> = fc.oneof(
	{
		weight: 5,
		arbitrary: fc.record({
			call: call('create'),
			tenant,
			idempotency: maybe(idempotency),
			maxPending: maybe(fc.nat(3)),
			maxAttempts: fc.integer({ min: 1, max: 3 }),
			model: call('m', 'n'),
		}),
	},
	{
		weight: 6,
		arbitrary: fc.record({
			call: call('take'),
			count: fc.constantFrom(1, 1, 1, 0, 2, 3),
			models: fc.constantFrom(undefined, undefined, ['m', 'n'], ['m'], ['n'], []),
			perTenant: maybe(fc.integer({ min: 1, max: 2 })),
			runs: fc.boolean(),
		}),
	},
	{
		weight: 4,
		arbitrary: fc.record({
			call: call('heartbeat'),
			...attempt,
			progress: fc.constantFrom(0, 0.2, 0.5, 0.7, 0.98, 1),
			checkpoint: maybe(call('a', 'b')),
		}),
	},
	{
		weight: 5,
		arbitrary: fc.record({
			call: call('complete', 'fail', 'release'),
			...attempt,
			ms: maybe(fc.constantFrom(0, 1_000, 60_000, 86_400_000)),
		}),
	},
	{
		weight: 5,
		arbitrary: fc.record({
			call: call('cancel', 'remove', 'get', 'get', 'get'),
			job,
			foreign: fc.constantFrom(false, false, false, true),
		}),
	},
	fc.record({
		call: call('list'),
		tenant,
		after: maybe(job),
		limit: fc.nat(4),
		order: call('asc', 'desc'),
		pending: fc.boolean(),
	}),
	fc.record({ call: call('lead'), ms: fc.constantFrom(10_000, 30_000, 0) }),
	fc.record({ call: call('pending'), tenant: maybe(tenant) }),
	{ weight: 4, arbitrary: fc.record({ call: call('sweep', 'swept', 'tidy', 'tidy', 'known') }) },
	{
		weight: 2,
		arbitrary: fc.record({
			call: call('events'),
			goOn: fc.boolean(),
			tenant: maybe(tenant),
			job: maybe(job),
		}),
	},
);

/** The job that a create asks for. */
export function newJobOf({ id, owner, model, maxAttempts }: Call & { call: 'create' }) {
	const [kind, principal, input] = ['video', 'key_1', { id }];
	return { id, kind, tenant: owner, principal, model, input, maxAttempts };
}

/** Whom the end of a job is told to: every other one has somebody. */
export function callbackOf(id: string): { readonly callback?: JobCallback } {
	const isWanted = Number(id.at(-1)) % 2 === 0;
	return isWanted ? { callback: { url: `https://client.example/${id}`, secret: null } } : {};
}

/** What a create goes by. */
export function optionsOf({ idempotency, maxPending }: Plan & { call: 'create' }): CreateOptions {
	return { ...(idempotency && { idempotency }), ...(maxPending !== undefined && { maxPending }) };
}

/** Makes the call on a store. A coded error becomes its code, and what has no order is sorted. */
export async function perform(store: JobStore, asked: Call): Promise<unknown> {
	try {
		return await answer(store, asked);
	} catch (error) {
		if (isPlinthError(error)) return { refused: error.code };
		throw error;
	}
}

async function answer(store: JobStore, asked: Call): Promise<unknown> {
	const { id, owner, token } = asked;
	switch (asked.call) {
		case 'create':
			return store.create({ ...newJobOf(asked), ...callbackOf(id) }, optionsOf(asked));
		case 'take': {
			const { holder, count, models, perTenant, busy: running } = asked;
			return store.take('video', holder, { leaseMs, count, models, perTenant, running });
		}
		case 'cancel':
			return store.requestCancel(owner, id);
		case 'remove':
			return store.remove(owner, id);
		case 'get':
			return store.get(owner, id);
		case 'heartbeat': {
			const { progress, checkpoint } = asked;
			return store.heartbeat(id, token, { progress, ...(checkpoint && { checkpoint }) });
		}
		case 'complete':
			return store.complete(id, token, { result: { token }, retentionMs: asked.ms ?? null });
		case 'fail':
			return store.fail(id, token, failure, asked.ms);
		case 'release':
			return store.release(id, token);
		case 'list': {
			const { limit, order, after, pending } = asked;
			const position = after === undefined ? {} : { after: id };
			return store.list(owner, { kind: 'video', limit, order, pending, ...position });
		}
		case 'pending':
			return store.pending('video', asked.tenant === undefined ? undefined : owner);
		case 'sweep':
			return [...(await store.sweep(1_000))].sort(byId);
		case 'swept':
			return store.swept(asked.items);
		case 'tidy':
			return store.tidy();
		case 'lead':
			return store.lead('duty', asked.holder, asked.ms);
		case 'known':
			return [...(await store.known(asked.ids))].sort();
		case 'events':
			return store.events(asked.cursor, {
				limit: 1_000,
				...(asked.tenant !== undefined && { tenant: owner }),
				...(asked.job !== undefined && { jobId: id }),
			});
	}
}

/** What a failing attempt says. */
export const failure = { code: 'model_error', message: 'The model failed.' };

/** Orders by id. */
export function byId(a: Pick<Job, 'id'>, b: Pick<Job, 'id'>): number {
	return a.id < b.id ? -1 : 1;
}
