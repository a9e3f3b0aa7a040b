import assert from 'node:assert/strict';
import type { ConformanceCase } from '../conformance.ts';
import { completed, due, type JobCaseContext, leaseMs, running, submit, tryTake } from './subject.ts';

/** Cases on data that is due for deletion. */
export function sweepCases({ it, recordRetentionMs }: JobCaseContext): ConformanceCase[] {
	return [
		it('content is due from the instant it expires', async (s) => {
			const { id } = await completed(s, {}, 1_000);
			await s.clock.advance(1_000);
			assert.deepEqual(await due(s), [`content ${id}`]);
		}),
		it('sweep changes nothing', async (s) => {
			await completed(s, {}, 0);
			const first = await due(s);
			assert.deepEqual(await due(s), first);
		}),
		it('swept content is not listed again', async (s) => {
			await completed(s, {}, 0);
			await s.store.swept(await s.store.sweep(10));
			assert.deepEqual(await due(s), []);
		}),
		it('an ended record is not due before its retention', async (s) => {
			await completed(s);
			await s.clock.advance(recordRetentionMs - 1);
			assert.deepEqual(await due(s), []);
		}),
		it('a completed record is due after its retention', async (s) => {
			const { id } = await completed(s);
			await s.clock.advance(recordRetentionMs);
			assert.deepEqual(await due(s), [`record ${id}`]);
		}),
		it('the bytes of a job whose attempts are used up are due at once', async (s) => {
			const { job } = await running(s, { maxAttempts: 1 });
			await s.clock.advance(leaseMs);
			await tryTake(s, job.id);
			assert.deepEqual(await due(s), [`content ${job.id}`]);
		}),
		it('a removed job is known until its record was swept', async (s) => {
			const { id } = await submit(s);
			await s.store.remove('acme', id);
			assert.deepEqual(await s.store.known([id]), [id]);
			await s.store.swept(await s.store.sweep(10));
			assert.deepEqual(await s.store.known([id]), []);
		}),
		it('known takes a thousand ids', async (s) => {
			const { id } = await submit(s);
			const others = Array.from({ length: 999 }, (_, n) => `video_none${n}`);
			assert.deepEqual(await s.store.known([...others, id]), [id]);
		}),
		it('a removed job that no worker runs is due at once', async (s) => {
			const queued = await submit(s);
			const ended = await completed(s);
			await s.store.remove('acme', queued.id);
			await s.store.remove('acme', ended.id);
			assert.deepEqual(await due(s), [`record ${queued.id}`, `record ${ended.id}`].sort());
		}),
		it('a removed job is due when the lease of its attempt has lapsed, and not before', async (s) => {
			const { job } = await running(s);
			await s.store.remove('acme', job.id);
			await s.clock.advance(leaseMs - 1);
			assert.deepEqual(await due(s), []);
			await s.clock.advance(1);
			assert.deepEqual(await due(s), [`record ${job.id}`]);
		}),
		it('sweep returns at most its limit', async (s) => {
			for (let i = 0; i < 3; i += 1) await completed(s, {}, 0);
			const { id } = await submit(s);
			await s.store.remove('acme', id);
			assert.equal((await s.store.sweep(2)).length, 2);
		}),
	];
}
