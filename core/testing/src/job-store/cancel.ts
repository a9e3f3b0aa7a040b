import assert from 'node:assert/strict';
import type { ConformanceCase } from '../conformance.ts';
import { broken, completed, eventTypes, type JobCaseContext, read, running, submit, tryTake } from './subject.ts';

/** Cases on cancelling and removing jobs in every state. */
export function cancelCases({ it }: JobCaseContext): ConformanceCase[] {
	return [
		it('cancelling a queued job fails it at once with cancelled', async (s) => {
			const { id } = await submit(s);
			const job = await s.store.requestCancel('acme', id);
			assert.deepEqual({ status: job?.status, code: job?.error?.code }, { status: 'failed', code: 'cancelled' });
		}),
		it('cancelling a running job only marks it', async (s) => {
			const { job } = await running(s);
			assert.deepEqual(await s.store.requestCancel('acme', job.id), { ...job, cancelRequested: true });
		}),
		it('a running attempt gets the cancel from its next heartbeat', async (s) => {
			const { job, fence } = await running(s);
			await s.store.requestCancel('acme', job.id);
			assert.equal(await s.store.heartbeat(job.id, fence), 'cancel');
		}),
		it('a cancelled job whose attempt is to be retried later ends at the next take', async (s) => {
			const { job, fence } = await running(s);
			await s.store.requestCancel('acme', job.id);
			await s.store.fail(job.id, fence, broken, 60_000);
			assert.equal(await tryTake(s, job.id), null);
			const { status, error } = await read(s, job.id);
			assert.deepEqual([status, error?.code], ['failed', 'cancelled']);
		}),
		...(['queued', 'in_progress', 'completed', 'failed'] as const).flatMap((state) => [
			it(`a removed ${state} job is unknown`, async (s) => {
				const { id } = await inState(s, state);
				await s.store.remove('acme', id);
				const { jobs } = await s.store.list('acme', { kind: 'video', limit: 10, order: 'asc' });
				assert.deepEqual([await s.store.get('acme', id), jobs], [null, []]);
			}),
			it(`remove returns the ${state} job as it was`, async (s) => {
				const job = await inState(s, state);
				assert.deepEqual(await s.store.remove('acme', job.id), job);
			}),
			it(`removing a ${state} job appends job.deleted`, async (s) => {
				const { id } = await inState(s, state);
				await s.store.remove('acme', id);
				assert.equal((await eventTypes(s, id)).at(-1), 'job.deleted');
			}),
		]),
		it('a running attempt of a removed job is lost', async (s) => {
			const { job, fence } = await running(s);
			await s.store.remove('acme', job.id);
			assert.equal(await s.store.heartbeat(job.id, fence), 'lost');
		}),
		it('nothing a running attempt writes brings a removed job back', async (s) => {
			const { job, fence } = await running(s);
			await s.store.remove('acme', job.id);
			const answers = [
				await s.store.complete(job.id, fence, { result: {}, retentionMs: null }),
				await s.store.fail(job.id, fence, broken, 0),
				await s.store.release(job.id, fence),
			];
			assert.deepEqual([answers, await s.store.get('acme', job.id)], [[false, false, false], null]);
		}),
		it('of a claim and a remove at once, the remove prevails', async (s) => {
			const { id } = await submit(s);
			await Promise.all([tryTake(s, id), s.store.remove('acme', id)]);
			assert.equal(await s.store.get('acme', id), null);
			assert.equal(await s.store.pending('video'), 0);
		}),
	];

	async function inState(s: Parameters<typeof submit>[0], state: 'queued' | 'in_progress' | 'completed' | 'failed') {
		if (state === 'queued') return submit(s);
		if (state === 'completed') return completed(s);
		const { job, fence } = await running(s);
		if (state === 'failed') await s.store.fail(job.id, fence, broken);
		return read(s, job.id);
	}
}
