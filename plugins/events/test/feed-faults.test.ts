import { type Job, type JobStore, plinthError } from '@plinth/core';
import { silentLogger } from '@plinth/testing';
import type { FeedReader } from '@plinth/toolkit';
import { describe, expect, test } from 'vitest';
import { withMethods } from '../../../core/kernel/test/jobs/harness.ts';
import { createFeedHarness, linesOf, nextTurns } from './feed-harness.ts';

/** A store that can be unavailable, and that counts its calls. */
function faultyStore() {
	const state = { isAway: false, reads: 0 };
	const wrapStore = (store: JobStore): JobStore => {
		const read = <A extends unknown[], R>(method: (...args: A) => Promise<R>) => {
			return async (...args: A): Promise<R> => {
				state.reads += 1;
				if (state.isAway) throw plinthError('E_STORE_UNAVAILABLE');
				return method.apply(store, args);
			};
		};
		return withMethods(store, {
			events: read(store.events),
			head: read(store.head),
			get: read(store.get),
			list: read(store.list),
		});
	};
	return { state, seen: wrapStore };
}

describe('a slow reader', () => {
	test('loses its feed when 256 KB are buffered, and other readers do not', async () => {
		const t = await createFeedHarness();
		const controller = new AbortController();
		const slow = await t.feed.follow({ tenant: 'a', signal: controller.signal });
		const quick = await t.follow();
		for (let n = 0; n < 400; n += 1) {
			t.hint('job.queued', await t.create());
			await nextTurns();
		}
		expect([slow.endReason, slow.isDone]).toEqual(['slow_reader', true]);
		expect(await slow[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined });
		expect([quick.updates.length, quick.reader.endReason]).toEqual([400, undefined]);
	});

	test('may have several hundred small updates buffered', async () => {
		const t = await createFeedHarness();
		const controller = new AbortController();
		const slow = await t.feed.follow({ tenant: 'a', signal: controller.signal });
		const jobs = [];
		for (let n = 0; n < 200; n += 1) jobs.push(await t.create());
		await t.clock.advance(500);
		expect(slow.endReason).toBeUndefined();
		const updates = slow[Symbol.asyncIterator]();
		expect((await updates.next()).value?.type).toBe('stream.ready');
		for (const { id } of jobs) expect((await updates.next()).value?.jobId).toBe(id);
	});

	test('is judged by the size of its recent updates', async () => {
		const t = await createFeedHarness({
			definitions: new Map([
				['video', { run: async () => ({ result: {} }), view: () => ({ text: 'x'.repeat(32_768) }) }],
			]),
		});
		const quick = await t.feed.follow({ tenant: 'a', signal: new AbortController().signal });
		const frames = t.feed.events(quick)[Symbol.asyncIterator]();
		for (let n = 0; n < 40; n += 1) {
			t.hint('job.queued', await t.create());
			await frames.next();
		}
		const slow = await t.feed.follow({ tenant: 'a', signal: new AbortController().signal });
		for (let n = 0; n < 12; n += 1) await t.create();
		await t.clock.advance(500);
		await nextTurns();
		expect(slow.endReason).toBe('slow_reader');
	});

	test('is not affected by large updates of another tenant', async () => {
		const view = (job: Job) => ({ text: 'x'.repeat(job.tenant === 'large' ? 131_072 : 100) });
		const run = async () => ({ result: {} });
		const t = await createFeedHarness({ definitions: new Map([['video', { run, view }]]) });
		const { signal } = new AbortController();
		const large = await t.feed.follow({ tenant: 'large', signal });
		const frames = t.feed.events(large)[Symbol.asyncIterator]();
		for (let n = 0; n < 40; n += 1) {
			t.hint('job.queued', await t.create({ tenant: 'large' }));
			await frames.next();
		}
		const small = await t.feed.follow({ tenant: 'a', signal });
		for (let n = 0; n < 20; n += 1) await t.create();
		await t.clock.advance(500);
		await nextTurns();
		expect(small.endReason).toBeUndefined();
	});

	test('is not one that reads a burst as fast as possible', async () => {
		const t = await createFeedHarness();
		const received = await t.follow();
		for (let n = 0; n < 2_000; n += 1) await t.create();
		await t.clock.advance(500);
		await t.later('all of them', () => received.updates.length === 2_000);
		expect(received.reader.endReason).toBeUndefined();
	});
});

describe('the end of a feed', () => {
	test('occurs when the server stops, for open feeds and for later ones', async () => {
		const t = await createFeedHarness();
		const job = await t.create();
		const received = [await t.follow(), await t.follow({ jobId: job.id })];
		await nextTurns();
		t.feed.stop();
		await nextTurns();
		received.push(await t.follow(), await t.follow({ jobId: 'video_unknown' }));
		await nextTurns();
		expect(received.map(({ reader, isOver }) => [reader.endReason, isOver])).toEqual(
			received.map(() => ['stopping', true]),
		);
	});

	test('occurs after the maximum time of its reader', async () => {
		const t = await createFeedHarness();
		const received = await t.follow({ maxMs: 60_000 });
		await t.clock.advance(59_999);
		expect(received.isOver).toBe(false);
		await t.clock.advance(1);
		await nextTurns();
		expect([received.reader.endReason, received.isOver]).toEqual(['max_age', true]);
	});

	test.each<[string, (reader: FeedReader, controller: AbortController) => unknown]>([
		['leaves', (reader) => reader[Symbol.asyncIterator]().return?.()],
		['is cut off', (_, controller) => controller.abort()],
	])('occurs when the reader %s, and no more is read', async (_how, leave) => {
		const { state, seen } = faultyStore();
		const t = await createFeedHarness({ wrapStore: seen });
		const controller = new AbortController();
		const reader = await t.feed.follow({ tenant: 'a', signal: controller.signal });
		const next = reader[Symbol.asyncIterator]().next();
		await leave(reader, controller);
		expect(await next).toEqual({ done: true, value: undefined });
		expect([reader.isDone, reader.endReason]).toEqual([true, undefined]);
		const { reads } = state;
		t.hint('job.queued', await t.create());
		await t.clock.advance(10_000);
		expect(state.reads).toBe(reads);
	});

	test('does not affect the next feed, which begins with the current state and reads no older events', async () => {
		const { state, seen } = faultyStore();
		const t = await createFeedHarness({ wrapStore: seen });
		(await t.follow()).abort();
		for (let n = 0; n < 500; n += 1) await t.store.requestCancel('a', (await t.create()).id);
		const { reads } = state;
		const received = await t.follow();
		expect(state.reads - reads).toBeLessThanOrEqual(3);
		const job = await t.create();
		await t.later('an update', () => received.updates.length > 0);
		expect(received.lines()).toEqual(linesOf(['job.queued', job]));
	});
});

describe('the frames of a feed', () => {
	test('are events with type, cursor and the job in its view', async () => {
		const t = await createFeedHarness();
		const job = await t.create();
		const signal = new AbortController().signal;
		const frames = t.feed.events(await t.feed.follow({ tenant: 'a', signal }));
		const iterator = frames[Symbol.asyncIterator]();
		const { data, ...names } = (await iterator.next()).value ?? {};
		expect(names).toEqual({ event: 'job.state', unreadMs: 10_000 });
		const { value: ready } = await iterator.next();
		expect(ready).toMatchObject({ event: 'stream.ready', id: await t.store.head() });
		expect(JSON.parse(String(data))).toMatchObject({
			object: 'event',
			type: 'job.state',
			created_at: Math.floor(t.clock.now() / 1000),
			data: { id: job.id, status: 'queued', failure: null },
		});
	});

	test('have one final frame with the reason of an early end', async () => {
		const t = await createFeedHarness();
		const signal = new AbortController().signal;
		const reader = await t.feed.follow({ tenant: 'a', signal });
		const frames = t.feed.events(reader)[Symbol.asyncIterator]();
		t.feed.stop();
		const { value } = await frames.next();
		expect(JSON.parse(String(value?.data))).toEqual({
			object: 'event',
			type: 'stream.end',
			created_at: Math.floor(t.clock.now() / 1000),
			data: { reason: 'stopping' },
		});
		expect([value?.event, value?.id]).toEqual(['stream.end', undefined]);
		expect(await frames.next()).toEqual({ done: true, value: undefined });
	});

	test('end the reader when nobody reads the first one', async () => {
		const t = await createFeedHarness();
		const signal = new AbortController().signal;
		const reader = await t.feed.follow({ tenant: 'a', signal });
		await t.feed.events(reader)[Symbol.asyncIterator]().return?.();
		expect(reader.isDone).toBe(true);
	});
});

describe('two processes on one store', () => {
	test("receive each other's events within a second without a shared bus", async () => {
		const one = await createFeedHarness();
		const other = await createFeedHarness({ store: one.store, clock: one.clock });
		const received = await other.follow();
		const job = await one.create();
		one.hint('job.queued', job);
		const fence = await one.start(job);
		await one.clock.advance(500);
		await nextTurns();
		expect(received.lines()).toEqual(linesOf(['job.queued', job], ['job.started', job]));
		await one.store.heartbeat(job.id, fence, { progress: 0.5 });
		one.hint('job.progress', job, { progress: 0.5 });
		await one.clock.advance(1_000);
		await nextTurns();
		expect(received.updates.at(-1)).toMatchObject({ type: 'job.progress', job: { progress: 0.5 } });
	});
});

describe('an unavailable store', () => {
	test('is logged once and polled again, and no feed or update is lost', async () => {
		const { state, seen } = faultyStore();
		const warnings: string[] = [];
		const log = { ...silentLogger(), warn: (_: object, text: string) => warnings.push(text) };
		const t = await createFeedHarness({ wrapStore: seen, log });
		const job = await t.create();
		const received = await t.follow();
		await nextTurns();
		state.isAway = true;
		await t.start(job);
		for (let n = 0; n < 5; n += 1) await t.clock.advance(1_000);
		expect(received.lines()).toEqual(linesOf(['job.state', job]));
		expect(warnings).toHaveLength(1);
		state.isAway = false;
		await t.later('the update', () => received.updates.length === 2);
		expect(received.lines()[1]).toBe(linesOf(['job.started', job])[0]);
		state.isAway = true;
		await t.clock.advance(1_000);
		expect(warnings).toHaveLength(2);
	});

	test('fails new feeds and forgets their readers', async () => {
		const { state, seen } = faultyStore();
		const t = await createFeedHarness({ wrapStore: seen });
		state.isAway = true;
		await expect(t.follow()).rejects.toMatchObject({ code: 'E_STORE_UNAVAILABLE' });
		const { reads } = state;
		await t.clock.advance(5_000);
		expect(state.reads).toBe(reads);
	});

	test('ends a feed with an error when the plugin cannot show a job', async () => {
		const view = () => {
			throw new Error('a mistake of the plugin');
		};
		const run = async () => ({ result: {} });
		const t = await createFeedHarness({ definitions: new Map([['video', { run, view }]]) });
		await t.create();
		const received = await t.follow();
		await nextTurns();
		expect(received.error).toMatchObject({ message: 'a mistake of the plugin' });
		expect(received.reader.isDone).toBe(true);
	});

	test('delays an update whose read fails', async () => {
		const { state, seen } = faultyStore();
		const t = await createFeedHarness({ wrapStore: seen });
		const job = await t.create();
		const reader = await t.feed.follow({ tenant: 'a', signal: new AbortController().signal });
		state.isAway = true;
		const next = reader[Symbol.asyncIterator]().next();
		await t.clock.advance(2_000);
		state.isAway = false;
		await t.clock.advance(500);
		expect((await next).value).toMatchObject({ type: 'job.state', jobId: job.id });
	});
});
