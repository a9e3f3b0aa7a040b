import { type Claim, type Job, type JobStore, plinthError } from '@plinth/core';
import { describe, expect, test } from 'vitest';
import { jobSuite, showing } from './job-suite.ts';
import { type Sabotage, testSabotage } from './sabotage.ts';

/** Accepts every write of an attempt as a write of the newest attempt. */
function withoutFence(method: 'heartbeat' | 'complete' | 'fail' | 'release') {
	return (right: JobStore): Partial<JobStore> => {
		const fences = new Map<string, number>();
		const write = right[method].bind(right) as (id: string, fence: number, ...rest: unknown[]) => unknown;
		return {
			async take(...args) {
				const claims = await right.take(...args);
				for (const { job, fence } of claims) fences.set(job.id, fence);
				return claims;
			},
			[method]: (id: string, fence: number, ...rest: unknown[]) => write(id, fences.get(id) ?? fence, ...rest),
		};
	};
}

const queueFull = () => plinthError('E_QUEUE_FULL');

const wrong: Sabotage<JobStore>[] = [
	...(['heartbeat', 'complete', 'fail', 'release'] as const).map(
		(method): Sabotage<JobStore> => [
			`a ${method} that ignores the fence`,
			withoutFence(method),
			`a late ${method} of a replaced attempt writes nothing`,
		],
	),
	[
		'a get that ignores the tenant',
		(right) => ({ get: (_tenant, id) => right.get('acme', id) }),
		'get does not show the job of another tenant',
	],
	[
		'a list that ignores the tenant',
		(right) => ({ list: (_tenant, options) => right.list('acme', options) }),
		'list does not show the jobs of another tenant',
	],
	[
		'a remove that ignores the tenant',
		(right) => ({ remove: (_tenant, id) => right.remove('acme', id) }),
		'remove does not reach the job of another tenant',
	],
	[
		'a requestCancel that ignores the tenant',
		(right) => ({ requestCancel: (_tenant, id) => right.requestCancel('acme', id) }),
		'requestCancel does not reach the job of another tenant',
	],
	[
		'a count that ignores the tenant',
		(right) => ({ pending: (kind) => right.pending(kind) }),
		'pending counts for one tenant or for all',
	],
	[
		'idempotency that ignores the tenant',
		(right) => ({
			create: async (job, options) => {
				const { job: made, replayed } = await right.create({ ...job, tenant: 'one' }, options);
				return { job: { ...made, tenant: job.tenant }, replayed };
			},
		}),
		'the same key of a like-named principal in another tenant is another request',
	],
	[
		'a lost event',
		(right) => ({
			async events(cursor, query) {
				const page = await right.events(cursor, query);
				return { ...page, events: page.events.filter(({ type }) => type !== 'job.completed') };
			},
		}),
		'every transition appends its event',
	],
	[
		'events out of order',
		(right) => ({
			async events(cursor, query) {
				const page = await right.events(cursor, query);
				return { ...page, events: [...page.events].reverse() };
			},
		}),
		'events of all jobs come in the order of their commits',
	],
	[
		'a cursor that repeats an event',
		(right) => {
			const before = new Map<string, string | undefined>();
			return {
				async events(cursor, query) {
					const page = await right.events(cursor && before.get(cursor), query);
					const last = page.events.at(-2)?.cursor;
					before.set(page.cursor, last);
					return page;
				},
			};
		},
		'a cursor continues where the last page ended',
	],
	[
		'an event filter that is ignored',
		(right) => ({ events: (cursor, { limit }) => right.events(cursor, { limit }) }),
		'events can be read for one job',
	],
	[
		'progress that falls',
		(right) => {
			let latest = 0;
			return {
				...showing(() => ({ progress: latest }))(right),
				heartbeat(id, fence, update) {
					latest = update?.progress ?? latest;
					return right.heartbeat(id, fence, update);
				},
			};
		},
		'progress never falls',
	],
	[
		'progress that reaches 1 too early',
		showing(({ progress }) => ({ progress: progress > 0.9 ? 1 : progress })),
		'progress stays below 1 while the job runs',
	],
	[
		'a release that counts the attempt',
		showing(({ status, fence }) => (status === 'queued' ? { attempt: fence } : {})),
		'release queues the job again and does not count the attempt',
	],
	[
		'a retry that does not wait',
		(right) => ({
			fail: (id, fence, error, retryInMs) => right.fail(id, fence, error, retryInMs && 0),
		}),
		'a retry cannot be claimed before its instant',
	],
	[
		'a retry beyond the last attempt',
		(right) => ({
			fail: (id, fence, error, retryInMs) =>
				retryInMs === undefined ? right.fail(id, fence, error) : right.release(id, fence),
		}),
		'the last attempt fails with its own error although a retry was asked for',
	],
	[
		'attempts without end',
		(right) => ({ create: (job, options) => right.create({ ...job, maxAttempts: 99 }, options) }),
		'a job whose attempts are used up fails at the next claim with attempts_exhausted',
	],
	[
		'a cancel that only answers',
		(right) => ({ requestCancel: (tenant, id) => right.get(tenant, id) }),
		'cancelling a queued job fails it at once with cancelled',
	],
	[
		'a cancel that heartbeats hide',
		(right) => ({
			async heartbeat(...args) {
				const answer = await right.heartbeat(...args);
				return answer === 'cancel' ? 'ok' : answer;
			},
		}),
		'a running attempt gets the cancel from its next heartbeat',
	],
	[
		'a remove that only answers',
		(right) => ({ remove: (tenant, id) => right.get(tenant, id) }),
		'a removed completed job is unknown',
	],
	[
		'a removed job that its attempt does not miss',
		(right) => ({
			async heartbeat(...args) {
				const answer = await right.heartbeat(...args);
				return answer === 'lost' ? 'ok' : answer;
			},
		}),
		'a running attempt of a removed job is lost',
	],
	[
		'a removed job that complete brings back',
		(right) => {
			const back = new Set<string>();
			return {
				async complete(id) {
					back.add(id);
					return true;
				},
				async get(tenant, id) {
					return (await right.get(tenant, id)) ?? (back.has(id) ? ({ id } as Job) : null);
				},
			};
		},
		'nothing a running attempt writes brings a removed job back',
	],
	[
		'a job that is given out twice',
		(right) => {
			const given: Claim[] = [];
			return {
				async take(kind, worker, options) {
					const claims = await right.take(kind, worker, options);
					given.push(...claims);
					return claims.length > 0 ? claims : given.slice(0, options.count);
				},
			};
		},
		'of twenty claims at once exactly one wins',
	],
	...(
		[
			['leaves the models out of account', { models: undefined }],
			['leaves perTenant out of account', { perTenant: undefined }],
			['leaves out of account what the worker runs', { running: [] }],
			['gives more than it is asked for', { count: 100 }],
		] as const
	).flatMap(([what, changed]): Sabotage<JobStore>[] =>
		(
			[
				['models', 'a worker gets only jobs of the models that it has'],
				['perTenant', 'a tenant has no more running at one worker than perTenant'],
				['running', 'a job that the worker still runs is not returned to it, although its lease has lapsed'],
				['count', 'take returns at most count jobs, and none when count is 0'],
			] as const
		)
			.filter(([name]) => name in changed)
			.map(([, sentence]) => [
				`a take that ${what}`,
				(right) => ({
					take: (kind, worker, options) => right.take(kind, worker, { ...options, ...changed }),
				}),
				sentence,
			]),
	),
	[
		'a take of every kind',
		(right) => ({
			async take(kind, worker, options) {
				const speech = kind === 'video' ? await right.take('speech', worker, options) : [];
				return [...speech, ...(await right.take(kind, worker, options))];
			},
		}),
		'each kind has its own turns and its own jobs',
	],
	[
		'tenants that do not take turns',
		(right) => ({ create: (job, options) => right.create({ ...job, tenant: 'one' }, options) }),
		'tenants take turns, in the order of their names',
	],
	[
		'jobs without their order',
		(right) => ({
			take: async (...args) => [...(await right.take(...args))].reverse(),
		}),
		'the oldest job of a tenant goes first, by id',
	],
	[
		'offers that are not noted',
		(right) => ({
			take: (kind, _worker, options) => right.take(kind, 'w', { ...options, models: ['none'] }),
		}),
		'a worker that has the model and is busy keeps the job waiting',
	],
	[
		'a tidy that forgets offers at once',
		(right) => ({
			async tidy() {
				await right.take('video', 'worker-1', { leaseMs: 1, count: 0, models: [] });
				await right.tidy();
			},
		}),
		'a clock set forwards fails no job whose worker still calls take',
	],
	['a duty that everybody has', () => ({ lead: async () => true }), 'of twenty requests at once, one gets the duty'],
	[
		'a duty that cannot be given back',
		(right) => ({ lead: async (...args) => args[2] > 0 && right.lead(...args) }),
		'a duty that is released is free at once, and only its holder can release it',
	],
	[
		'JSON that loses what no text should have',
		(right) => ({
			create: (job, options) => {
				const text = JSON.stringify(job.input).replaceAll('\\u0000', '');
				return right.create({ ...job, input: JSON.parse(text) }, options);
			},
		}),
		'NUL and lone surrogates in JSON come back as they were',
	],
	[
		'a heartbeat that revives a lapsed lease',
		(right) => ({
			async heartbeat(id, fence, update) {
				const newest = (await right.get('acme', id))?.fence ?? fence;
				return right.heartbeat(id, newest, update);
			},
		}),
		'the heartbeat of a lapsed lease that another worker has taken is lost and extends nothing',
	],
	[
		'a lease that does not lapse',
		(right) => ({
			take: (kind, worker, { leaseMs, ...options }) =>
				right.take(kind, worker, { ...options, leaseMs: leaseMs * 1_000 }),
		}),
		'a lapsed lease lets another worker claim, and both attempts count',
	],
	[
		'a heartbeat that does not extend the lease',
		() => ({ heartbeat: async () => 'ok' }),
		'heartbeat extends the lease by its length',
	],
	[
		'a checkpoint that is not stored',
		(right) => ({
			heartbeat: (id, fence, { progress = 0 } = {}) => right.heartbeat(id, fence, { progress }),
		}),
		'a checkpoint survives a lost attempt',
	],
	[
		'idempotency that is ignored',
		(right) => ({ create: (job) => right.create(job) }),
		'the same key answers with the first job',
	],
	[
		'idempotency that races',
		(right) => {
			const jobs = new Map<string, string>();
			return {
				async create(job, options) {
					const key = options?.idempotency?.key ?? job.id;
					const earlier = jobs.get(key);
					await new Promise((resolve) => setImmediate(resolve));
					if (earlier) return { job: (await right.get(job.tenant, earlier)) as Job, replayed: true };
					jobs.set(key, job.id);
					return right.create(job);
				},
			};
		},
		'fifty creates at once with one key make one job',
	],
	[
		'a key without a fingerprint',
		(right) => ({
			create: (job, options) =>
				right.create(job, options?.idempotency && { idempotency: { ...options.idempotency, fingerprint: 'f' } }),
		}),
		'the same key with another fingerprint is refused',
	],
	[
		'a key that is never forgotten',
		(right) => {
			const first = new Map<string, ReturnType<JobStore['create']>>();
			return {
				create(job, options) {
					const key = options?.idempotency?.key ?? job.id;
					const made = first.get(key) ?? right.create(job, options);
					first.set(key, made);
					return made;
				},
			};
		},
		'a key that was used again after 24 hours stands for the second job',
	],
	[
		'retries that do not look at who received the job',
		(right) => {
			let count = 1;
			return {
				create(job, options) {
					if (!options?.idempotency?.retry) return right.create(job, options);
					count += 1;
					return right.create(job, { idempotency: { ...options.idempotency, retry: count } });
				},
			};
		},
		'a retry whose count was received before makes a new job',
	],
	[
		'a list that ignores the order',
		(right) => ({ list: (tenant, options) => right.list(tenant, { ...options, order: 'asc' }) }),
		'a list in descending order starts with the newest',
	],
	[
		'a list whose position must exist',
		(right) => ({
			async list(tenant, options) {
				const known = !options.after || (await right.get(tenant, options.after));
				return known ? right.list(tenant, options) : { jobs: [], hasMore: false };
			},
		}),
		'after may be the id of a removed job',
	],
	[
		'an empty page that tells nothing',
		(right) => ({
			list: async (tenant, options) =>
				options.limit === 0 ? { jobs: [], hasMore: false } : right.list(tenant, options),
		}),
		'limit 0 returns an empty page whose hasMore is right',
	],
	[
		'a sweep that forgets removed jobs',
		(right) => ({
			sweep: async (limit) => (await right.sweep(limit)).filter(({ due }) => due === 'content'),
		}),
		'a removed job that no worker runs is due at once',
	],
	[
		'a sweep that settles by itself',
		(right) => ({
			async sweep(limit) {
				const items = await right.sweep(limit);
				await right.swept(items);
				return items;
			},
		}),
		'sweep changes nothing',
	],
	[
		'a line without an end',
		(right) => ({
			create: (job, { idempotency } = {}) => right.create(job, idempotency && { idempotency }),
		}),
		'a create is refused when maxPending jobs wait or run',
	],
	[
		'a line that is looked at before the repeats',
		(right) => ({
			async create(job, options = {}) {
				const { maxPending = 1e9 } = options;
				if ((await right.pending(job.kind, job.tenant)) >= maxPending) throw queueFull();
				return right.create(job, options);
			},
		}),
		'a repeated key is answered although the queue is full',
	],
	[
		'a line that races',
		(right) => ({
			async create(job, { idempotency, maxPending = 1e9 } = {}) {
				if ((await right.pending(job.kind, job.tenant)) >= maxPending) throw queueFull();
				return right.create(job, idempotency && { idempotency });
			},
		}),
		'of twenty creates at once with maxPending 5, five succeed',
	],
	[
		'a line that all tenants share',
		(right) => ({
			async create(job, { idempotency, maxPending = 1e9 } = {}) {
				if ((await right.pending(job.kind)) >= maxPending) throw queueFull();
				return right.create(job, idempotency && { idempotency });
			},
		}),
		'maxPending counts the jobs of one tenant and one kind',
	],
	[
		'a known that forgets removed jobs',
		(right) => ({
			async known(ids) {
				const found = await Promise.all(ids.map((id) => right.get('acme', id)));
				return found.flatMap((job) => (job ? [job.id] : []));
			},
		}),
		'a removed job is known until its record was swept',
	],
	[
		'failed jobs that keep their bytes',
		(right) => ({
			sweep: async (limit) => (await right.sweep(limit)).filter(({ due }) => due === 'record'),
		}),
		'the bytes of a job whose attempts are used up are due at once',
	],
	[
		'a lease that a clock set back makes long',
		() => ({ tidy: async () => {} }),
		'a clock set backwards leaves a lease no longer than its length after the next tidy',
	],
	['a swept that does nothing', () => ({ swept: async () => {} }), 'swept content is not listed again'],
];

describe('jobStoreSuite', () => {
	testSabotage(wrong, jobSuite);

	test('names every case once', () => {
		const names = jobSuite((right) => right).map(({ name }) => name);
		expect(new Set(names).size).toBe(names.length);
	});
});
