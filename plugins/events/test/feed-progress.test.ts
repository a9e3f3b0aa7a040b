import { describe, expect, test } from 'vitest';
import { withMethods } from '../../../core/kernel/test/jobs/harness.ts';
import { feedTable, lines, settled } from './feed-harness.ts';

describe('progress', () => {
	test('is told as soon as a hint says so, with the fraction of the record', async () => {
		const t = await feedTable();
		const job = await t.create();
		const fence = await t.start(job);
		const heard = await t.follow({ jobId: job.id });
		await settled();
		await t.store.heartbeat(job.id, fence, { progress: 0.4 });
		t.hint('job.progress', job, { progress: 0.4 });
		await settled();
		expect(heard.told()).toEqual(lines(['job.state', job], ['job.progress', job]));
		const { job: told, cursor } = heard.updates[1] ?? {};
		expect([told?.progress, cursor]).toEqual([0.4, undefined]);
	});

	test('of other processes is told within a second, without a hint', async () => {
		const t = await feedTable();
		const job = await t.create();
		const fence = await t.start(job);
		const heard = await t.follow();
		await t.store.heartbeat(job.id, fence, { progress: 0.3 });
		await t.clock.advance(1_000);
		await settled();
		expect(heard.updates.at(-1)).toMatchObject({ type: 'job.progress', job: { progress: 0.3 } });
	});

	test('with previews is told with the newest of each job, and never ends a slow reader', async () => {
		const t = await feedTable();
		const jobs = [await t.create(), await t.create(), await t.create()];
		for (const job of jobs) await t.start(job);
		const controller = new AbortController();
		const after = await t.store.head();
		const reader = await t.feed.follow({ tenant: 'a', after, signal: controller.signal });
		const preview = (what: string) => `data:image/jpeg;base64,${what.padEnd(60_000, 'A')}`;
		for (const round of ['old', 'new']) {
			for (const job of jobs) t.hint('job.preview', job, { preview: preview(`${round}${job.id}`) });
		}
		const [first, second] = jobs;
		const updates = reader[Symbol.asyncIterator]();
		const told = [(await updates.next()).value, (await updates.next()).value];
		// The third one found the queue half full.
		expect(told).toMatchObject([
			{ type: 'job.preview', jobId: first?.id, cursor: undefined, preview: preview(`new${first?.id}`) },
			{ type: 'job.preview', jobId: second?.id, cursor: undefined, preview: preview(`new${second?.id}`) },
		]);
		expect(reader.isDone).toBe(false);
		controller.abort();
		expect(await updates.next()).toEqual({ done: true, value: undefined });
	});

	test('is told at most once a second, and the newest always', async () => {
		const t = await feedTable();
		const job = await t.create();
		const fence = await t.start(job);
		const heard = await t.follow();
		for (let step = 1; step <= 30; step += 1) {
			await t.store.heartbeat(job.id, fence, { progress: step / 100 });
			t.hint('job.progress', job, { progress: step / 100 });
			await t.clock.advance(100);
		}
		await t.clock.advance(1_000);
		await settled();
		const told = heard.updates.filter(({ type }) => type === 'job.progress');
		expect(told.length).toBeGreaterThanOrEqual(3);
		expect(told.length).toBeLessThanOrEqual(4);
		expect(told.at(-1)?.job?.progress).toBe(0.3);
	});

	test('that waits for its reader is told once, and not at all when the job has ended', async () => {
		const t = await feedTable();
		const [slow, done] = [await t.create(), await t.create()];
		const fences = [await t.start(slow), await t.start(done)];
		const controller = new AbortController();
		const after = await t.store.head();
		const reader = await t.feed.follow({ tenant: 'a', after, signal: controller.signal });
		for (let step = 1; step <= 5; step += 1) {
			await t.store.heartbeat(slow.id, fences[0] ?? 0, { progress: step / 10 });
			await t.store.heartbeat(done.id, fences[1] ?? 0, { progress: step / 10 });
			await t.clock.advance(1_000);
		}
		await t.complete(done, fences[1] ?? 0);
		await t.clock.advance(1_000);
		const updates = reader[Symbol.asyncIterator]();
		const told = [(await updates.next()).value, (await updates.next()).value];
		expect(told).toMatchObject([
			{ type: 'job.progress', jobId: slow.id, job: { progress: 0.5 } },
			{ type: 'job.completed', jobId: done.id },
		]);
		controller.abort();
		expect(await updates.next()).toEqual({ done: true, value: undefined });
	});

	test('is looked up for some hundred jobs a round, and for all of them in turn', async () => {
		let reads = 0;
		const t = await feedTable({
			seen: (store) =>
				withMethods(store, {
					get: (tenant, id) => {
						reads += 1;
						return store.get(tenant, id);
					},
				}),
		});
		const jobs = [];
		for (let n = 0; n < 450; n += 1) {
			const job = await t.create();
			jobs.push({ job, fence: await t.start(job) });
		}
		const heard = await t.follow({ after: await t.store.head() });
		for (const { job, fence } of jobs) {
			await t.store.heartbeat(job.id, fence, { progress: 0.5 });
		}
		const before = reads;
		await t.clock.advance(1_000);
		await settled();
		// Each is read once to look, and once to tell.
		expect(reads - before).toBeLessThanOrEqual(400);
		await t.clock.advance(1_500);
		await settled();
		expect(new Set(heard.updates.map(({ jobId }) => jobId)).size).toBe(450);
	});

	test('is not looked up for jobs that nobody follows any more', async () => {
		const read: string[] = [];
		const t = await feedTable({
			seen: (store) =>
				withMethods(store, {
					get: (tenant, id) => {
						read.push(id);
						return store.get(tenant, id);
					},
				}),
		});
		const [left, followed] = [await t.create(), await t.create()];
		for (const job of [left, followed]) await t.start(job);
		const leaving = await t.follow({ jobId: left.id });
		await t.follow({ jobId: followed.id });
		await settled();
		leaving.leave();
		read.length = 0;
		await t.clock.advance(5_000);
		expect(new Set(read)).toEqual(new Set([followed.id]));
	});

	test('that a setting-back of the clock makes late is told all the same', async () => {
		const t = await feedTable();
		const job = await t.create();
		const fence = await t.start(job);
		const heard = await t.follow();
		t.clock.jump(-3_600_000);
		await t.store.heartbeat(job.id, fence, { progress: 0.6 });
		await t.clock.advance(1_000);
		await settled();
		expect(heard.updates.at(-1)).toMatchObject({ type: 'job.progress', job: { progress: 0.6 } });
	});
});
