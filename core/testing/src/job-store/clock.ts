import assert from 'node:assert/strict';
import type { ConformanceCase } from '../conformance.ts';
import {
	broken,
	claimableIds,
	completed,
	due,
	type JobCaseContext,
	leaseMs,
	read,
	running,
	submit,
} from './subject.ts';

const hours = 3_600_000;

/** What a wall clock that is set may do to jobs, and what it may not. */
export function clockCases({ it }: JobCaseContext): ConformanceCase[] {
	return [
		it('a clock set forwards ends a lease early, and the attempt can still complete', async (s) => {
			const { job, fence } = await running(s);
			s.clock.jump(2 * hours);
			assert.deepEqual(await claimableIds(s), [job.id]);
			assert.equal(await s.store.heartbeat(job.id, fence), 'ok');
			assert.deepEqual(await claimableIds(s), []);
			assert.equal(await s.store.complete(job.id, fence, { result: {}, expiresAt: null }), true);
		}),
		it('a clock set backwards ends no lease early', async (s) => {
			const { job } = await running(s);
			s.clock.jump(-2 * hours);
			await s.store.swept([]);
			await s.clock.advance(leaseMs - 1);
			assert.equal(await s.store.claim(job.id, 'worker-2', leaseMs), null);
		}),
		it('a clock set backwards leaves a lease no longer than its length after the next swept', async (s) => {
			const { job } = await running(s);
			s.clock.jump(-2 * hours);
			await s.store.swept([]);
			await s.clock.advance(leaseMs);
			assert.deepEqual(await claimableIds(s), [job.id]);
			assert.equal((await s.store.claim(job.id, 'worker-2', leaseMs))?.job.attempt, 2);
		}),
		it('swept does not touch a lease of ordinary length', async (s) => {
			const { job } = await running(s);
			await s.clock.advance(leaseMs - 1);
			await s.store.swept([]);
			await s.clock.advance(1);
			assert.deepEqual(await claimableIds(s), [job.id]);
		}),
		it('swept does not bring a retry forwards', async (s) => {
			const { job, fence } = await running(s);
			await s.store.fail(job.id, fence, broken, s.clock.now() + 2 * hours);
			await s.store.swept([]);
			await s.clock.advance(2 * hours - 1);
			assert.deepEqual(await claimableIds(s), []);
		}),
		it('a retry and an expiry come at their instants by the clock as it is set', async (s) => {
			const retried = await running(s);
			const at = s.clock.now() + 1_000;
			await s.store.fail(retried.job.id, retried.fence, broken, at);
			const { id } = await completed(s, {}, at);
			s.clock.jump(-hours);
			await s.clock.advance(hours + 999);
			assert.deepEqual([await claimableIds(s), await due(s)], [[], []]);
			await s.clock.advance(1);
			assert.deepEqual(
				[await claimableIds(s), await due(s)],
				[[retried.job.id], [`content ${id}`]],
			);
		}),
		it('a queued job can be claimed at once after the clock was set forwards', async (s) => {
			const { id } = await submit(s);
			s.clock.jump(2 * hours);
			assert.equal((await s.store.claim(id, 'worker-1', leaseMs))?.job.attempt, 1);
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
