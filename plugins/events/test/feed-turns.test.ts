import type { JobStore } from '@plinth/core';
import { describe, expect, test } from 'vitest';
import { withMethods } from '../../../core/kernel/test/jobs/harness.ts';
import { feedTable, type Heard } from './feed-harness.ts';

/** How many updates come in each turn of the event loop, until so many have come. */
async function turnsOf(heard: readonly Heard[], count: number): Promise<readonly number[]> {
	const told = () => heard.reduce((sum, { updates }) => sum + updates.length, 0);
	const turns: number[] = [];
	for (let before = told(); before < count; before = told()) {
		await new Promise((resolve) => setImmediate(resolve));
		turns.push(told() - before);
	}
	return turns;
}

describe('many readers', () => {
	test('let everybody else have a turn while they are told a burst', async () => {
		const t = await feedTable();
		const heard = await Promise.all(Array.from({ length: 100 }, () => t.follow()));
		const jobs = await Promise.all(Array.from({ length: 50 }, () => t.create()));
		for (const job of jobs) t.hint('job.queued', job);
		const turns = await turnsOf(heard, 5_000);
		expect(Math.max(...turns)).toBeLessThanOrEqual(256);
		expect(heard.some(({ reader }) => reader.isDone)).toBe(false);
	});

	test('let everybody else have a turn while they go on behind an old event', async () => {
		const t = await feedTable();
		for (let n = 0; n < 100; n += 1) await t.create();
		const following = Array.from({ length: 50 }, () => t.follow({ after: '0' }));
		const turns = await turnsOf(await Promise.all(following), 5_000);
		expect(Math.max(...turns)).toBeLessThanOrEqual(256);
	});

	test('begin some at a time, and read a long state page by page', async () => {
		let pages = 0;
		const seen = (store: JobStore): JobStore =>
			withMethods(store, {
				list: (...query: Parameters<JobStore['list']>) => {
					pages += 1;
					return store.list(...query);
				},
			});
		const t = await feedTable({ seen });
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
