import assert from 'node:assert/strict';
import type { TakeOptions } from '@plinth/core';
import type { ConformanceCase } from '../conformance.ts';
import {
	completed,
	type JobCaseContext,
	type JobStoreSubject,
	leaseMs,
	read,
	running,
	submit,
	takeAll,
	tryTake,
} from './subject.ts';

/** Whose job is handed out next, and to whom. */
export function takeCases({ it }: JobCaseContext): ConformanceCase[] {
	return [
		it('the oldest job of a tenant goes first, by id', async (s) => {
			for (const id of ['video_b', 'video_c', 'video_a']) await submit(s, { id });
			assert.deepEqual(await takeAll(s), ['video_a', 'video_b', 'video_c']);
		}),
		it('an interrupted job has its old place again, and so has a lost one', async (s) => {
			const [released, lost] = [await running(s), await running(s)];
			const { id } = await submit(s);
			await s.store.release(released.job.id, released.fence);
			await s.clock.advance(leaseMs);
			assert.deepEqual(await takeAll(s), [released.job.id, lost.job.id, id]);
		}),
		it('tenants take turns, in the order of their names', async (s) => {
			for (const tenant of ['b', 'b', 'a', 'a', 'a', 'c']) await submit(s, { tenant });
			assert.deepEqual(await tenants(s, { count: 6 }), ['a', 'b', 'c', 'a', 'b', 'a']);
		}),
		it('the turn goes on from call to call, also over another handle', async (s) => {
			for (const tenant of ['a', 'a', 'b', 'b', 'c']) await submit(s, { tenant });
			const peer = await s.peer();
			const order = [];
			for (const store of [s.store, peer, s.store, peer, s.store]) {
				order.push(...(await tenants({ store }, { count: 1 })));
			}
			assert.deepEqual(order, ['a', 'b', 'c', 'a', 'b']);
		}),
		it('each kind has turns of its own, and gives its own jobs', async (s) => {
			for (const tenant of ['a', 'b']) await submit(s, { tenant });
			for (const tenant of ['a', 'b']) await submit(s, { tenant, kind: 'speech' });
			assert.deepEqual(await tenants(s, { count: 1 }), ['a']);
			const [claim] = await s.store.take('speech', 'w', { leaseMs, count: 1 });
			assert.deepEqual([claim?.job.kind, claim?.job.tenant], ['speech', 'a']);
		}),
		it('take gives at most what it is asked for, and nothing when that is nothing', async (s) => {
			for (let n = 0; n < 3; n += 1) await submit(s);
			assert.equal((await tenants(s, { count: 0 })).length, 0);
			assert.equal((await tenants(s, { count: 2 })).length, 2);
		}),
		it('a worker gets only jobs of the models that it has', async (s) => {
			const one = await submit(s, { model: 'one' });
			const two = await submit(s, { model: 'two' });
			assert.deepEqual(await ids(s, { models: [] }), []);
			assert.deepEqual(await ids(s, { models: ['two', 'three'] }), [two.id]);
			assert.deepEqual(await ids(s, {}), [one.id]);
		}),
		it('a worker gets no more jobs of a model than its limit', async (s) => {
			const [first, , other] = [
				await submit(s, { model: 'one' }),
				await submit(s, { model: 'one' }),
				await submit(s, { model: 'two' }),
			];
			const offer = { models: ['one', 'two'], count: 9 };
			assert.deepEqual(await ids(s, { ...offer, limits: { one: 0, two: 0 } }), []);
			assert.deepEqual(await ids(s, { ...offer, limits: { one: 1 } }), [first.id, other.id]);
		}),
		it('the due jobs of some models are told, oldest first', async (s) => {
			const late = await submit(s, { id: 'video_b', model: 'm' });
			const early = await submit(s, { id: 'video_a', model: 'm', tenant: 'b' });
			await submit(s, { model: 'other' });
			await submit(s, { model: 'm', kind: 'speech' });
			const told = [early, late].map(({ id, tenant, model }) => ({ id, tenant, model }));
			assert.deepEqual(await s.store.due('video', ['m'], 9), told);
			assert.deepEqual(await s.store.due('video', ['m'], 1), told.slice(0, 1));
			assert.deepEqual(await s.store.due('video', [], 9), []);
			await s.store.take('video', 'w', { leaseMs, count: 9 });
			assert.deepEqual(await s.store.due('video', ['m'], 9), []);
			await s.clock.advance(leaseMs);
			assert.deepEqual(await s.store.due('video', ['m'], 9), told);
		}),
		it('a tenant has no more running at one worker than perTenant', async (s) => {
			for (const tenant of ['a', 'a', 'a', 'b']) await submit(s, { tenant });
			assert.deepEqual(await tenants(s, { count: 4, perTenant: 2 }), ['a', 'b', 'a']);
		}),
		it('what the worker runs already counts for perTenant', async (s) => {
			const { job } = await running(s, { tenant: 'a' });
			for (const tenant of ['a', 'b']) await submit(s, { tenant });
			const options = { count: 4, perTenant: 1, running: [job.id] };
			assert.deepEqual(await tenants(s, options), ['b']);
		}),
		it('a job that the worker still runs is not given to it, although its lease has lapsed', async (s) => {
			const { job } = await running(s);
			const last = await running(s, { maxAttempts: 1 });
			await s.clock.advance(leaseMs);
			assert.deepEqual(await ids(s, { running: [job.id, last.job.id] }), []);
			assert.equal((await read(s, last.job.id)).status, 'in_progress');
			assert.deepEqual(await ids(s, {}), [job.id]);
			assert.equal((await read(s, last.job.id)).error?.code, 'attempts_exhausted');
		}),
		it('running, waiting and ended jobs are not given out', async (s) => {
			await running(s);
			await completed(s);
			const { job, fence } = await running(s);
			await s.store.fail(job.id, fence, { code: 'x', message: 'X.' }, 60_000);
			assert.deepEqual(await takeAll(s), []);
		}),
		it('a job that may not run again ends, whatever models the worker has', async (s) => {
			const { job } = await running(s, { maxAttempts: 1 });
			await s.clock.advance(leaseMs);
			await ids(s, { models: [], count: 0 });
			assert.equal((await read(s, job.id)).error?.code, 'attempts_exhausted');
		}),
	];
}

/** Jobs whose model no worker has. */
export function offerCases({ it }: JobCaseContext): ConformanceCase[] {
	const hour = 3_600_000;
	const code = async (s: JobStoreSubject, id: string) => (await read(s, id)).error?.code;
	return [
		it('a job whose model nobody offers waits an hour, then fails with no_worker_for_model', async (s) => {
			const { id } = await submit(s, { model: 'one' });
			await ids(s, { models: ['two'] });
			await s.store.tidy();
			await s.clock.advance(hour - 1);
			await s.store.tidy();
			assert.equal((await read(s, id)).status, 'queued');
			await s.clock.advance(1);
			await s.store.tidy();
			assert.equal(await code(s, id), 'no_worker_for_model');
		}),
		it('a lost job fails so too', async (s) => {
			const { job } = await running(s);
			await s.clock.advance(leaseMs + 120_000);
			await s.store.tidy();
			await s.clock.advance(hour);
			await s.store.tidy();
			assert.equal(await code(s, job.id), 'no_worker_for_model');
		}),
		it('a worker that has the model and is busy keeps the job waiting', async (s) => {
			const { id } = await submit(s, { model: 'one' });
			for (let minutes = 0; minutes < 180; minutes += 1) {
				await ids(s, { models: ['one'], count: 0 });
				await s.store.tidy();
				await s.clock.advance(60_000);
			}
			assert.equal((await read(s, id)).status, 'queued');
		}),
		it('an offer within the hour begins the wait anew', async (s) => {
			const { id } = await submit(s, { model: 'one' });
			await s.store.tidy();
			await s.clock.advance(hour);
			await ids(s, { models: undefined, count: 0 });
			await s.store.tidy();
			await s.clock.advance(120_000);
			await s.store.tidy();
			await s.clock.advance(hour - 1);
			await s.store.tidy();
			assert.equal((await read(s, id)).status, 'queued');
			assert.equal((await tryTake(s, id)) ?? undefined, undefined);
		}),
		it('a clock set forwards fails no job whose worker goes on asking', async (s) => {
			const { id } = await submit(s, { model: 'one' });
			await ids(s, { models: ['one'], count: 0 });
			await s.store.tidy();
			s.clock.jump(48 * hour);
			await s.store.tidy();
			await ids(s, { models: ['one'], count: 0 });
			await s.store.tidy();
			assert.equal((await read(s, id)).status, 'queued');
		}),
		it('what another kind offers does not count, nor does a worker that is gone', async (s) => {
			const { id } = await submit(s, { model: 'one' });
			await s.store.take('speech', 'w', { leaseMs, count: 0 });
			await ids(s, { models: ['one'], count: 0 });
			await s.clock.advance(60_001);
			await s.store.take('speech', 'w', { leaseMs, count: 0 });
			await s.store.tidy();
			await s.clock.advance(hour);
			await s.store.take('speech', 'w', { leaseMs, count: 0 });
			await s.store.tidy();
			assert.equal(await code(s, id), 'no_worker_for_model');
		}),
		it('a job that waits for its retry does not wait for its model meanwhile', async (s) => {
			const { job, fence } = await running(s);
			await s.store.fail(job.id, fence, { code: 'x', message: 'X.' }, 3 * hour);
			for (let n = 0; n < 3; n += 1) {
				await s.clock.advance(hour);
				await s.store.tidy();
			}
			assert.equal((await read(s, job.id)).status, 'queued');
		}),
	];
}

/** Duties that one process at a time has. */
export function dutyCases({ it }: JobCaseContext): ConformanceCase[] {
	return [
		it('a duty is its first holder’s until the lease lapses, and then another’s', async (s) => {
			const peer = await s.peer();
			assert.equal(await s.store.lead('sweep', 'one', 10_000), true);
			assert.equal(await peer.lead('sweep', 'two', 10_000), false);
			await s.clock.advance(9_999);
			assert.equal(await peer.lead('sweep', 'two', 10_000), false);
			await s.clock.advance(1);
			assert.equal(await peer.lead('sweep', 'two', 10_000), true);
			assert.equal(await s.store.lead('sweep', 'one', 10_000), false);
		}),
		it('a holder that renews keeps its duty', async (s) => {
			await s.store.lead('sweep', 'one', 10_000);
			await s.clock.advance(9_999);
			assert.equal(await s.store.lead('sweep', 'one', 10_000), true);
			await s.clock.advance(9_999);
			assert.equal(await s.store.lead('sweep', 'two', 10_000), false);
		}),
		it('a duty that is given back is free at once, and only its holder can give it back', async (s) => {
			await s.store.lead('sweep', 'one', 10_000);
			assert.equal(await s.store.lead('sweep', 'two', 0), false);
			assert.equal(await s.store.lead('sweep', 'two', 10_000), false);
			await s.store.lead('sweep', 'one', 0);
			assert.equal(await s.store.lead('sweep', 'two', 10_000), true);
		}),
		it('duties do not hinder each other', async (s) => {
			await s.store.lead('sweep', 'one', 10_000);
			assert.equal(await s.store.lead('purge', 'two', 10_000), true);
		}),
		it('of twenty that ask at once one gets the duty', async (s) => {
			const peer = await s.peer();
			const answers = await Promise.all(
				Array.from({ length: 20 }, (_, n) => (n % 2 ? s.store : peer).lead('sweep', `holder-${n}`, 10_000)),
			);
			assert.equal(answers.filter(Boolean).length, 1);
		}),
		it('a clock set backwards gives nobody a duty for longer than its lease', async (s) => {
			await s.store.lead('sweep', 'one', 10_000);
			s.clock.jump(-3_600_000);
			assert.equal(await s.store.lead('sweep', 'two', 10_000), true);
		}),
	];
}

type Subject = Pick<JobStoreSubject, 'store'>;

async function take({ store }: Subject, options: Partial<TakeOptions>) {
	return store.take('video', 'worker-1', { leaseMs, count: 10, ...options });
}

async function ids(s: Subject, options: Partial<TakeOptions>): Promise<string[]> {
	return (await take(s, options)).map(({ job }) => job.id);
}

async function tenants(s: Subject, options: Partial<TakeOptions>): Promise<string[]> {
	return (await take(s, options)).map(({ job }) => job.tenant);
}
