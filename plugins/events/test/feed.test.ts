import type { JobDefinition } from '@plinth/core';
import { describe, expect, test } from 'vitest';
import { withMethods } from '../../../core/kernel/test/jobs/harness.ts';
import { createFeedHarness, linesOf, nextTurns } from './feed-harness.ts';

describe('a feed of one job', () => {
	test('begins with the state and has all events up to the end, in order', async () => {
		const t = await createFeedHarness();
		const job = await t.create();
		const received = await t.follow({ jobId: job.id });
		await nextTurns();
		expect(received.lines()).toEqual(linesOf(['job.state', job]));
		const fence = await t.start(job);
		await t.complete(job, fence);
		await t.later('the end', () => received.isOver);
		expect(received.lines()).toEqual(linesOf(['job.state', job], ['job.started', job], ['job.completed', job]));
		expect(received.updates.at(-1)?.job?.status).toBe('completed');
		expect([received.reader.endReason, received.reader.isDone]).toEqual([undefined, true]);
	});

	test('has only the state when the job has ended, and ends', async () => {
		const t = await createFeedHarness();
		const job = await t.create();
		await t.store.requestCancel('a', job.id);
		const received = await t.follow({ jobId: job.id });
		await nextTurns();
		expect([received.lines(), received.isOver]).toEqual([linesOf(['job.state', job]), true]);
		expect(received.updates[0]?.job?.error?.code).toBe('cancelled');
	});

	test('ends when the job is removed, and shows the remaining data', async () => {
		const t = await createFeedHarness();
		const job = await t.create();
		const received = await t.follow({ jobId: job.id });
		await nextTurns();
		await t.store.remove('a', job.id);
		await t.later('the end', () => received.isOver);
		const { type, job: left, view } = received.updates.at(-1) ?? {};
		expect([type, left]).toEqual(['job.deleted', null]);
		expect(view).toEqual({ id: job.id, object: 'video.deleted', deleted: true });
	});

	test('has no events of other jobs', async () => {
		const t = await createFeedHarness();
		const [job, other] = [await t.create(), await t.create()];
		const received = await t.follow({ jobId: job.id });
		await t.start(other);
		await t.start(job);
		await t.later('the start', () => received.updates.length === 2);
		expect(received.lines()).toEqual(linesOf(['job.state', job], ['job.started', job]));
	});

	test.each([
		['unknown', {}],
		["another tenant's", { tenant: 'b' }],
		['of another kind', { kind: 'speech' }],
	])('is rejected when it is %s', async (_case, changes) => {
		const t = await createFeedHarness();
		const { id } = await t.create(changes);
		const jobId = Object.keys(changes).length === 0 ? `${id}0` : id;
		const request = t.follow({ jobId, kind: 'video' });
		await expect(request).rejects.toMatchObject({ code: 'E_JOB_NOT_FOUND' });
	});
});

describe('a feed of a tenant', () => {
	test('begins with pending jobs, oldest first, and then has the cursor to resume from', async () => {
		const t = await createFeedHarness({
			definitions: new Map([
				['video', { run: async () => ({ result: {} }) }],
				['speech', { run: async () => ({ result: {} }) }],
			]),
		});
		const first = await t.create({ kind: 'speech' });
		await t.clock.advance(1);
		const second = await t.create();
		await t.start(second);
		const ended = await t.create();
		await t.store.requestCancel('a', ended.id);
		await t.create({ tenant: 'b' });
		const received = await t.follow();
		await nextTurns();
		expect(received.lines()).toEqual(linesOf(['job.state', first], ['job.state', second]));
		expect(received.updates.map(({ cursor }) => cursor)).toEqual([undefined, undefined]);
		expect(received.ready).toMatchObject([
			{ behind: 2, update: { cursor: await t.store.head(), job: null, view: {} } },
		]);
		expect(received.updates[1]?.job?.status).toBe('in_progress');
	});

	test('has a cursor when no job is pending, from which jobs that ended later are found', async () => {
		const t = await createFeedHarness();
		await t.create({ tenant: 'b' });
		const before = await t.follow({ kind: 'video' });
		await nextTurns();
		before.abort();
		const job = await t.create();
		await t.store.requestCancel('a', job.id);
		const cursor = before.ready[0]?.update.cursor as string;
		expect([before.updates, cursor]).toEqual([[], expect.any(String)]);
		const received = await t.follow({ after: cursor });
		await nextTurns();
		expect(received.lines()).toEqual(linesOf(['job.queued', job], ['job.failed', job]));
		expect(received.ready).toEqual([]);
	});

	test('has the events of all its jobs, and of no others', async () => {
		const t = await createFeedHarness();
		const received = await t.follow();
		const [own, foreign] = [await t.create(), await t.create({ tenant: 'b' })];
		await t.start(foreign);
		await t.start(own);
		await t.later('the start', () => received.updates.length === 2);
		expect(received.lines()).toEqual(linesOf(['job.queued', own], ['job.started', own]));
	});

	test('does not repeat what is in the state', async () => {
		const t = await createFeedHarness();
		await t.follow();
		await nextTurns();
		// The log is next read when the poll for the first feed is due.
		const job = await t.create();
		await t.start(job);
		const received = await t.follow();
		await t.clock.advance(1_000);
		await nextTurns();
		expect(received.lines()).toEqual(linesOf(['job.state', job]));
	});

	test('can be limited to one kind', async () => {
		const t = await createFeedHarness();
		const speech = await t.create({ kind: 'speech' });
		const received = await t.follow({ kind: 'speech' });
		await t.create();
		await t.start(speech);
		await t.later('the start', () => received.updates.length === 2);
		expect(received.lines()).toEqual(linesOf(['job.state', speech], ['job.started', speech]));
	});

	test('receives the events of a hint immediately', async () => {
		const t = await createFeedHarness();
		const received = await t.follow();
		const job = await t.create();
		t.hint('job.queued', job);
		await nextTurns();
		expect(received.lines()).toEqual(linesOf(['job.queued', job]));
	});

	test('reads the record when an update is consumed, not earlier', async () => {
		const t = await createFeedHarness();
		const controller = new AbortController();
		const reader = await t.feed.follow({ tenant: 'a', signal: controller.signal });
		const job = await t.create();
		t.hint('job.queued', job);
		await nextTurns();
		await t.start(job);
		const updates = reader[Symbol.asyncIterator]();
		expect((await updates.next()).value?.type).toBe('stream.ready');
		expect((await updates.next()).value).toMatchObject({
			type: 'job.queued',
			job: { status: 'in_progress' },
		});
		controller.abort();
	});

	test('shows a job in the view of its plugin, or by default the common members', async () => {
		const own: JobDefinition = {
			run: async () => ({ result: {} }),
			view: ({ id, status }) => ({ title: `${id} is ${status}` }),
		};
		const t = await createFeedHarness({ definitions: new Map([['video', own]]) });
		const [shown, plain] = [await t.create(), await t.create({ kind: 'other' })];
		const received = await t.follow({ jobId: shown.id });
		const other = await t.follow({ jobId: plain.id });
		await nextTurns();
		expect(received.updates[0]?.view).toEqual({ title: `${shown.id} is queued` });
		expect(other.updates[0]?.view).toEqual({
			id: plain.id,
			object: 'other',
			model: plain.model,
			status: 'queued',
			progress: 0,
			created_at: Math.floor(plain.createdAt / 1000),
			completed_at: null,
			expires_at: null,
			failure: null,
		});
	});

	test('knows the kinds of all plugins at the time of the request', async () => {
		const definitions = new Map<string, JobDefinition>();
		const { feed } = await createFeedHarness({ definitions });
		definitions.set('speech', { run: async () => ({ result: {} }) });
		expect(feed.kinds()).toEqual(['speech']);
	});
});

describe('a feed that resumes', () => {
	test('has the events since its cursor, once, and no state', async () => {
		const t = await createFeedHarness();
		const old = await t.create();
		const after = await t.store.head();
		const job = await t.create();
		const following = t.follow({ after });
		const fence = await t.start(job);
		t.hint('job.started', job);
		const received = await following;
		await t.complete(job, fence);
		await t.later('the end', () => received.updates.length >= 3);
		await nextTurns();
		expect(received.lines()).toEqual(linesOf(['job.queued', job], ['job.started', job], ['job.completed', job]));
		expect(received.updates.some(({ jobId }) => jobId === old.id)).toBe(false);
	});

	test.each([
		['a hint', true],
		['no hint', false],
	])('has each event once when events occur while it starts, with %s', async (_case, isHinted) => {
		const meanwhile: { act?: (() => Promise<void>) | undefined } = {};
		const t = await createFeedHarness({
			wrapStore: (store) =>
				withMethods(store, {
					async events(cursor, query) {
						const { act } = meanwhile;
						if (query.tenant !== undefined) {
							meanwhile.act = undefined;
							await act?.();
						}
						return store.events(cursor, query);
					},
				}),
		});
		const job = await t.create();
		meanwhile.act = async () => {
			await t.start(job);
			if (isHinted) t.hint('job.started', job);
			await nextTurns();
		};
		const received = await t.follow({ after: '0' });
		await t.clock.advance(1_000);
		await nextTurns();
		expect(received.lines()).toEqual(linesOf(['job.queued', job], ['job.started', job]));
	});

	test('continues after each cursor that it has sent, without gap or repeat', async () => {
		const t = await createFeedHarness();
		const jobs = [await t.create(), await t.create(), await t.create()];
		const whole = await t.follow({ after: '0' });
		for (const job of jobs) await t.complete(job, await t.start(job));
		await t.later('nine updates', () => whole.updates.length === 9);
		for (const [index, { cursor }] of whole.updates.entries()) {
			const rest = await t.follow({ after: cursor });
			await nextTurns();
			expect(rest.lines()).toEqual(whole.lines().slice(index + 1));
			rest.abort();
		}
	});

	test('ends immediately when the job has ended and all its events were sent', async () => {
		const t = await createFeedHarness();
		const job = await t.create();
		await t.complete(job, await t.start(job));
		const received = await t.follow({ jobId: job.id, after: await t.store.head() });
		expect([received.reader.isDone, received.reader.endReason]).toEqual([true, undefined]);
		await nextTurns();
		expect(received.updates).toEqual([]);
	});

	test('has the removal of a job that no longer exists', async () => {
		const t = await createFeedHarness();
		const job = await t.create();
		const after = await t.store.head();
		await t.store.remove('a', job.id);
		const received = await t.follow({ jobId: job.id, kind: 'video', after });
		await nextTurns();
		expect([received.lines(), received.isOver]).toEqual([linesOf(['job.deleted', job]), true]);
		const foreign = t.follow({ tenant: 'b', jobId: job.id, after });
		await expect(foreign).rejects.toMatchObject({ code: 'E_JOB_NOT_FOUND' });
		const reported = t.follow({ jobId: job.id, after: await t.store.head() });
		await expect(reported).rejects.toMatchObject({ code: 'E_JOB_NOT_FOUND' });
	});

	test.each([false, true])('has only the removal of a removed job (one job: %s)', async (isOne) => {
		const t = await createFeedHarness();
		const job = await t.create();
		await t.complete(job, await t.start(job));
		await t.store.remove('a', job.id);
		const received = await t.follow({ after: '0', ...(isOne ? { jobId: job.id } : {}) });
		await nextTurns();
		expect([received.lines(), received.isOver]).toEqual([linesOf(['job.deleted', job]), isOne]);
	});

	test('is rejected when the log lacks the removal of a job without a record', async () => {
		const gone = { get: async () => null };
		const t = await createFeedHarness({ wrapStore: (store) => withMethods(store, gone) });
		const job = await t.create();
		const request = t.follow({ jobId: job.id, after: '0' });
		await expect(request).rejects.toMatchObject({ code: 'E_JOB_NOT_FOUND' });
	});

	test('has the state when events were trimmed', async () => {
		const t = await createFeedHarness();
		await t.create();
		const after = '0';
		await t.clock.advance(8 * 86_400_000);
		await t.store.tidy();
		const job = await t.create();
		await t.start(job);
		const received = await t.follow({ after });
		await nextTurns();
		expect(received.lines().at(-1)).toEqual(`job.state ${job.id.split('_')[1]}`);
		expect(received.updates.every(({ type }) => type === 'job.state')).toBe(true);
		expect(received.ready).toHaveLength(1);
	});

	test('repeats up to 1,000 events, and has the state beyond that', async () => {
		const t = await createFeedHarness();
		for (let n = 0; n < 500; n += 1) await t.store.requestCancel('a', (await t.create()).id);
		const whole = await t.follow({ after: '0' });
		await nextTurns();
		expect(whole.updates).toHaveLength(1_000);
		const job = await t.create();
		const other = await t.follow({ after: '0' });
		await nextTurns();
		expect(other.lines()).toEqual(linesOf(['job.state', job]));
	});

	test.each(['x', "1' OR", '-1', '1e3'])('rejects the cursor %j', async (after) => {
		const t = await createFeedHarness();
		await expect(t.follow({ after })).rejects.toMatchObject({
			code: 'E_VALUE_INVALID',
			param: 'Last-Event-ID',
		});
	});
});
