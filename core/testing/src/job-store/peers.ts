import assert from 'node:assert/strict';
import type { JobStore } from '@plinth/core';
import type { ConformanceCase } from '../conformance.ts';
import {
	claim,
	type JobCaseContext,
	keyed,
	leaseMs,
	newJob,
	overBoth,
	running,
	submit,
	summaries,
	takeAll,
	tidyAfter,
} from './subject.ts';

/** Cases with two handles on the same data, as two processes have them. */
export function peerCases({ it }: JobCaseContext): ConformanceCase[] {
	return [
		it('both handles return the same identity', async (s) => {
			const identity = await s.store.identity();
			assert.match(identity, /^[A-Za-z0-9-]{1,200}$/);
			assert.equal(await (await s.peer()).identity(), identity);
		}),
		it('what one handle writes the other reads at once', async (s) => {
			const peer = await s.peer();
			const { id } = await submit(s);
			assert.equal((await peer.get('acme', id))?.status, 'queued');
			const { fence } = await claim({ ...s, store: peer }, id);
			assert.equal(await s.store.complete(id, fence, { result: {}, retentionMs: null }), true);
			assert.equal((await peer.get('acme', id))?.status, 'completed');
		}),
		it('of twenty takes at once over two handles exactly one gets the job', async (s) => {
			const { id } = await submit(s);
			const taken = await overBoth(s, 20, (store) => takeAll({ store }));
			assert.deepEqual(taken.flat(), [id]);
		}),
		it('fifty creates at once with one key over two handles make one job', async (s) => {
			const idempotency = keyed('k');
			const answers = await overBoth(s, 50, (store) => store.create(newJob(s), { idempotency }));
			assert.equal(new Set(answers.map(({ job }) => job.id)).size, 1);
			assert.equal(answers.filter(({ replayed }) => !replayed).length, 1);
			assert.equal(await s.store.pending('video'), 1);
		}),
		it('of twenty creates at once over two handles with maxPending 5, five succeed', async (s) => {
			const limited = (store: JobStore) => store.create(newJob(s), { maxPending: 5 });
			const answers = await overBoth(s, 20, (store) => limited(store).catch(() => null));
			assert.equal(answers.filter(Boolean).length, 5);
			assert.equal(await s.store.pending('video'), 5);
		}),
		it('the heartbeat of a lapsed lease that another worker has taken is lost and extends nothing', async (s) => {
			const peer = await s.peer();
			const { job, fence } = await running(s);
			await s.clock.advance(leaseMs);
			await claim({ ...s, store: peer }, job.id);
			await s.clock.advance(leaseMs - 1);
			assert.equal(await s.store.heartbeat(job.id, fence), 'lost');
			await s.clock.advance(1);
			assert.deepEqual(await takeAll(s), [job.id]);
		}),
		it('a reader that follows the log sees each event once while two handles write', async (s) => {
			const peer = await s.peer();
			const jobs = Array.from({ length: 40 }, () => newJob(s));
			const writes = Promise.all(jobs.map((job, n) => (n % 2 ? s.store : peer).create(job)));
			const seen: string[] = [];
			for (let cursor: string | undefined; seen.length < jobs.length; ) {
				const page = await peer.events(cursor, { limit: 3 });
				seen.push(...page.events.map(({ jobId }) => jobId));
				if (page.events.length === 0) await writes;
				cursor = page.cursor;
			}
			assert.deepEqual([...seen].sort(), jobs.map(({ id }) => id).sort());
		}),
		it('an event whose commit is held open between two others is not skipped', async (s) => {
			if (!s.holdOpen) return;
			const peer = await s.peer();
			const first = await submit(s);
			const commit = await s.holdOpen('video_held');
			const third = peer.create(newJob(s));
			const early = await s.store.events(undefined, { limit: 10 });
			await commit();
			const { job } = await third;
			const late = await s.store.events(early.cursor, { limit: 10 });
			const seen = [...early.events, ...late.events].map(({ jobId }) => jobId);
			assert.deepEqual([...seen].sort(), [first.id, job.id, 'video_held'].sort());
		}),
		it('NUL and lone surrogates in JSON come back as they were', async (s) => {
			const peer = await s.peer();
			const odd = { nul: 'a\u0000b', high: '\ud800', low: '\udfff x', 'k\u0000\ud801': [null] };
			const { job, fence } = await running(s, { input: odd });
			assert.deepEqual((await peer.get('acme', job.id))?.input, odd);
			await s.store.complete(job.id, fence, { result: odd, retentionMs: null });
			assert.deepEqual((await peer.get('acme', job.id))?.result, odd);
		}),
	];
}

/** Cases on the data of a store that is closed and opened again. */
export function durabilityCases({ it }: JobCaseContext): ConformanceCase[] {
	return [
		it('the identity of the store is the same after it was reopened', async (s) => {
			const identity = await s.store.identity();
			const store = (await s.reopen?.()) ?? assert.fail('there is no reopen');
			assert.equal(await store.identity(), identity);
		}),
		it('a job is the same after the store was reopened', async (s) => {
			const { job, fence } = await running(s);
			await s.store.heartbeat(job.id, fence, { progress: 0.5, checkpoint: 'c' });
			const before = await s.store.get('acme', job.id);
			const store = (await s.reopen?.()) ?? assert.fail('there is no reopen');
			assert.deepEqual(await store.get('acme', job.id), before);
		}),
		it('an attempt continues after the store was reopened', async (s) => {
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
		it('a cursor continues after the store was reopened', async (s) => {
			const { job } = await running(s);
			const { cursor } = await s.store.events(undefined, { limit: 1 });
			const store = (await s.reopen?.()) ?? assert.fail('there is no reopen');
			assert.deepEqual(summaries(await store.events(cursor, { limit: 10 })), [`job.started ${job.id}`]);
		}),
		it('a cursor is never reused, even after the log was emptied and reopened', async (s) => {
			await submit(s);
			const { cursor } = await s.store.events(undefined, { limit: 10 });
			await tidyAfter(s, 400 * 86_400_000);
			const store = (await s.reopen?.()) ?? assert.fail('there is no reopen');
			await store.create(newJob(s));
			assert.equal((await store.events(cursor, { limit: 10 })).events.length, 1);
		}),
		it('an idempotency key holds after the store was reopened', async (s) => {
			const idempotency = keyed('k');
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
