import { type Job, type JobStore, plinthError } from '@plinth/core';
import { silentLogger } from '@plinth/testing';
import type { FeedReader } from '@plinth/toolkit';
import { describe, expect, test } from 'vitest';
import { withMethods } from '../../../core/kernel/test/jobs/harness.ts';
import { feedTable, lines, settled } from './feed-harness.ts';

/** A store that can be away, and counts what it is asked. */
function fickle() {
	const state = { isAway: false, reads: 0 };
	const seen = (store: JobStore): JobStore => {
		const ask = <A extends unknown[], R>(method: (...args: A) => Promise<R>) => {
			return async (...args: A): Promise<R> => {
				state.reads += 1;
				if (state.isAway) throw plinthError('E_STORE_UNAVAILABLE');
				return method.apply(store, args);
			};
		};
		return withMethods(store, {
			events: ask(store.events),
			head: ask(store.head),
			get: ask(store.get),
			list: ask(store.list),
		});
	};
	return { state, seen };
}

describe('a reader that is too slow', () => {
	test('loses its feed when 256 KB wait, and no other does', async () => {
		const t = await feedTable();
		const controller = new AbortController();
		const slow = await t.feed.follow({ tenant: 'a', signal: controller.signal });
		const quick = await t.follow();
		for (let n = 0; n < 400; n += 1) {
			t.hint('job.queued', await t.create());
			await settled();
		}
		expect([slow.endReason, slow.isDone]).toEqual(['slow_reader', true]);
		expect(await slow[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined });
		expect([quick.updates.length, quick.reader.endReason]).toEqual([400, undefined]);
	});

	test('may have some hundred small updates waiting', async () => {
		const t = await feedTable();
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

	test('counts by what updates have taken of late', async () => {
		const t = await feedTable({
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
		await settled();
		expect(slow.endReason).toBe('slow_reader');
	});

	test('is not slow because another tenant has large updates', async () => {
		const view = (job: Job) => ({ text: 'x'.repeat(job.tenant === 'large' ? 131_072 : 100) });
		const run = async () => ({ result: {} });
		const t = await feedTable({ definitions: new Map([['video', { run, view }]]) });
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
		await settled();
		expect(small.endReason).toBeUndefined();
	});

	test('is not one that takes a burst as fast as it can', async () => {
		const t = await feedTable();
		const heard = await t.follow();
		for (let n = 0; n < 2_000; n += 1) await t.create();
		await t.clock.advance(500);
		await t.later('all of them', () => heard.updates.length === 2_000);
		expect(heard.reader.endReason).toBeUndefined();
	});
});

describe('the end of a feed', () => {
	test('comes with the stop of the server, for all at once and for those to come', async () => {
		const t = await feedTable();
		const job = await t.create();
		const heard = [await t.follow(), await t.follow({ jobId: job.id })];
		await settled();
		t.feed.stop();
		await settled();
		heard.push(await t.follow(), await t.follow({ jobId: 'video_unknown' }));
		await settled();
		expect(heard.map(({ reader, isOver }) => [reader.endReason, isOver])).toEqual(heard.map(() => ['stopping', true]));
	});

	test('comes after the longest time that its reader may follow', async () => {
		const t = await feedTable();
		const heard = await t.follow({ maxMs: 60_000 });
		await t.clock.advance(59_999);
		expect(heard.isOver).toBe(false);
		await t.clock.advance(1);
		await settled();
		expect([heard.reader.endReason, heard.isOver]).toEqual(['max_age', true]);
	});

	test.each<[string, (reader: FeedReader, controller: AbortController) => unknown]>([
		['leaves', (reader) => reader[Symbol.asyncIterator]().return?.()],
		['is cut off', (_, controller) => controller.abort()],
	])('comes when the reader %s, and then nothing is read any more', async (_how, leave) => {
		const { state, seen } = fickle();
		const t = await feedTable({ seen });
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

	test('lets the next one begin where things stand then, without a look at what came before', async () => {
		const { state, seen } = fickle();
		const t = await feedTable({ seen });
		(await t.follow()).leave();
		for (let n = 0; n < 500; n += 1) await t.store.requestCancel('a', (await t.create()).id);
		const { reads } = state;
		const heard = await t.follow();
		expect(state.reads - reads).toBeLessThanOrEqual(3);
		const job = await t.create();
		await t.later('an update', () => heard.updates.length > 0);
		expect(heard.told()).toEqual(lines(['job.queued', job]));
	});
});

describe('the frames of a feed', () => {
	test('are events with type, cursor and the job as it is shown', async () => {
		const t = await feedTable();
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

	test('say why they end early, once', async () => {
		const t = await feedTable();
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

	test('let their reader go when nobody reads even the first', async () => {
		const t = await feedTable();
		const signal = new AbortController().signal;
		const reader = await t.feed.follow({ tenant: 'a', signal });
		await t.feed.events(reader)[Symbol.asyncIterator]().return?.();
		expect(reader.isDone).toBe(true);
	});
});

describe('two processes on one store', () => {
	test('hear of each other within a second, although they share no bus', async () => {
		const one = await feedTable();
		const other = await feedTable({ store: one.store, clock: one.clock });
		const heard = await other.follow();
		const job = await one.create();
		one.hint('job.queued', job);
		const fence = await one.start(job);
		await one.clock.advance(500);
		await settled();
		expect(heard.told()).toEqual(lines(['job.queued', job], ['job.started', job]));
		await one.store.heartbeat(job.id, fence, { progress: 0.5 });
		one.hint('job.progress', job, { progress: 0.5 });
		await one.clock.advance(1_000);
		await settled();
		expect(heard.updates.at(-1)).toMatchObject({ type: 'job.progress', job: { progress: 0.5 } });
	});
});

describe('a store that does not answer', () => {
	test('is named in the log once and asked again, and nobody loses a feed or an update', async () => {
		const { state, seen } = fickle();
		const warnings: string[] = [];
		const log = { ...silentLogger(), warn: (_: object, text: string) => warnings.push(text) };
		const t = await feedTable({ seen, log });
		const job = await t.create();
		const heard = await t.follow();
		await settled();
		state.isAway = true;
		await t.start(job);
		for (let n = 0; n < 5; n += 1) await t.clock.advance(1_000);
		expect(heard.told()).toEqual(lines(['job.state', job]));
		expect(warnings).toHaveLength(1);
		state.isAway = false;
		await t.later('the update', () => heard.updates.length === 2);
		expect(heard.told()[1]).toBe(lines(['job.started', job])[0]);
		state.isAway = true;
		await t.clock.advance(1_000);
		expect(warnings).toHaveLength(2);
	});

	test('refuses who wants to follow, and forgets him', async () => {
		const { state, seen } = fickle();
		const t = await feedTable({ seen });
		state.isAway = true;
		await expect(t.follow()).rejects.toMatchObject({ code: 'E_STORE_UNAVAILABLE' });
		const { reads } = state;
		await t.clock.advance(5_000);
		expect(state.reads).toBe(reads);
	});

	test('that does answer, but not with what can be shown, ends the feed with an error', async () => {
		const view = () => {
			throw new Error('a mistake of the plugin');
		};
		const run = async () => ({ result: {} });
		const t = await feedTable({ definitions: new Map([['video', { run, view }]]) });
		await t.create();
		const heard = await t.follow();
		await settled();
		expect(heard.error).toMatchObject({ message: 'a mistake of the plugin' });
		expect(heard.reader.isDone).toBe(true);
	});

	test('that fails while an update is read tells it later', async () => {
		const { state, seen } = fickle();
		const t = await feedTable({ seen });
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
