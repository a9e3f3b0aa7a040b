import assert from 'node:assert/strict';
import type { ConformanceCase } from '../conformance.ts';
import {
	broken,
	claim,
	eventTypes,
	type JobCaseContext,
	leaseMs,
	read,
	running,
	submit,
	takeAll,
	tryTake,
} from './subject.ts';

/** Leases, fences, heartbeats and used-up attempts. */
export function leaseCases({ it }: JobCaseContext): ConformanceCase[] {
	return [
		it('a lease holds until its last millisecond', async (s) => {
			const { job } = await running(s);
			await s.clock.advance(leaseMs - 1);
			assert.equal(await tryTake(s, job.id), null);
		}),
		it('a lapsed lease lets another worker claim, and both attempts count', async (s) => {
			const { job } = await running(s);
			await s.clock.advance(leaseMs);
			assert.equal((await claim(s, job.id)).job.attempt, 2);
		}),
		it('every claim raises the fence', async (s) => {
			const first = await running(s);
			await s.store.release(first.job.id, first.fence);
			const second = await claim(s, first.job.id);
			assert(second.fence > first.fence);
		}),
		it('heartbeat extends the lease by its length', async (s) => {
			const { job, fence } = await running(s);
			await s.clock.advance(leaseMs - 1);
			assert.equal(await s.store.heartbeat(job.id, fence), 'ok');
			await s.clock.advance(leaseMs - 1);
			assert.equal(await tryTake(s, job.id), null);
		}),
		it('an extended lease lapses in its turn', async (s) => {
			const { job, fence } = await running(s);
			await s.clock.advance(leaseMs - 1);
			await s.store.heartbeat(job.id, fence);
			await s.clock.advance(leaseMs);
			assert.equal((await claim(s, job.id)).job.attempt, 2);
		}),
		it('an attempt whose lease has lapsed still owns the job while nobody else has claimed', async (s) => {
			const { job, fence } = await running(s);
			await s.clock.advance(leaseMs * 3);
			assert.equal(await s.store.heartbeat(job.id, fence), 'ok');
		}),
		it('a zombie is told that it lost the job', async (s) => {
			const zombie = await running(s);
			await s.clock.advance(leaseMs);
			await claim(s, zombie.job.id);
			assert.equal(await s.store.heartbeat(zombie.job.id, zombie.fence), 'lost');
		}),
		...(['heartbeat', 'complete', 'fail', 'release'] as const).map((method) =>
			it(`a zombie's ${method} writes nothing`, async (s) => {
				const zombie = await running(s);
				const { id } = zombie.job;
				await s.clock.advance(leaseMs);
				await claim(s, id);
				const before = [await read(s, id), await eventTypes(s, id)];
				if (method === 'heartbeat') {
					await s.store.heartbeat(id, zombie.fence, { progress: 0.9, checkpoint: 'zombie' });
				} else if (method === 'complete') {
					const stolen = { result: { by: 'zombie' }, retentionMs: null };
					assert.equal(await s.store.complete(id, zombie.fence, stolen), false);
				} else if (method === 'fail') {
					assert.equal(await s.store.fail(id, zombie.fence, broken), false);
				} else {
					assert.equal(await s.store.release(id, zombie.fence), false);
				}
				assert.deepEqual([await read(s, id), await eventTypes(s, id)], before);
			}),
		),
		it("a zombie's heartbeat does not extend the lease of the owner", async (s) => {
			const zombie = await running(s);
			await s.clock.advance(leaseMs);
			await claim(s, zombie.job.id);
			await s.clock.advance(leaseMs - 1);
			await s.store.heartbeat(zombie.job.id, zombie.fence);
			await s.clock.advance(1);
			assert.deepEqual(await takeAll(s), [zombie.job.id]);
		}),
		it('an attempt that was released owns the job no more', async (s) => {
			const { job, fence } = await running(s);
			await s.store.release(job.id, fence);
			assert.equal(await s.store.complete(job.id, fence, { result: {}, retentionMs: null }), false);
			assert.equal(await s.store.heartbeat(job.id, fence), 'lost');
		}),
		it('an attempt that failed with a retry owns the job no more', async (s) => {
			const { job, fence } = await running(s);
			await s.store.fail(job.id, fence, broken, 0);
			assert.equal(await s.store.complete(job.id, fence, { result: {}, retentionMs: null }), false);
		}),
		it('a fence that was never given out is refused', async (s) => {
			const { job, fence } = await running(s);
			assert.equal(
				await s.store.complete(job.id, fence + 1, { result: {}, retentionMs: null }),
				false,
			);
		}),
		it('a heartbeat of a job that ended is lost', async (s) => {
			const { job, fence } = await running(s);
			await s.store.complete(job.id, fence, { result: {}, retentionMs: null });
			assert.equal(await s.store.heartbeat(job.id, fence), 'lost');
		}),
		it('a heartbeat of an unknown job is lost', async (s) => {
			assert.equal(await s.store.heartbeat('video_0', 1), 'lost');
		}),
		it('heartbeat writes progress and checkpoint', async (s) => {
			const { job, fence } = await running(s);
			await s.store.heartbeat(job.id, fence, { progress: 0.25, checkpoint: 'c1' });
			const { progress, checkpoint } = await read(s, job.id);
			assert.deepEqual({ progress, checkpoint }, { progress: 0.25, checkpoint: 'c1' });
		}),
		it('a bare heartbeat leaves progress and checkpoint alone', async (s) => {
			const { job, fence } = await running(s);
			await s.store.heartbeat(job.id, fence, { progress: 0.25, checkpoint: 'c1' });
			await s.store.heartbeat(job.id, fence);
			const { progress, checkpoint } = await read(s, job.id);
			assert.deepEqual({ progress, checkpoint }, { progress: 0.25, checkpoint: 'c1' });
		}),
		it('progress never falls', async (s) => {
			const { job, fence } = await running(s);
			await s.store.heartbeat(job.id, fence, { progress: 0.6 });
			await s.store.heartbeat(job.id, fence, { progress: 0.2 });
			assert.equal((await read(s, job.id)).progress, 0.6);
		}),
		it('progress does not fall in a later attempt', async (s) => {
			const { job, fence } = await running(s);
			await s.store.heartbeat(job.id, fence, { progress: 0.6 });
			await s.clock.advance(leaseMs);
			const second = await claim(s, job.id);
			await s.store.heartbeat(job.id, second.fence, { progress: 0.1 });
			assert.equal((await read(s, job.id)).progress, 0.6);
		}),
		it('progress stays below 1 while the job runs', async (s) => {
			const { job, fence } = await running(s);
			await s.store.heartbeat(job.id, fence, { progress: 1 });
			const { progress } = await read(s, job.id);
			assert(progress > 0.9 && progress < 1, `progress is ${progress}`);
		}),
		it('a failed job keeps the progress it had', async (s) => {
			const { job, fence } = await running(s);
			await s.store.heartbeat(job.id, fence, { progress: 0.4 });
			await s.store.fail(job.id, fence, broken);
			assert.equal((await read(s, job.id)).progress, 0.4);
		}),
		it('a checkpoint survives a lost attempt', async (s) => {
			const { job, fence } = await running(s);
			await s.store.heartbeat(job.id, fence, { checkpoint: 'upstream-7' });
			await s.clock.advance(leaseMs);
			assert.equal((await claim(s, job.id)).job.checkpoint, 'upstream-7');
		}),
		it('progress appends no event', async (s) => {
			const { job, fence } = await running(s);
			await s.store.heartbeat(job.id, fence, { progress: 0.4 });
			assert.deepEqual(await eventTypes(s, job.id), ['job.queued', 'job.started']);
		}),
		it('a job whose attempts are used up fails at the next claim with attempts_exhausted', async (s) => {
			const { job } = await running(s, { maxAttempts: 1 });
			await s.clock.advance(leaseMs);
			assert.equal(await tryTake(s, job.id), null);
			const { status, error, attempt } = await read(s, job.id);
			assert.deepEqual(
				{ status, code: error?.code, attempt },
				{ status: 'failed', code: 'attempts_exhausted', attempt: 1 },
			);
		}),
		it('attempts are used up only after maxAttempts claims', async (s) => {
			const job = await submit(s, { maxAttempts: 3 });
			for (let i = 0; i < 3; i += 1) {
				await claim(s, job.id);
				await s.clock.advance(leaseMs);
			}
			assert.equal(await tryTake(s, job.id), null);
		}),
	];
}
