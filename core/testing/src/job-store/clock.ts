import assert from 'node:assert/strict';
import type { ConformanceCase } from '../conformance.ts';
import {
	broken,
	completed,
	due,
	type JobCaseContext,
	leaseMs,
	read,
	running,
	submit,
	takeAll,
	tryTake,
} from './subject.ts';

const hours = 3_600_000;

/** What a wall clock that is set may do to jobs, and what it may not. */
export function clockCases({ it }: JobCaseContext): ConformanceCase[] {
	return [
		it('a clock set forwards ends no attempt while nobody else takes its job', async (s) => {
			const { job, fence } = await running(s);
			s.clock.jump(2 * hours);
			assert.equal(await s.store.heartbeat(job.id, fence), 'ok');
			assert.deepEqual(await takeAll(s), []);
			assert.equal(await s.store.complete(job.id, fence, { result: {}, retentionMs: null }), true);
		}),
		it('a clock set backwards ends no lease early', async (s) => {
			const { job } = await running(s);
			s.clock.jump(-2 * hours);
			await s.store.tidy();
			await s.clock.advance(leaseMs - 1);
			assert.equal(await tryTake(s, job.id), null);
		}),
		it('a clock set backwards leaves a lease no longer than its length after the next tidy', async (s) => {
			const { job } = await running(s);
			s.clock.jump(-2 * hours);
			await s.store.tidy();
			await s.clock.advance(leaseMs);
			assert.equal((await tryTake(s, job.id))?.job.attempt, 2);
		}),
		it('tidy does not touch a lease of ordinary length', async (s) => {
			const { job } = await running(s);
			await s.clock.advance(leaseMs - 1);
			await s.store.tidy();
			await s.clock.advance(1);
			assert.deepEqual(await takeAll(s), [job.id]);
		}),
		it('tidy does not bring a retry forwards', async (s) => {
			const { job, fence } = await running(s);
			await s.store.fail(job.id, fence, broken, 2 * hours);
			await s.store.tidy();
			await s.clock.advance(2 * hours - 1);
			assert.deepEqual(await takeAll(s), []);
		}),
		it('a retry and an expiry come at their instants by the clock as it is set', async (s) => {
			const retried = await running(s);
			await s.store.fail(retried.job.id, retried.fence, broken, 1_000);
			const { id } = await completed(s, {}, 1_000);
			s.clock.jump(-hours);
			await s.clock.advance(hours + 999);
			assert.deepEqual([await takeAll(s), await due(s)], [[], []]);
			await s.clock.advance(1);
			assert.deepEqual([await takeAll(s), await due(s)], [[retried.job.id], [`content ${id}`]]);
		}),
		it('a queued job can be taken at once, whatever the clock was set to', async (s) => {
			for (const ms of [2 * hours, -4 * hours]) {
				const { id } = await submit(s);
				const { job, fence } = await running(s);
				await s.store.release(job.id, fence);
				s.clock.jump(ms);
				assert.equal((await tryTake(s, id))?.job.attempt, 1);
				assert.equal((await tryTake(s, job.id))?.job.attempt, 1);
			}
		}),
		it('the newest of equal jobs answers a key that a clock set backwards brings back', async (s) => {
			const idempotency = { key: 'k', fingerprint: 'f', retry: 0 };
			await s.store.create(
				{ ...(await read(s, (await submit(s)).id)), id: 'video_1' },
				{ idempotency },
			);
			await s.clock.advance(24 * hours + 1);
			await s.store.create({ ...(await read(s, 'video_1')), id: 'video_2' }, { idempotency });
			s.clock.jump(-hours);
			const third = { ...(await read(s, 'video_1')), id: 'video_3' };
			assert.equal((await s.store.create(third, { idempotency })).job.id, 'video_2');
		}),
	];
}
