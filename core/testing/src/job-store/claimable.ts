import assert from 'node:assert/strict';
import type { ConformanceCase } from '../conformance.ts';
import {
	broken,
	claimableIds,
	type JobCaseContext,
	type JobStoreSubject,
	leaseMs,
	running,
	submit,
} from './subject.ts';

/** The list of jobs that wait for a worker. */
export function claimableCases({ it }: JobCaseContext): ConformanceCase[] {
	return [
		it('claimable lists queued jobs and lapsed leases by id', async (s) => {
			const lapsed = await running(s);
			await s.clock.advance(leaseMs);
			const queued = await submit(s);
			assert.deepEqual(await claimableIds(s), [lapsed.job.id, queued.id]);
		}),
		it('claimable goes by id, not by the order of creation', async (s) => {
			for (const id of ['video_b', 'video_c', 'video_a']) await submit(s, { id });
			assert.deepEqual(await claimableIds(s), ['video_a', 'video_b', 'video_c']);
		}),
		it('claimable names kind and tenant of a job', async (s) => {
			const { id } = await submit(s, { kind: 'speech', tenant: 'umbrella' });
			assert.deepEqual(await s.store.claimable('speech', { limit: 10 }), [
				{ id, kind: 'speech', tenant: 'umbrella' },
			]);
		}),
		it('claimable lists the jobs of one kind, of every tenant', async (s) => {
			const one = await submit(s);
			await submit(s, { kind: 'speech' });
			const two = await submit(s, { tenant: 'umbrella' });
			assert.deepEqual(await claimableIds(s), [one.id, two.id]);
		}),
		it('claimable leaves out running, waiting and ended jobs', async (s) => {
			await running(s);
			const ended = await running(s);
			await s.store.fail(ended.job.id, ended.fence, broken);
			const waiting = await running(s);
			await s.store.fail(waiting.job.id, waiting.fence, broken, s.clock.now() + 60_000);
			assert.deepEqual(await claimableIds(s), []);
		}),
		it('claimable lists a job whose used-up attempts claim would end', async (s) => {
			const { job } = await running(s, { maxAttempts: 1 });
			await s.clock.advance(leaseMs);
			assert.deepEqual(await claimableIds(s), [job.id]);
		}),
		it('claimable answers at most its limit, from the start', async (s) => {
			const ids = await submitMany(s, 3);
			assert.deepEqual(await page(s, undefined, 2), ids.slice(0, 2));
		}),
		it('claimable goes on behind after, to the last job', async (s) => {
			const ids = await submitMany(s, 5);
			const first = await page(s, undefined, 2);
			const second = await page(s, first.at(-1), 2);
			const third = await page(s, second.at(-1), 2);
			assert.deepEqual([first, second, third], [ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
			assert.deepEqual(await page(s, third.at(-1), 2), []);
		}),
		it('after may be the id of a job that is claimable no more', async (s) => {
			const [first = '', second = '', third = ''] = await submitMany(s, 3);
			await s.store.claim(first, 'worker-1', leaseMs);
			await s.store.remove('acme', second);
			assert.deepEqual([await page(s, first, 10), await page(s, second, 10)], [[third], [third]]);
		}),
	];
}

async function submitMany(s: JobStoreSubject, count: number): Promise<string[]> {
	const ids: string[] = [];
	for (let i = 0; i < count; i += 1) ids.push((await submit(s)).id);
	return ids;
}

async function page(
	s: JobStoreSubject,
	after: string | undefined,
	limit: number,
): Promise<string[]> {
	const options = after === undefined ? { limit } : { after, limit };
	return (await s.store.claimable('video', options)).map(({ id }) => id);
}
