import assert from 'node:assert/strict';
import type { TakeOptions } from '@plinth/core';
import type { ConformanceCase } from '../conformance.ts';
import {
	completed,
	type JobCaseContext,
	type JobStoreSubject,
	leaseMs,
	overBoth,
	read,
	running,
	submit,
	takeAll,
	tidyAfter,
	tryTake,
} from './subject.ts';

/** Cases on which job is returned next, and to which worker. */
export function takeCases({ it }: JobCaseContext): ConformanceCase[] {
	return [
		it('the oldest job of a tenant goes first, by id', async (s) => {
			for (const id of ['video_b', 'video_c', 'video_a']) await submit(s, { id });
			assert.deepEqual(await takeAll(s), ['video_a', 'video_b', 'video_c']);
		}),
		it('an interrupted job and a job that lost its worker keep their places', async (s) => {
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
		it('the turn continues from call to call, also over another handle', async (s) => {
			for (const tenant of ['a', 'a', 'b', 'b', 'c']) await submit(s, { tenant });
			const peer = await s.peer();
			const order = [];
			for (const store of [s.store, peer, s.store, peer, s.store]) {
				order.push(...(await tenants({ store }, { count: 1 })));
			}
			assert.deepEqual(order, ['a', 'b', 'c', 'a', 'b']);
		}),
		it('each kind has its own turns and its own jobs', async (s) => {
			for (const tenant of ['a', 'b']) await submit(s, { tenant });
			for (const tenant of ['a', 'b']) await submit(s, { tenant, kind: 'speech' });
			assert.deepEqual(await tenants(s, { count: 1 }), ['a']);
			const [claim] = await s.store.take('speech', 'w', { leaseMs, count: 1 });
			assert.deepEqual([claim?.job.kind, claim?.job.tenant], ['speech', 'a']);
		}),
		it('take returns at most count jobs, and none when count is 0', async (s) => {
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
			const first = await submit(s, { model: 'one' });
			await submit(s, { model: 'one' });
			const other = await submit(s, { model: 'two' });
			const offer = { models: ['one', 'two'], count: 9 };
			assert.deepEqual(await ids(s, { ...offer, limits: { one: 0, two: 0 } }), []);
			assert.deepEqual(await ids(s, { ...offer, limits: { one: 1 } }), [first.id, other.id]);
		}),
		it('due returns the due jobs of some models, oldest first', async (s) => {
			const late = await submit(s, { id: 'video_b', model: 'm' });
			const early = await submit(s, { id: 'video_a', model: 'm', tenant: 'b' });
			await submit(s, { model: 'other' });
			await submit(s, { model: 'm', kind: 'speech' });
			const expected = [early, late].map(({ id, tenant, model }) => ({ id, tenant, model }));
			assert.deepEqual(await s.store.due('video', ['m'], 9), expected);
			assert.deepEqual(await s.store.due('video', ['m'], 1), expected.slice(0, 1));
			assert.deepEqual(await s.store.due('video', [], 9), []);
			await s.store.take('video', 'w', { leaseMs, count: 9 });
			assert.deepEqual(await s.store.due('video', ['m'], 9), []);
			await s.clock.advance(leaseMs);
			assert.deepEqual(await s.store.due('video', ['m'], 9), expected);
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
		it('a job that the worker still runs is not returned to it, although its lease has lapsed', async (s) => {
			const { job } = await running(s);
			const last = await running(s, { maxAttempts: 1 });
			await s.clock.advance(leaseMs);
			assert.deepEqual(await ids(s, { running: [job.id, last.job.id] }), []);
			assert.equal((await read(s, last.job.id)).status, 'in_progress');
			assert.deepEqual(await ids(s, {}), [job.id]);
			assert.equal((await read(s, last.job.id)).error?.code, 'attempts_exhausted');
		}),
		it('running, waiting and ended jobs are not returned', async (s) => {
			await running(s);
			await completed(s);
			const { job, fence } = await running(s);
			await s.store.fail(job.id, fence, { code: 'x', message: 'X.' }, 60_000);
			assert.deepEqual(await takeAll(s), []);
		}),
		it('a job without attempts left fails, whatever models the worker has', async (s) => {
			const { job } = await running(s, { maxAttempts: 1 });
			await s.clock.advance(leaseMs);
			await ids(s, { models: [], count: 0 });
			assert.equal((await read(s, job.id)).error?.code, 'attempts_exhausted');
		}),
	];
}

/** Cases on jobs whose model no worker offers. */
export function offerCases({ it }: JobCaseContext): ConformanceCase[] {
	const hour = 3_600_000;
	const code = async (s: JobStoreSubject, id: string) => (await read(s, id)).error?.code;
	return [
		it('a job whose model no worker offers waits an hour, then fails with no_worker_for_model', async (s) => {
			const { id } = await submit(s, { model: 'one' });
			await ids(s, { models: ['two'] });
			await s.store.tidy();
			await tidyAfter(s, hour - 1);
			assert.equal((await read(s, id)).status, 'queued');
			await tidyAfter(s, 1);
			assert.equal(await code(s, id), 'no_worker_for_model');
		}),
		it('a job that lost its worker fails with no_worker_for_model too', async (s) => {
			const { job } = await running(s);
			await tidyAfter(s, leaseMs + 120_000);
			await tidyAfter(s, hour);
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
		it('an offer within the hour restarts the wait', async (s) => {
			const { id } = await submit(s, { model: 'one' });
			await s.store.tidy();
			await s.clock.advance(hour);
			await ids(s, { models: undefined, count: 0 });
			await s.store.tidy();
			await tidyAfter(s, 120_000);
			await tidyAfter(s, hour - 1);
			assert.equal((await read(s, id)).status, 'queued');
			assert.equal((await tryTake(s, id)) ?? undefined, undefined);
		}),
		it('a clock set forwards fails no job whose worker still calls take', async (s) => {
			const { id } = await submit(s, { model: 'one' });
			await ids(s, { models: ['one'], count: 0 });
			await s.store.tidy();
			s.clock.jump(48 * hour);
			await s.store.tidy();
			await ids(s, { models: ['one'], count: 0 });
			await s.store.tidy();
			assert.equal((await read(s, id)).status, 'queued');
		}),
		it('offers of another kind do not count, nor do offers of workers that have stopped', async (s) => {
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
			for (let n = 0; n < 3; n += 1) await tidyAfter(s, hour);
			assert.equal((await read(s, job.id)).status, 'queued');
		}),
	];
}

/** Cases on duties that one process at a time has. */
export function dutyCases({ it }: JobCaseContext): ConformanceCase[] {
	return [
		it('a duty belongs to its first holder until the lease lapses, and then to another one', async (s) => {
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
		it('a duty that is released is free at once, and only its holder can release it', async (s) => {
			await s.store.lead('sweep', 'one', 10_000);
			assert.equal(await s.store.lead('sweep', 'two', 0), false);
			assert.equal(await s.store.lead('sweep', 'two', 10_000), false);
			await s.store.lead('sweep', 'one', 0);
			assert.equal(await s.store.lead('sweep', 'two', 10_000), true);
		}),
		it('duties are independent of each other', async (s) => {
			await s.store.lead('sweep', 'one', 10_000);
			assert.equal(await s.store.lead('purge', 'two', 10_000), true);
		}),
		it('of twenty requests at once, one gets the duty', async (s) => {
			const answers = await overBoth(s, 20, (store, n) => store.lead('sweep', `holder-${n}`, 10_000));
			assert.equal(answers.filter(Boolean).length, 1);
		}),
		it('with a clock set backwards, a duty lasts no longer than its lease', async (s) => {
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
