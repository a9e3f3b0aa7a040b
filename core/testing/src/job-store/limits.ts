import assert from 'node:assert/strict';
import type { CreateOptions, NewJob } from '@plinth/core';
import { isPlinthError } from '@plinth/core';
import type { ConformanceCase } from '../conformance.ts';
import {
	broken,
	eventTypes,
	type JobCaseContext,
	type JobStoreSubject,
	newJob,
	running,
	submit,
} from './subject.ts';

/** How many jobs a tenant may have waiting or running. */
export function limitCases({ it }: JobCaseContext): ConformanceCase[] {
	return [
		it('a create is refused when maxPending jobs wait or run', async (s) => {
			await submit(s);
			await running(s);
			await assert.rejects(limited(s, 2), isQueueFull);
		}),
		it('a create is taken while fewer than maxPending jobs wait or run', async (s) => {
			await submit(s);
			assert.equal((await limited(s, 2)).job.status, 'queued');
		}),
		it('a create that is refused for a full line leaves neither record nor event', async (s) => {
			await submit(s);
			const job = newJob(s);
			await assert.rejects(s.store.create(job, { maxPending: 1 }), isQueueFull);
			assert.equal(await s.store.get('acme', job.id), null);
			assert.deepEqual(await eventTypes(s, job.id), []);
			assert.equal(await s.store.pending('video'), 1);
		}),
		it('jobs that ended or were removed take no place in the line', async (s) => {
			const first = await running(s);
			await s.store.complete(first.job.id, first.fence, { result: {}, retentionMs: null });
			const second = await running(s);
			await s.store.fail(second.job.id, second.fence, broken);
			await s.store.remove('acme', (await running(s)).job.id);
			assert.equal((await limited(s, 1)).replayed, false);
		}),
		it('a job that waits for its retry takes a place in the line', async (s) => {
			const { job, fence } = await running(s);
			await s.store.fail(job.id, fence, broken, 60_000);
			await assert.rejects(limited(s, 1), isQueueFull);
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
		it('a retry without a key is answered although the line is full', async (s) => {
			const { job } = await limited(s, 1, { idempotency: { fingerprint: 'f', retry: 0 } });
			const again = await limited(s, 1, { idempotency: { fingerprint: 'f', retry: 1 } });
			assert.deepEqual(again, { job, replayed: true });
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
		it('without maxPending a line has no end', async (s) => {
			for (let n = 0; n < 3; n += 1) await submit(s);
			assert.equal(await s.store.pending('video'), 3);
		}),
	];
}

function limited(
	s: JobStoreSubject,
	maxPending: number,
	options: CreateOptions = {},
	changes: Partial<NewJob> = {},
) {
	return s.store.create(newJob(s, changes), { ...options, maxPending });
}

function isQueueFull(error: unknown): boolean {
	return isPlinthError(error) && error.code === 'E_QUEUE_FULL';
}
