import assert from 'node:assert/strict';
import type { ConformanceCase } from '../conformance.ts';
import { call, state } from './repeats.ts';
import { claim, type JobCaseContext, leaseMs, read, running, submit, takeAll, tryTake } from './subject.ts';

/** Cases on leases, fences, heartbeats and used-up attempts. */
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
		it('heartbeat extends the lease by its length', async (s) => {
			const { job, fence } = await running(s);
			await s.clock.advance(leaseMs - 1);
			assert.equal(await s.store.heartbeat(job.id, fence), 'ok');
			await s.clock.advance(leaseMs - 1);
			assert.equal(await tryTake(s, job.id), null);
		}),
		it('an attempt whose lease has lapsed still owns the job until another worker claims it', async (s) => {
			const { job, fence } = await running(s);
			await s.clock.advance(leaseMs * 3);
			assert.equal(await s.store.heartbeat(job.id, fence), 'ok');
		}),
		...(['heartbeat', 'complete', 'fail', 'release'] as const).map((method) =>
			it(`a late ${method} of a replaced attempt writes nothing`, async (s) => {
				const { job, fence } = await running(s);
				await s.clock.advance(leaseMs);
				await claim(s, job.id);
				const before = await state(s, job.id);
				if (method === 'heartbeat') await s.store.heartbeat(job.id, fence, { progress: 0.9, checkpoint: 'zombie' });
				else assert.equal(await call(method, s, job.id, fence), false);
				assert.deepEqual(await state(s, job.id), before);
			}),
		),
		it('a heartbeat of an unknown job is lost', async (s) => {
			assert.equal(await s.store.heartbeat('video_0', 1), 'lost');
		}),
		it('progress never falls', async (s) => {
			const { job, fence } = await running(s);
			await s.store.heartbeat(job.id, fence, { progress: 0.6 });
			await s.store.heartbeat(job.id, fence, { progress: 0.2 });
			assert.equal((await read(s, job.id)).progress, 0.6);
		}),
		it('progress stays below 1 while the job runs', async (s) => {
			const { job, fence } = await running(s);
			await s.store.heartbeat(job.id, fence, { progress: 1 });
			const { progress } = await read(s, job.id);
			assert(progress > 0.9 && progress < 1, `progress is ${progress}`);
		}),
		it('a checkpoint survives a lost attempt', async (s) => {
			const { job, fence } = await running(s);
			await s.store.heartbeat(job.id, fence, { checkpoint: 'upstream-7' });
			await s.clock.advance(leaseMs);
			assert.equal((await claim(s, job.id)).job.checkpoint, 'upstream-7');
		}),
		it('a job whose attempts are used up fails at the next claim with attempts_exhausted', async (s) => {
			const { job } = await running(s, { maxAttempts: 1 });
			await s.clock.advance(leaseMs);
			assert.equal(await tryTake(s, job.id), null);
			const { status, error, attempt } = await read(s, job.id);
			assert.deepEqual([status, error?.code, attempt], ['failed', 'attempts_exhausted', 1]);
		}),
	];
}

const hours = 3_600_000;

/** Cases on the effects of a wall clock that is set. */
export function clockCases({ it }: JobCaseContext): ConformanceCase[] {
	return [
		it('a clock set forwards ends no attempt until another worker takes its job', async (s) => {
			const { job, fence } = await running(s);
			s.clock.jump(2 * hours);
			assert.equal(await s.store.heartbeat(job.id, fence), 'ok');
			assert.deepEqual(await takeAll(s), []);
			assert.equal(await s.store.complete(job.id, fence, { result: {}, retentionMs: null }), true);
		}),
		it('a clock set backwards leaves a lease no longer than its length after the next tidy', async (s) => {
			const { job } = await running(s);
			s.clock.jump(-2 * hours);
			await s.store.tidy();
			await s.clock.advance(leaseMs);
			assert.equal((await tryTake(s, job.id))?.job.attempt, 2);
		}),
		it('now, if the store has it, returns the time of its clock', async (s) => {
			s.clock.jump(-2 * hours);
			assert.equal((await s.store.now?.()) ?? s.clock.now(), s.clock.now());
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
	];
}
