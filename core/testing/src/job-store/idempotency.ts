import assert from 'node:assert/strict';
import {
	type Idempotency,
	idempotencyKeyMs,
	isPlinthError,
	type NewJob,
	retryWindowMs,
} from '@plinth/core';
import type { ConformanceCase } from '../conformance.ts';
import {
	claim,
	eventTypes,
	type JobCaseContext,
	type JobStoreSubject,
	newJob,
	running,
} from './subject.ts';

/** Repeated creates, with and without a key. */
export function idempotencyCases({ it }: JobCaseContext): ConformanceCase[] {
	return [
		it('the same key answers with the first job', async (s) => {
			const first = await create(s, keyed('k'));
			const second = await create(s, keyed('k'));
			assert.deepEqual([first.replayed, second], [false, { job: first.job, replayed: true }]);
		}),
		it('a replay answers with the job as it is by now', async (s) => {
			const { job } = await create(s, keyed('k'));
			const claimed = await claim(s, job.id);
			assert.deepEqual((await create(s, keyed('k'))).job, claimed.job);
		}),
		it('a replay stores no job and appends no event', async (s) => {
			const { job } = await create(s, keyed('k'));
			await create(s, keyed('k'));
			const { jobs } = await s.store.list('acme', { kind: 'video', limit: 10, order: 'asc' });
			assert.equal(jobs.length, 1);
			assert.deepEqual(await eventTypes(s, job.id), ['job.queued']);
		}),
		it('fifty creates at once with one key make one job', async (s) => {
			const answers = await Promise.all(Array.from({ length: 50 }, () => create(s, keyed('k'))));
			assert.equal(new Set(answers.map(({ job }) => job.id)).size, 1);
			assert.equal(answers.filter(({ replayed }) => !replayed).length, 1);
			assert.equal(await s.store.pending('video'), 1);
		}),
		it('another key makes another job', async (s) => {
			const first = await create(s, keyed('k'));
			assert.notEqual((await create(s, keyed('other'))).job.id, first.job.id);
		}),
		it('the same key with another fingerprint is refused', async (s) => {
			await create(s, keyed('k', 'one'));
			await assert.rejects(create(s, keyed('k', 'two')), isMismatch);
		}),
		it('a refused create stores nothing', async (s) => {
			await create(s, keyed('k', 'one'));
			await create(s, keyed('k', 'two')).catch(() => {});
			assert.equal(await s.store.pending('video'), 1);
		}),
		it('a refused create does not spoil others at the same moment', async (s) => {
			await create(s, keyed('k', 'one'));
			const answers = await Promise.allSettled([
				create(s),
				create(s, keyed('k', 'two')),
				create(s),
			]);
			assert.deepEqual(
				answers.map(({ status }) => status),
				['fulfilled', 'rejected', 'fulfilled'],
			);
			assert.equal(await s.store.pending('video'), 3);
		}),
		it('a key holds for 24 hours', async (s) => {
			const first = await create(s, keyed('k'));
			await s.clock.advance(idempotencyKeyMs - 1);
			assert.equal((await create(s, keyed('k'))).job.id, first.job.id);
		}),
		it('a key is forgotten after 24 hours', async (s) => {
			await create(s, keyed('k', 'one'));
			await s.clock.advance(idempotencyKeyMs + 1);
			assert.equal((await create(s, keyed('k', 'two'))).replayed, false);
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
		it('the key of a removed job is free again', async (s) => {
			const { job } = await create(s, keyed('k'));
			await s.store.remove('acme', job.id);
			assert.equal((await create(s, keyed('k'))).replayed, false);
		}),
		it('a first try without a key always makes a job', async (s) => {
			const first = await create(s, retry(0));
			assert.notEqual((await create(s, retry(0))).job.id, first.job.id);
		}),
		it('a retry without a key answers with the job of the first try', async (s) => {
			const { job } = await create(s, retry(0));
			assert.deepEqual(await create(s, retry(1)), { job, replayed: true });
		}),
		it('a retry whose first try was never seen makes a job', async (s) => {
			assert.equal((await create(s, retry(1))).replayed, false);
		}),
		it('a later retry answers with the job that an earlier retry made', async (s) => {
			const { job } = await create(s, retry(1));
			assert.deepEqual(await create(s, retry(2)), { job, replayed: true });
		}),
		it('a retry does not answer with a job that the same count has received', async (s) => {
			await create(s, retry(0));
			await create(s, retry(1));
			assert.equal((await create(s, retry(1))).replayed, false);
		}),
		it('a retry does not answer with a job that a higher count has received', async (s) => {
			await create(s, retry(0));
			await create(s, retry(2));
			assert.equal((await create(s, retry(1))).replayed, false);
		}),
		it('a retry does not answer with a job that the same count has made', async (s) => {
			await create(s, retry(1));
			assert.equal((await create(s, retry(1))).replayed, false);
		}),
		it('each further retry answers with the same job', async (s) => {
			const { job } = await create(s, retry(0));
			await create(s, retry(1));
			assert.equal((await create(s, retry(2))).job.id, job.id);
		}),
		it('a retry answers with the newest of equal jobs', async (s) => {
			await create(s, retry(0));
			await s.clock.advance(1);
			const newest = await create(s, retry(0));
			assert.equal((await create(s, retry(1))).job.id, newest.job.id);
		}),
		it('a retry looks at jobs that are at most 10 minutes old', async (s) => {
			const { job } = await create(s, retry(0));
			await s.clock.advance(retryWindowMs);
			assert.equal((await create(s, retry(1))).job.id, job.id);
		}),
		it('a retry does not look at jobs older than 10 minutes', async (s) => {
			await create(s, retry(0));
			await s.clock.advance(retryWindowMs + 1);
			assert.equal((await create(s, retry(1))).replayed, false);
		}),
		it('a retry with another fingerprint makes a job', async (s) => {
			await create(s, retry(0, 'one'));
			assert.equal((await create(s, retry(1, 'two'))).replayed, false);
		}),
		it('a retry of another principal makes a job', async (s) => {
			await create(s, retry(0));
			assert.equal((await create(s, retry(1), { principal: 'key_2' })).replayed, false);
		}),
		it('a retry of a like-named principal in another tenant makes a job', async (s) => {
			await create(s, retry(0));
			assert.equal((await create(s, retry(1), { tenant: 'umbrella' })).replayed, false);
		}),
		it('a retry does not answer with a removed job', async (s) => {
			const { job } = await create(s, retry(0));
			await s.store.remove('acme', job.id);
			assert.equal((await create(s, retry(1))).replayed, false);
		}),
		it('a retry does not answer with a job that was made without a fingerprint', async (s) => {
			await running(s);
			assert.equal((await create(s, retry(1))).replayed, false);
		}),
		it('without idempotency equal creates make two jobs', async (s) => {
			await create(s);
			await create(s);
			assert.equal(await s.store.pending('video'), 2);
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
