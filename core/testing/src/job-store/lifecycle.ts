import assert from 'node:assert/strict';
import type { ConformanceCase } from '../conformance.ts';
import {
	broken,
	claim,
	completed,
	eventTypes,
	type JobCaseContext,
	leaseMs,
	newJob,
	read,
	running,
	submit,
	tryTake,
} from './subject.ts';

/** Cases on creating, claiming and ending a job. */
export function lifecycleCases({ it }: JobCaseContext): ConformanceCase[] {
	return [
		it('create stores a queued job with nothing done yet', async (s) => {
			const job = newJob(s);
			const answer = await s.store.create(job);
			assert.deepEqual(answer, {
				job: {
					...job,
					status: 'queued',
					result: null,
					error: null,
					progress: 0,
					checkpoint: null,
					attempt: 0,
					fence: 0,
					cancelRequested: false,
					createdAt: s.clock.now(),
					startedAt: null,
					completedAt: null,
					expiresAt: null,
					expired: false,
				},
				replayed: false,
			});
		}),
		it('get returns what create returned', async (s) => {
			const job = await submit(s, { input: { nested: { list: [1, 'ü', null] }, big: 2 ** 40 } });
			assert.deepEqual(await s.store.get('acme', job.id), job);
		}),
		it('a caller that changes its input afterwards does not change the job', async (s) => {
			const input = { list: [1] };
			const job = await submit(s, { input });
			input.list.push(2);
			assert.deepEqual((await read(s, job.id)).input, { list: [1] });
		}),
		it('claim starts the job and counts the attempt', async (s) => {
			const job = await submit(s);
			await s.clock.advance(1_000);
			const { job: claimed, fence } = await claim(s, job.id);
			const startedAt = s.clock.now();
			assert.deepEqual(claimed, { ...job, status: 'in_progress', attempt: 1, fence, startedAt });
		}),
		it('of twenty claims at once exactly one wins', async (s) => {
			const job = await submit(s);
			const claims = await Promise.all(Array.from({ length: 20 }, () => tryTake(s, job.id)));
			assert.equal(claims.filter(Boolean).length, 1);
		}),
		it('complete ends the job with its result', async (s) => {
			const { job, fence } = await running(s);
			await s.clock.advance(3_000);
			const completion = { result: { a: 1 }, retentionMs: 86_400_000 };
			assert.equal(await s.store.complete(job.id, fence, completion), true);
			assert.deepEqual(await read(s, job.id), {
				...job,
				status: 'completed',
				progress: 1,
				result: { a: 1 },
				completedAt: s.clock.now(),
				expiresAt: s.clock.now() + 86_400_000,
			});
		}),
		it('fail ends the job with its error', async (s) => {
			const { job, fence } = await running(s);
			const error = { ...broken, param: 'prompt' };
			await s.clock.advance(3_000);
			assert.equal(await s.store.fail(job.id, fence, error), true);
			const completedAt = s.clock.now();
			assert.deepEqual(await read(s, job.id), { ...job, status: 'failed', error, completedAt });
		}),
		it('a retry cannot be claimed before its instant', async (s) => {
			const { job, fence } = await running(s);
			await s.store.fail(job.id, fence, broken, 5_000);
			await s.clock.advance(4_999);
			assert.equal(await tryTake(s, job.id), null);
		}),
		it('the last attempt fails with its own error although a retry was asked for', async (s) => {
			const { job, fence } = await running(s, { maxAttempts: 1 });
			await s.store.fail(job.id, fence, broken, 5_000);
			const { status, error } = await read(s, job.id);
			assert.deepEqual({ status, error }, { status: 'failed', error: broken });
		}),
		it('release queues the job again and does not count the attempt', async (s) => {
			const { job, fence } = await running(s);
			assert.equal(await s.store.release(job.id, fence), true);
			const { status, attempt } = await read(s, job.id);
			assert.deepEqual({ status, attempt }, { status: 'queued', attempt: 0 });
		}),
		it('durations with a fraction of a millisecond are rounded', async (s) => {
			const first = await running(s);
			const completion = { result: {}, retentionMs: 3_600.25 };
			assert.equal(await s.store.complete(first.job.id, first.fence, completion), true);
			assert.equal((await read(s, first.job.id)).expiresAt, s.clock.now() + 3_600);
			const second = await running(s);
			assert.equal(await s.store.fail(second.job.id, second.fence, broken, 5_000.5), true);
			await s.clock.advance(4_999);
			assert.equal(await tryTake(s, second.job.id), null);
			await s.clock.advance(2);
			assert.equal((await tryTake(s, second.job.id, leaseMs + 0.25))?.job.attempt, 2);
			await s.clock.advance(leaseMs + 1);
			assert.equal((await claim(s, second.job.id)).job.attempt, 3);
		}),
		it('content has expired from the second of its instant on, by the clock of the store', async (s) => {
			const { id } = await completed(s, {}, 60_500);
			await s.clock.advance(59_999);
			assert.equal((await read(s, id)).expired, false);
			await s.clock.advance(1);
			assert.equal((await read(s, id)).expired, true);
			const { jobs } = await s.store.list('acme', { kind: 'video', limit: 1, order: 'asc' });
			assert.equal(jobs[0]?.expired, true);
		}),
		it('every transition appends its event', async (s) => {
			const { job, fence } = await running(s);
			await s.store.release(job.id, fence);
			const second = await claim(s, job.id);
			await s.store.complete(job.id, second.fence, { result: {}, retentionMs: null });
			const attempt = ['job.queued', 'job.started'];
			assert.deepEqual(await eventTypes(s, job.id), [...attempt, ...attempt, 'job.completed']);
		}),
	];
}
