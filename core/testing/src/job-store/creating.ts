import assert from 'node:assert/strict';
import { type CreateOptions, type Idempotency, idempotencyKeyMs, isPlinthError, type NewJob } from '@plinth/core';
import type { ConformanceCase } from '../conformance.ts';
import { type JobCaseContext, type JobStoreSubject, newJob, running, submit } from './subject.ts';

/** Repeated creates, with and without a key. */
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
			await assert.rejects(create(s, keyed('k', 'two')), isMismatch);
		}),
		it('a refused create does not spoil others at the same moment', async (s) => {
			await create(s, keyed('k', 'one'));
			const answers = await Promise.allSettled([create(s), create(s, keyed('k', 'two')), create(s)]);
			assert.deepEqual(
				answers.map(({ status }) => status),
				['fulfilled', 'rejected', 'fulfilled'],
			);
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
		it('a retry does not answer with a job that the same count has received', async (s) => {
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

function keyed(key: string, fingerprint = 'f'): Idempotency {
	return { key, fingerprint, retry: 0 };
}

function retry(count: number, fingerprint = 'f'): Idempotency {
	return { fingerprint, retry: count };
}

function isMismatch(error: unknown): boolean {
	return isPlinthError(error) && error.code === 'E_IDEMPOTENCY_MISMATCH';
}

/** How many jobs a tenant may have waiting or running. */
export function limitCases({ it }: JobCaseContext): ConformanceCase[] {
	return [
		it('a create is refused when maxPending jobs wait or run', async (s) => {
			await submit(s);
			await running(s);
			await assert.rejects(limited(s, 2), isQueueFull);
		}),
		it('every tenant and every kind has a line of its own', async (s) => {
			await submit(s, { tenant: 'umbrella' });
			await submit(s, { kind: 'speech' });
			assert.equal((await limited(s, 1)).replayed, false);
		}),
		it('the principals of a tenant share its line', async (s) => {
			await submit(s, { principal: 'key_2' });
			await assert.rejects(limited(s, 1), isQueueFull);
		}),
		it('a repeated key is answered although the line is full', async (s) => {
			const idempotency = { key: 'k', fingerprint: 'f', retry: 0 };
			const { job } = await limited(s, 1, { idempotency });
			assert.deepEqual(await limited(s, 1, { idempotency }), { job, replayed: true });
		}),
		it('a line without a place answers repeats alone, and stores nothing', async (s) => {
			const idempotency = { key: 'k', fingerprint: 'f', retry: 0 };
			await assert.rejects(limited(s, 0, { idempotency }), isQueueFull);
			assert.equal(await s.store.pending('video'), 0);
			const { job } = await s.store.create(newJob(s), { idempotency });
			assert.deepEqual(await limited(s, 0, { idempotency }), { job, replayed: true });
		}),
		it('of twenty creates at once a line of five takes five', async (s) => {
			const answers = await Promise.allSettled(Array.from({ length: 20 }, () => limited(s, 5)));
			assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 5);
			assert.equal(await s.store.pending('video'), 5);
		}),
	];
}

function limited(s: JobStoreSubject, maxPending: number, options: CreateOptions = {}, changes: Partial<NewJob> = {}) {
	return s.store.create(newJob(s, changes), { ...options, maxPending });
}

function isQueueFull(error: unknown): boolean {
	return isPlinthError(error) && error.code === 'E_QUEUE_FULL';
}
