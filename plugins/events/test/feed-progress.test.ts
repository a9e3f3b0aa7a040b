import { describe, expect, test } from 'vitest';
import { withMethods } from '../../../core/kernel/test/jobs/harness.ts';
import { createFeedHarness, linesOf, nextTurns } from './feed-harness.ts';

describe('progress', () => {
	test('is sent as soon as a hint arrives, with the fraction in the record', async () => {
		const t = await createFeedHarness();
		const job = await t.create();
		const fence = await t.start(job);
		const received = await t.follow({ jobId: job.id });
		await nextTurns();
		await t.store.heartbeat(job.id, fence, { progress: 0.4 });
		t.hint('job.progress', job, { progress: 0.4 });
		await nextTurns();
		expect(received.lines()).toEqual(linesOf(['job.state', job], ['job.progress', job]));
		const { job: told, cursor } = received.updates[1] ?? {};
		expect([told?.progress, cursor]).toEqual([0.4, undefined]);
	});

	test('of other processes is sent within a second without a hint', async () => {
		const t = await createFeedHarness();
		const job = await t.create();
		const fence = await t.start(job);
		const received = await t.follow();
		await t.store.heartbeat(job.id, fence, { progress: 0.3 });
		await t.clock.advance(1_000);
		await nextTurns();
		expect(received.updates.at(-1)).toMatchObject({ type: 'job.progress', job: { progress: 0.3 } });
	});

	test('with previews has the latest preview of each job, and does not end a slow reader', async () => {
		const t = await createFeedHarness();
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
		const reported = [(await updates.next()).value, (await updates.next()).value];
		// The third one found the queue half full.
		expect(reported).toMatchObject([
			{ type: 'job.preview', jobId: first?.id, cursor: undefined, preview: preview(`new${first?.id}`) },
			{ type: 'job.preview', jobId: second?.id, cursor: undefined, preview: preview(`new${second?.id}`) },
		]);
		expect(reader.isDone).toBe(false);
		controller.abort();
		expect(await updates.next()).toEqual({ done: true, value: undefined });
	});

	test('is sent at most once a second, always with the latest value', async () => {
		const t = await createFeedHarness();
		const job = await t.create();
		const fence = await t.start(job);
		const received = await t.follow();
		for (let step = 1; step <= 30; step += 1) {
			await t.store.heartbeat(job.id, fence, { progress: step / 100 });
			t.hint('job.progress', job, { progress: step / 100 });
			await t.clock.advance(100);
		}
		await t.clock.advance(1_000);
		await nextTurns();
		const reported = received.updates.filter(({ type }) => type === 'job.progress');
		expect(reported.length).toBeGreaterThanOrEqual(3);
		expect(reported.length).toBeLessThanOrEqual(4);
		expect(reported.at(-1)?.job?.progress).toBe(0.3);
	});

	test('that waits for its reader is sent once, and is dropped when the job has ended', async () => {
		const t = await createFeedHarness();
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
		const reported = [(await updates.next()).value, (await updates.next()).value];
		expect(reported).toMatchObject([
			{ type: 'job.progress', jobId: slow.id, job: { progress: 0.5 } },
			{ type: 'job.completed', jobId: done.id },
		]);
		controller.abort();
		expect(await updates.next()).toEqual({ done: true, value: undefined });
	});

	test('is polled for several hundred jobs per round, and for all of them in turn', async () => {
		let reads = 0;
		const t = await createFeedHarness({
			wrapStore: (store) =>
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
		const received = await t.follow({ after: await t.store.head() });
		for (const { job, fence } of jobs) {
			await t.store.heartbeat(job.id, fence, { progress: 0.5 });
		}
		const before = reads;
		await t.clock.advance(1_000);
		await nextTurns();
		// Each record is read once to poll, and once to send.
		expect(reads - before).toBeLessThanOrEqual(400);
		await t.clock.advance(1_500);
		await nextTurns();
		expect(new Set(received.updates.map(({ jobId }) => jobId)).size).toBe(450);
	});

	test('is not polled for jobs that nobody follows any more', async () => {
		const read: string[] = [];
		const t = await createFeedHarness({
			wrapStore: (store) =>
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
		await nextTurns();
		leaving.abort();
		read.length = 0;
		await t.clock.advance(5_000);
		expect(new Set(read)).toEqual(new Set([followed.id]));
	});

	test('is sent although the clock was set back', async () => {
		const t = await createFeedHarness();
		const job = await t.create();
		const fence = await t.start(job);
		const received = await t.follow();
		t.clock.jump(-3_600_000);
		await t.store.heartbeat(job.id, fence, { progress: 0.6 });
		await t.clock.advance(1_000);
		await nextTurns();
		expect(received.updates.at(-1)).toMatchObject({ type: 'job.progress', job: { progress: 0.6 } });
	});
});
