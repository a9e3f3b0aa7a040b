import assert from 'node:assert/strict';
import type { JobListOptions } from '@plinth/core';
import type { ConformanceCase } from '../conformance.ts';
import { completed, type JobCaseContext, type JobStoreSubject, leaseMs, newJob, running, submit } from './subject.ts';

/** Cases on lists, counts and the isolation of tenants. */
export function listingCases({ it }: JobCaseContext): ConformanceCase[] {
	return [
		it('a list in descending order starts with the newest', async (s) => {
			const ids = await submitFive(s);
			assert.deepEqual(await page(s, { order: 'desc' }), { ids: ids.reverse(), hasMore: false });
		}),
		it('limit 0 returns an empty page whose hasMore is right', async (s) => {
			const ids = await submitFive(s);
			assert.deepEqual(await page(s, { limit: 0 }), { ids: [], hasMore: true });
			const behindLast = await page(s, { limit: 0, order: 'asc', after: ids[4] });
			assert.deepEqual(behindLast, { ids: [], hasMore: false });
		}),
		it('after may be an id that never existed', async (s) => {
			const ids = await submitFive(s);
			const position = newJob(s).id;
			assert.deepEqual((await page(s, { order: 'desc', after: position })).ids, ids.reverse());
		}),
		it('after may be the id of a removed job', async (s) => {
			const ids = await submitFive(s);
			await s.store.remove('acme', ids[2] as string);
			assert.deepEqual((await page(s, { order: 'asc', after: ids[2] })).ids, ids.slice(3));
		}),
		it("after may be the id of another tenant's job", async (s) => {
			const before = await submit(s);
			const foreign = await submit(s, { tenant: 'umbrella' });
			const behind = await submit(s);
			assert.deepEqual((await page(s, { order: 'asc', after: foreign.id })).ids, [behind.id]);
			assert.deepEqual((await page(s, { order: 'desc', after: foreign.id })).ids, [before.id]);
		}),
		it('a list holds jobs of one kind only', async (s) => {
			const video = await submit(s);
			await submit(s, { kind: 'speech' });
			assert.deepEqual((await page(s, {})).ids, [video.id]);
		}),
		it('a pending list holds the jobs that wait or run, in every order', async (s) => {
			const ended = await completed(s);
			const queued = await submit(s);
			const { job } = await running(s);
			const removed = await submit(s);
			await s.store.remove('acme', removed.id);
			const lapsed = await running(s);
			await s.clock.advance(leaseMs);
			const ids = [queued.id, job.id, lapsed.job.id];
			assert.deepEqual((await page(s, { order: 'asc', pending: true })).ids, ids);
			assert.deepEqual((await page(s, { pending: true })).ids, ids.toReversed());
			assert.equal((await page(s, {})).ids.includes(ended.id), true);
		}),
		it('a pending list continues after an id, and its hasMore is right', async (s) => {
			const ids = await submitFive(s);
			await s.store.requestCancel('acme', ids[2] as string);
			const first = await page(s, { order: 'asc', limit: 2, pending: true });
			assert.deepEqual(first, { ids: ids.slice(0, 2), hasMore: true });
			const next = await page(s, { order: 'asc', limit: 2, after: ids[1], pending: true });
			assert.deepEqual(next, { ids: ids.slice(3), hasMore: false });
			const back = await page(s, { limit: 2, after: ids[3], pending: true });
			assert.deepEqual(back, { ids: [ids[1], ids[0]], hasMore: false });
		}),
		it('a pending list holds one kind of one tenant only', async (s) => {
			const { id } = await submit(s);
			await submit(s, { kind: 'speech' });
			await submit(s, { tenant: 'umbrella' });
			assert.deepEqual((await page(s, { pending: true })).ids, [id]);
		}),
		it('pending counts for one tenant or for all', async (s) => {
			await submit(s);
			await submit(s, { tenant: 'umbrella' });
			await submit(s, { tenant: 'umbrella' });
			assert.deepEqual([await s.store.pending('video', 'umbrella'), await s.store.pending('video')], [2, 3]);
		}),
		it('get does not show the job of another tenant', async (s) => {
			const { id } = await submit(s);
			assert.equal(await s.store.get('umbrella', id), null);
		}),
		it('list does not show the jobs of another tenant', async (s) => {
			await submitFive(s);
			const page = await s.store.list('umbrella', { kind: 'video', limit: 100, order: 'asc' });
			assert.deepEqual(page, { jobs: [], hasMore: false });
		}),
		it('requestCancel does not reach the job of another tenant', async (s) => {
			const { job, fence } = await running(s);
			assert.equal(await s.store.requestCancel('umbrella', job.id), null);
			assert.equal(await s.store.heartbeat(job.id, fence), 'ok');
		}),
		it('remove does not reach the job of another tenant', async (s) => {
			const job = await submit(s);
			assert.equal(await s.store.remove('umbrella', job.id), null);
			assert.deepEqual(await s.store.get('acme', job.id), job);
		}),
		it('swept does not reach the job of another tenant', async (s) => {
			const { id } = await submit(s);
			await s.store.remove('acme', id);
			await s.store.swept([{ due: 'record', id, kind: 'video', tenant: 'umbrella' }]);
			assert.equal((await s.store.sweep(10)).length, 1);
		}),
	];
}

async function submitFive(s: JobStoreSubject): Promise<string[]> {
	const ids: string[] = [];
	for (let i = 0; i < 5; i += 1) {
		ids.push((await submit(s)).id);
		await s.clock.advance(1);
	}
	return ids;
}

async function page(
	s: JobStoreSubject,
	options: Partial<Omit<JobListOptions, 'after'>> & { readonly after?: string | undefined },
) {
	const { after, limit = 100, order = 'desc', pending } = options;
	const position = after === undefined ? {} : { after };
	const filter = pending === undefined ? {} : { pending };
	const { jobs, hasMore } = await s.store.list('acme', { kind: 'video', limit, order, ...position, ...filter });
	return { ids: jobs.map((job) => job.id), hasMore };
}
