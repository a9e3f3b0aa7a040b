import assert from 'node:assert/strict';
import { type CreateOptions, type Idempotency, idempotencyKeyMs, type NewJob } from '@plinth/core';
import { assertRefused, type ConformanceCase } from '../conformance.ts';
import { type JobCaseContext, type JobStoreSubject, keyed, newJob, running, submit } from './subject.ts';

/** Cases on repeated creates, with and without a key. */
export function idempotencyCases({ it }: JobCaseContext): ConformanceCase[] {
	return [
		it('the same key answers with the first job', async (s) => {
			const first = await create(s, keyed('k'));
			const second = await create(s, keyed('k'));
			assert.deepEqual([first.replayed, second], [false, { job: first.job, replayed: true }]);
		}),
		it('fifty creates at once with one key make one job', async (s) => {
			const answers = await Promise.all(Array.from({ length: 50 }, () => create(s, keyed('k'))));
			assert.equal(new Set(answers.map(({ job }) => job.id)).size, 1);
			assert.equal(answers.filter(({ replayed }) => !replayed).length, 1);
			assert.equal(await s.store.pending('video'), 1);
		}),
		it('the same key with another fingerprint is refused', async (s) => {
			await create(s, keyed('k', 'one'));
			await assertRefused(create(s, keyed('k', 'two')), 'E_IDEMPOTENCY_MISMATCH');
		}),
		it('a refused create does not spoil others at the same moment', async (s) => {
			await create(s, keyed('k', 'one'));
			const answers = await Promise.allSettled([create(s), create(s, keyed('k', 'two')), create(s)]);
			const statuses = answers.map(({ status }) => status);
			assert.deepEqual(statuses, ['fulfilled', 'rejected', 'fulfilled']);
			assert.equal(await s.store.pending('video'), 3);
		}),
		it('a key that was used again after 24 hours stands for the second job', async (s) => {
			await create(s, keyed('k'));
			await s.clock.advance(idempotencyKeyMs + 1);
			const second = await create(s, keyed('k'));
			assert.deepEqual(await create(s, keyed('k')), { ...second, replayed: true });
		}),
		it('the same key of another principal is another request', async (s) => {
			await create(s, keyed('k'));
			const other = await create(s, keyed('k'), { principal: 'key_2' });
			assert.equal(other.replayed, false);
		}),
		it('the same key of a like-named principal in another tenant is another request', async (s) => {
			await create(s, keyed('k'));
			const other = await create(s, keyed('k'), { tenant: 'umbrella' });
			assert.deepEqual([other.replayed, other.job.tenant], [false, 'umbrella']);
		}),
		it('a retry without a key answers with the job of the first try', async (s) => {
			const { job } = await create(s, retry(0));
			assert.deepEqual(await create(s, retry(1)), { job, replayed: true });
		}),
		it('a retry whose count was received before makes a new job', async (s) => {
			await create(s, retry(0));
			await create(s, retry(1));
			assert.equal((await create(s, retry(1))).replayed, false);
		}),
		it('a retry of another principal makes a job', async (s) => {
			await create(s, retry(0));
			assert.equal((await create(s, retry(1), { principal: 'key_2' })).replayed, false);
		}),
	];
}

function create(s: JobStoreSubject, idempotency?: Idempotency, changes: Partial<NewJob> = {}) {
	return s.store.create(newJob(s, changes), idempotency && { idempotency });
}

function retry(count: number, fingerprint = 'f'): Idempotency {
	return { fingerprint, retry: count };
}

/** Cases on the limit of waiting and running jobs of a tenant. */
export function limitCases({ it }: JobCaseContext): ConformanceCase[] {
	return [
		it('a create is refused when maxPending jobs wait or run', async (s) => {
			await submit(s);
			await running(s);
			await assertRefused(limited(s, 2), 'E_QUEUE_FULL');
		}),
		it('maxPending counts the jobs of one tenant and one kind', async (s) => {
			await submit(s, { tenant: 'umbrella' });
			await submit(s, { kind: 'speech' });
			assert.equal((await limited(s, 1)).replayed, false);
		}),
		it('maxPending counts the jobs of all principals of a tenant', async (s) => {
			await submit(s, { principal: 'key_2' });
			await assertRefused(limited(s, 1), 'E_QUEUE_FULL');
		}),
		it('a repeated key is answered although the queue is full', async (s) => {
			const idempotency = keyed('k');
			const { job } = await limited(s, 1, { idempotency });
			assert.deepEqual(await limited(s, 1, { idempotency }), { job, replayed: true });
		}),
		it('with maxPending 0 repeats are answered, and nothing is stored', async (s) => {
			const idempotency = keyed('k');
			await assertRefused(limited(s, 0, { idempotency }), 'E_QUEUE_FULL');
			assert.equal(await s.store.pending('video'), 0);
			const { job } = await s.store.create(newJob(s), { idempotency });
			assert.deepEqual(await limited(s, 0, { idempotency }), { job, replayed: true });
		}),
		it('of twenty creates at once with maxPending 5, five succeed', async (s) => {
			const answers = await Promise.allSettled(Array.from({ length: 20 }, () => limited(s, 5)));
			assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 5);
			assert.equal(await s.store.pending('video'), 5);
		}),
	];
}

function limited(s: JobStoreSubject, maxPending: number, options: CreateOptions = {}, changes: Partial<NewJob> = {}) {
	return s.store.create(newJob(s, changes), { ...options, maxPending });
}
