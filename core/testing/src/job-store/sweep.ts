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
	tryTake,
} from './subject.ts';

/** What is due for deletion, and when it is settled. */
export function sweepCases({ it, recordRetentionMs }: JobCaseContext): ConformanceCase[] {
	return [
		it('living jobs are not due, however old', async (s) => {
			await submit(s);
			await running(s);
			await s.clock.advance(recordRetentionMs * 2);
			assert.deepEqual(await due(s), []);
		}),
		it('content is not due before it expires', async (s) => {
			await completed(s, {}, 1_000);
			await s.clock.advance(999);
			assert.deepEqual(await due(s), []);
		}),
		it('content is due from the instant it expires', async (s) => {
			const { id } = await completed(s, {}, 1_000);
			await s.clock.advance(1_000);
			assert.deepEqual(await due(s), [`content ${id}`]);
		}),
		it('content that does not expire is never due alone', async (s) => {
			await completed(s, {}, null);
			await s.clock.advance(recordRetentionMs - 1);
			assert.deepEqual(await due(s), []);
		}),
		it('an item names what is due of which job', async (s) => {
			const { id } = await completed(s, {}, 1_000);
			await s.clock.advance(1_000);
			const item = { due: 'content', id, kind: 'video', tenant: 'acme' };
			assert.deepEqual(await s.store.sweep(10), [item]);
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
		it('a job whose content was swept is still there', async (s) => {
			const job = await completed(s, {}, 0);
			await s.store.swept(await s.store.sweep(10));
			assert.deepEqual(await read(s, job.id), job);
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
		it('a failed record is due after its retention', async (s) => {
			const { job, fence } = await running(s);
			await s.store.fail(job.id, fence, broken);
			await s.clock.advance(recordRetentionMs);
			assert.deepEqual(await due(s), [`record ${job.id}`]);
		}),
		it('a cancelled record is due after its retention', async (s) => {
			const { id } = await submit(s);
			await s.store.requestCancel('acme', id);
			await s.clock.advance(recordRetentionMs);
			assert.deepEqual(await due(s), [`record ${id}`]);
		}),
		it('retention counts from the end of a job, not from its creation', async (s) => {
			const { job, fence } = await running(s);
			await s.clock.advance(recordRetentionMs);
			await s.store.complete(job.id, fence, { result: {}, retentionMs: null });
			assert.deepEqual(await due(s), []);
		}),
		it('a record that is due stands for its content too', async (s) => {
			const { id } = await completed(s, {}, 1);
			await s.clock.advance(recordRetentionMs);
			assert.deepEqual(await due(s), [`record ${id}`]);
		}),
		it('the bytes of a job that failed are due at once, its record after the retention', async (s) => {
			const { job, fence } = await running(s);
			await s.store.fail(job.id, fence, broken);
			assert.deepEqual(await due(s), [`content ${job.id}`]);
			await s.store.swept(await s.store.sweep(10));
			assert.deepEqual(await due(s), []);
			assert.equal((await read(s, job.id)).status, 'failed');
		}),
		it('the bytes of a job that was cancelled while it waited are due at once', async (s) => {
			const { id } = await submit(s);
			await s.store.requestCancel('acme', id);
			assert.deepEqual(await due(s), [`content ${id}`]);
		}),
		it('the bytes of a job whose attempts are used up are due at once', async (s) => {
			const { job } = await running(s, { maxAttempts: 1 });
			await s.clock.advance(leaseMs);
			await tryTake(s, job.id);
			assert.deepEqual(await due(s), [`content ${job.id}`]);
		}),
		it('the bytes of a job that waits for its retry are not due', async (s) => {
			const { job, fence } = await running(s);
			await s.store.fail(job.id, fence, broken, 0);
			assert.deepEqual(await due(s), []);
		}),
		it('known names jobs of every tenant and state, and no others', async (s) => {
			const ids = [
				(await submit(s, { tenant: 'umbrella' })).id,
				(await running(s)).job.id,
				(await completed(s)).id,
			];
			assert.deepEqual([...(await s.store.known([...ids, 'video_none']))].sort(), ids.sort());
			assert.deepEqual(await s.store.known([]), []);
		}),
		it('a removed job is known until its row has gone', async (s) => {
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
		it('a removed job that nobody runs is due at once', async (s) => {
			const queued = await submit(s);
			const ended = await completed(s);
			await s.store.remove('acme', queued.id);
			await s.store.remove('acme', ended.id);
			assert.deepEqual(await due(s), [`record ${queued.id}`, `record ${ended.id}`].sort());
		}),
		it('a removed job is not due while an attempt may still write', async (s) => {
			const { job } = await running(s);
			await s.store.remove('acme', job.id);
			await s.clock.advance(leaseMs - 1);
			assert.deepEqual(await due(s), []);
		}),
		it('a removed job is due when the lease of its attempt has lapsed', async (s) => {
			const { job } = await running(s);
			await s.store.remove('acme', job.id);
			await s.clock.advance(leaseMs);
			assert.deepEqual(await due(s), [`record ${job.id}`]);
		}),
		it('a lost heartbeat does not put off the sweep of a removed job', async (s) => {
			const { job, fence } = await running(s);
			await s.store.remove('acme', job.id);
			await s.clock.advance(leaseMs - 1);
			await s.store.heartbeat(job.id, fence);
			await s.clock.advance(1);
			assert.deepEqual(await due(s), [`record ${job.id}`]);
		}),
		it('the row of a swept record goes', async (s) => {
			const { id } = await completed(s);
			await s.clock.advance(recordRetentionMs);
			await s.store.swept(await s.store.sweep(10));
			assert.deepEqual([await due(s), await s.store.get('acme', id)], [[], null]);
		}),
		it('the row of a swept removed job is not listed again', async (s) => {
			const { id } = await submit(s);
			await s.store.remove('acme', id);
			await s.store.swept(await s.store.sweep(10));
			assert.deepEqual(await due(s), []);
		}),
		it('swept does not take the row of a living job', async (s) => {
			const { id, kind, tenant } = await submit(s);
			await s.store.swept([{ due: 'record', id, kind, tenant }]);
			assert.equal((await read(s, id)).status, 'queued');
		}),
		it('settling an item twice is harmless', async (s) => {
			const { id } = await submit(s);
			await s.store.remove('acme', id);
			const items = await s.store.sweep(10);
			await s.store.swept(items);
			await s.store.swept(items);
			assert.deepEqual(await due(s), []);
		}),
		it('sweep answers at most its limit', async (s) => {
			for (let i = 0; i < 3; i += 1) await completed(s, {}, 0);
			const { id } = await submit(s);
			await s.store.remove('acme', id);
			assert.equal((await s.store.sweep(2)).length, 2);
		}),
	];
}
