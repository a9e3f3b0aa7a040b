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
 * One call, in a form that does not depend on a store. `job` counts back from the newest running job, or from the
 * newest of all jobs when `aim` is absent or false. `fence` is added to the newest fence of the job.
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
			/** Whether the worker reports that it still runs the newest running job. */
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
			readonly continues: boolean;
			readonly tenant: number | undefined;
			readonly job: number | undefined;
	  };

/** A plan whose numbers are resolved to ids, tenants and fences. */
export type Call = Plan & {
	/** The id that `job` or `after` refers to; for a create, the id of the new job. */
	readonly id: string;
	readonly owner: string;
	readonly token: number;
	/** The name of the client, as a worker and as the holder of a duty. */
	readonly holder: string;
	/** The ids of the jobs that the worker still runs. */
	readonly busy: readonly string[];
	/** The result of the client's last sweep. */
	readonly items: readonly SweepItem[];
	/** Where the client's last read of events ended: `cursor` for the store, `seq` for the model. */
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

/** Calls of one form, and their weight among all calls. */
function calls<T>(weight: number, members: { [K in keyof T]: fc.Arbitrary<T[K]> }) {
	return { weight, arbitrary: fc.record(members) };
}

/** Any call that a client or a worker makes. */
export const plan: fc.Arbitrary<Plan> = fc.oneof(
	calls(5, {
		call: call('create'),
		tenant,
		idempotency: maybe(idempotency),
		maxPending: maybe(fc.nat(3)),
		maxAttempts: fc.integer({ min: 1, max: 3 }),
		model: call('m', 'n'),
	}),
	calls(6, {
		call: call('take'),
		count: fc.constantFrom(1, 1, 1, 0, 2, 3),
		models: fc.constantFrom(undefined, undefined, ['m', 'n'], ['m'], ['n'], []),
		perTenant: maybe(fc.integer({ min: 1, max: 2 })),
		runs: fc.boolean(),
	}),
	calls(4, {
		call: call('heartbeat'),
		...attempt,
		progress: fc.constantFrom(0, 0.2, 0.5, 0.7, 0.98, 1),
		checkpoint: maybe(call('a', 'b')),
	}),
	calls(5, {
		call: call('complete', 'fail', 'release'),
		...attempt,
		ms: maybe(fc.constantFrom(0, 1_000, 60_000, 86_400_000)),
	}),
	calls(5, {
		call: call('cancel', 'remove', 'get', 'get', 'get'),
		job,
		foreign: fc.constantFrom(false, false, false, true),
	}),
	calls(1, {
		call: call('list'),
		tenant,
		after: maybe(job),
		limit: fc.nat(4),
		order: call('asc', 'desc'),
		pending: fc.boolean(),
	}),
	calls(1, { call: call('lead'), ms: fc.constantFrom(10_000, 30_000, 0) }),
	calls(1, { call: call('pending'), tenant: maybe(tenant) }),
	calls(4, { call: call('sweep', 'swept', 'tidy', 'tidy', 'known') }),
	calls(2, { call: call('events'), continues: fc.boolean(), tenant: maybe(tenant), job: maybe(job) }),
);

/** The new job of a create. */
export function newJobOf({ id, owner, model, maxAttempts }: Call & { call: 'create' }) {
	const [kind, principal, input] = ['video', 'key_1', { id }];
	return { id, kind, tenant: owner, principal, model, input, maxAttempts };
}

/** The callback of a job: every other job has one. */
export function callbackOf(id: string): { readonly callback?: JobCallback } {
	const hasCallback = Number(id.at(-1)) % 2 === 0;
	return hasCallback ? { callback: { url: `https://client.example/${id}`, secret: null } } : {};
}

/** The options of a create. */
export function optionsOf({ idempotency, maxPending }: Plan & { call: 'create' }): CreateOptions {
	return { ...(idempotency && { idempotency }), ...(maxPending !== undefined && { maxPending }) };
}

/** Makes the call on a store. Returns a coded error as its code, and sorts results that have no defined order. */
export async function perform(store: JobStore, request: Call): Promise<unknown> {
	try {
		return await callStore(store, request);
	} catch (error) {
		if (isPlinthError(error)) return { refused: error.code };
		throw error;
	}
}

async function callStore(store: JobStore, request: Call): Promise<unknown> {
	const { id, owner, token } = request;
	switch (request.call) {
		case 'create':
			return store.create({ ...newJobOf(request), ...callbackOf(id) }, optionsOf(request));
		case 'take': {
			const { holder, count, models, perTenant, busy: running } = request;
			return store.take('video', holder, { leaseMs, count, models, perTenant, running });
		}
		case 'cancel':
			return store.requestCancel(owner, id);
		case 'remove':
			return store.remove(owner, id);
		case 'get':
			return store.get(owner, id);
		case 'heartbeat': {
			const { progress, checkpoint } = request;
			return store.heartbeat(id, token, { progress, ...(checkpoint && { checkpoint }) });
		}
		case 'complete':
			return store.complete(id, token, { result: { token }, retentionMs: request.ms ?? null });
		case 'fail':
			return store.fail(id, token, failure, request.ms);
		case 'release':
			return store.release(id, token);
		case 'list': {
			const { limit, order, after, pending } = request;
			const position = after === undefined ? {} : { after: id };
			return store.list(owner, { kind: 'video', limit, order, pending, ...position });
		}
		case 'pending':
			return store.pending('video', request.tenant === undefined ? undefined : owner);
		case 'sweep':
			return [...(await store.sweep(1_000))].sort(byId);
		case 'swept':
			return store.swept(request.items);
		case 'tidy':
			return store.tidy();
		case 'lead':
			return store.lead('duty', request.holder, request.ms);
		case 'known':
			return [...(await store.known(request.ids))].sort();
		case 'events':
			return store.events(request.cursor, {
				limit: 1_000,
				...(request.tenant !== undefined && { tenant: owner }),
				...(request.job !== undefined && { jobId: id }),
			});
	}
}

/** The error of failing attempts. */
export const failure = { code: 'model_error', message: 'The model failed.' };

/** Orders by id. */
export function byId(a: Pick<Job, 'id'>, b: Pick<Job, 'id'>): number {
	return a.id < b.id ? -1 : 1;
}
