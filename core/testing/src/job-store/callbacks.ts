import assert from 'node:assert/strict';
import type { JobCallback, JobEvent } from '@plinth/core';
import type { ConformanceCase } from '../conformance.ts';
import {
	broken,
	claim,
	type JobCaseContext,
	type JobStoreSubject,
	leaseMs,
	newJob,
	running,
	submit,
	tryTake,
} from './subject.ts';

const callback: JobCallback = {
	url: 'https://client.example/hook?a=1&b=ü',
	secret: 'whsec_c2VjcmV0',
};

/** Whom the events of a job's end name. */
export function callbackCases({ it }: JobCaseContext): ConformanceCase[] {
	return [
		it('job.completed carries the callback', async (s) => {
			const { job, fence } = await running(s, { callback });
			await s.store.complete(job.id, fence, { result: {}, retentionMs: null });
			assert.deepEqual(await lastFacts(s, job.id), { attempt: 1, callback });
		}),
		it('job.failed carries the callback beside the code', async (s) => {
			const { job, fence } = await running(s, { callback });
			await s.store.fail(job.id, fence, broken);
			assert.deepEqual(await lastFacts(s, job.id), {
				attempt: 1,
				code: 'model_error',
				callback,
			});
		}),
		it('the end of a queued job that was cancelled carries the callback', async (s) => {
			const { id } = await submit(s, { callback });
			await s.store.requestCancel('acme', id);
			assert.deepEqual(await lastFacts(s, id), { attempt: 0, code: 'cancelled', callback });
		}),
		it('an end that claim decides carries the callback', async (s) => {
			const cancelled = await running(s, { callback });
			await s.store.requestCancel('acme', cancelled.job.id);
			const exhausted = await running(s, { callback, maxAttempts: 1 });
			await s.clock.advance(leaseMs);
			for (const { job } of [cancelled, exhausted]) {
				assert.equal(await tryTake(s, job.id), null);
				const { callback: told } = (await lastFacts(s, job.id)) as Record<string, unknown>;
				assert.deepEqual(told, callback);
			}
		}),
		it('a callback without a secret is told as it is', async (s) => {
			const unsigned = { url: callback.url, secret: null };
			const { id } = await submit(s, { callback: unsigned });
			await s.store.requestCancel('acme', id);
			const facts = { attempt: 0, code: 'cancelled', callback: unsigned };
			assert.deepEqual(await lastFacts(s, id), facts);
		}),
		it('no other event carries the callback, and no record', async (s) => {
			const { job, replayed } = await s.store.create(newJob(s, { callback }));
			assert.deepEqual([replayed, 'callback' in job], [false, false]);
			const first = await claim(s, job.id);
			await s.store.fail(job.id, first.fence, broken, 0);
			const second = await claim(s, job.id);
			await s.store.release(job.id, second.fence);
			const claims = [first.job, second.job, await s.store.remove('acme', job.id)];
			assert.deepEqual(
				claims.map((told) => told && 'callback' in told),
				[false, false, false],
			);
			const events = await eventsOf(s, job.id);
			assert.equal(events.at(-1)?.type, 'job.deleted');
			for (const { type, data } of events) assert.equal('callback' in data, false, type);
		}),
		it('the end of a job without a callback carries none', async (s) => {
			const { job, fence } = await running(s);
			await s.store.complete(job.id, fence, { result: {}, retentionMs: null });
			assert.deepEqual(await lastFacts(s, job.id), { attempt: 1 });
		}),
		it('a repeated create keeps the callback of the first', async (s) => {
			const idempotency = { key: 'k', fingerprint: 'f', retry: 0 };
			const { job } = await s.store.create(newJob(s, { callback }), { idempotency });
			const other = { url: 'https://other.example', secret: null };
			await s.store.create(newJob(s, { callback: other }), { idempotency });
			await s.store.requestCancel('acme', job.id);
			const facts = { attempt: 0, code: 'cancelled', callback };
			assert.deepEqual(await lastFacts(s, job.id), facts);
		}),
	];
}

async function eventsOf(s: JobStoreSubject, jobId: string): Promise<readonly JobEvent[]> {
	return (await s.store.events(undefined, { jobId, limit: 100 })).events;
}

async function lastFacts(s: JobStoreSubject, jobId: string) {
	return (await eventsOf(s, jobId)).at(-1)?.data;
}
