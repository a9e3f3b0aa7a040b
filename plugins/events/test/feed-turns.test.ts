import type { JobStore } from '@plinth/core';
import { describe, expect, test } from 'vitest';
import { withMethods } from '../../../core/kernel/test/jobs/harness.ts';
import { type CollectedUpdates, createFeedHarness } from './feed-harness.ts';

/** The number of updates in each turn of the event loop, until `count` have arrived. */
async function turnsOf(heard: readonly CollectedUpdates[], count: number): Promise<readonly number[]> {
	const reported = () => heard.reduce((sum, { updates }) => sum + updates.length, 0);
	const turns: number[] = [];
	for (let before = reported(); before < count; before = reported()) {
		await new Promise((resolve) => setImmediate(resolve));
		turns.push(reported() - before);
	}
	return turns;
}

describe('many readers', () => {
	test('do not block the event loop during a burst', async () => {
		const t = await createFeedHarness();
		const received = await Promise.all(Array.from({ length: 100 }, () => t.follow()));
		const jobs = await Promise.all(Array.from({ length: 50 }, () => t.create()));
		for (const job of jobs) t.hint('job.queued', job);
		const turns = await turnsOf(received, 5_000);
		expect(Math.max(...turns)).toBeLessThanOrEqual(256);
		expect(received.some(({ reader }) => reader.isDone)).toBe(false);
	});

	test('do not block the event loop while they resume after an old event', async () => {
		const t = await createFeedHarness();
		for (let n = 0; n < 100; n += 1) await t.create();
		const following = Array.from({ length: 50 }, () => t.follow({ after: '0' }));
		const turns = await turnsOf(await Promise.all(following), 5_000);
		expect(Math.max(...turns)).toBeLessThanOrEqual(256);
	});

	test('start in batches, and read a long state page by page', async () => {
		let pages = 0;
		const seen = (store: JobStore): JobStore =>
			withMethods(store, {
				list: (...query: Parameters<JobStore['list']>) => {
					pages += 1;
					return store.list(...query);
				},
			});
		const t = await createFeedHarness({ wrapStore: seen });
		for (let n = 0; n < 250; n += 1) await t.create();
		const following = Promise.all(Array.from({ length: 20 }, () => t.follow()));
		const turns: number[] = [];
		for (let before = pages; before < 60; before = pages) {
			await new Promise((resolve) => setImmediate(resolve));
			turns.push(pages - before);
		}
		expect(Math.max(...turns)).toBeLessThanOrEqual(10);
		expect((await following).every(({ reader }) => !reader.isDone)).toBe(true);
	});
});
