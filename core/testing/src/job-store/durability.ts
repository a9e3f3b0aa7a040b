import assert from 'node:assert/strict';
import type { ConformanceCase } from '../conformance.ts';
import { claim, type JobCaseContext, newJob, running, submit } from './subject.ts';

/** What outlives a store that is closed and opened again. */
export function durabilityCases({ it }: JobCaseContext): ConformanceCase[] {
	return [
		it('a job is the same after the store was reopened', async (s) => {
			const { job, fence } = await running(s);
			await s.store.heartbeat(job.id, fence, { progress: 0.5, checkpoint: 'c' });
			const before = await s.store.get('acme', job.id);
			const store = (await s.reopen?.()) ?? assert.fail('there is no reopen');
			assert.deepEqual(await store.get('acme', job.id), before);
		}),
		it('an attempt goes on after the store was reopened', async (s) => {
			const { job, fence } = await running(s);
			const store = (await s.reopen?.()) ?? assert.fail('there is no reopen');
			assert.equal(await store.complete(job.id, fence, { result: {}, retentionMs: null }), true);
		}),
		it('an ending can be repeated after the store was reopened', async (s) => {
			const { job, fence } = await running(s);
			const completion = { result: {}, retentionMs: null };
			await s.store.complete(job.id, fence, completion);
			const store = (await s.reopen?.()) ?? assert.fail('there is no reopen');
			assert.equal(await store.complete(job.id, fence, completion), true);
		}),
		it('a cursor goes on after the store was reopened', async (s) => {
			const { job } = await running(s);
			const { cursor } = await s.store.events(undefined, { limit: 1 });
			const store = (await s.reopen?.()) ?? assert.fail('there is no reopen');
			const { events } = await store.events(cursor, { limit: 10 });
			assert.deepEqual(
				events.map(({ type, jobId }) => [type, jobId]),
				[['job.started', job.id]],
			);
		}),
		it('a cursor never comes back, even after the log was emptied and reopened', async (s) => {
			await submit(s);
			const { cursor } = await s.store.events(undefined, { limit: 10 });
			await s.clock.advance(400 * 86_400_000);
			await s.store.tidy();
			const store = (await s.reopen?.()) ?? assert.fail('there is no reopen');
			await store.create(newJob(s));
			assert.equal((await store.events(cursor, { limit: 10 })).events.length, 1);
		}),
		it('an idempotency key holds after the store was reopened', async (s) => {
			const idempotency = { key: 'k', fingerprint: 'f', retry: 0 };
			const { job } = await s.store.create(newJob(s), { idempotency });
			const store = (await s.reopen?.()) ?? assert.fail('there is no reopen');
			assert.equal((await store.create(newJob(s), { idempotency })).job.id, job.id);
		}),
		it('a removed job stays removed after the store was reopened', async (s) => {
			const { id } = await submit(s);
			await claim(s, id);
			await s.store.remove('acme', id);
			const store = (await s.reopen?.()) ?? assert.fail('there is no reopen');
			assert.equal(await store.get('acme', id), null);
		}),
	];
}
