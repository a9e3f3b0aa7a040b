import type { JobDefinition } from '@plinth/core';
import { describe, expect, test } from 'vitest';
import { withMethods } from '../../../core/kernel/test/jobs/harness.ts';
import { feedTable, lines, settled } from './feed-harness.ts';

describe('a feed of one job', () => {
	test('begins with its state and tells everything up to its end, in order', async () => {
		const t = await feedTable();
		const job = await t.create();
		const heard = await t.follow({ jobId: job.id });
		await settled();
		expect(heard.told()).toEqual(lines(['job.state', job]));
		const fence = await t.start(job);
		await t.complete(job, fence);
		await t.later('the end', () => heard.isOver);
		expect(heard.told()).toEqual(lines(['job.state', job], ['job.started', job], ['job.completed', job]));
		expect(heard.updates.at(-1)?.job?.status).toBe('completed');
		expect([heard.reader.endReason, heard.reader.isDone]).toEqual([undefined, true]);
	});

	test('that has ended tells its state, and ends', async () => {
		const t = await feedTable();
		const job = await t.create();
		await t.store.requestCancel('a', job.id);
		const heard = await t.follow({ jobId: job.id });
		await settled();
		expect([heard.told(), heard.isOver]).toEqual([lines(['job.state', job]), true]);
		expect(heard.updates[0]?.job?.error?.code).toBe('cancelled');
	});

	test('ends with its removal, and shows what is left of it', async () => {
		const t = await feedTable();
		const job = await t.create();
		const heard = await t.follow({ jobId: job.id });
		await settled();
		await t.store.remove('a', job.id);
		await t.later('the end', () => heard.isOver);
		const { type, job: left, view } = heard.updates.at(-1) ?? {};
		expect([type, left]).toEqual(['job.deleted', null]);
		expect(view).toEqual({ id: job.id, object: 'video.deleted', deleted: true });
	});

	test('tells nothing of others', async () => {
		const t = await feedTable();
		const [job, other] = [await t.create(), await t.create()];
		const heard = await t.follow({ jobId: job.id });
		await t.start(other);
		await t.start(job);
		await t.later('the start', () => heard.updates.length === 2);
		expect(heard.told()).toEqual(lines(['job.state', job], ['job.started', job]));
	});

	test.each([
		['unknown', {}],
		["another tenant's", { tenant: 'b' }],
		['of another kind', { kind: 'speech' }],
	])('is refused when it is %s', async (_case, changes) => {
		const t = await feedTable();
		const { id } = await t.create(changes);
		const jobId = Object.keys(changes).length === 0 ? `${id}0` : id;
		const asked = t.follow({ jobId, kind: 'video' });
		await expect(asked).rejects.toMatchObject({ code: 'E_JOB_NOT_FOUND' });
	});
});

describe('a feed of a tenant', () => {
	test('begins with what waits or runs, the oldest first, and then says where to go on', async () => {
		const t = await feedTable({
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
		const heard = await t.follow();
		await settled();
		expect(heard.told()).toEqual(lines(['job.state', first], ['job.state', second]));
		expect(heard.updates.map(({ cursor }) => cursor)).toEqual([undefined, undefined]);
		expect(heard.ready).toMatchObject([{ behind: 2, update: { cursor: await t.store.head(), job: null, view: {} } }]);
		expect(heard.updates[1]?.job?.status).toBe('in_progress');
	});

	test('says where to go on when nothing waits or runs, and leads on to what ended meanwhile', async () => {
		const t = await feedTable();
		await t.create({ tenant: 'b' });
		const before = await t.follow({ kind: 'video' });
		await settled();
		before.leave();
		const job = await t.create();
		await t.store.requestCancel('a', job.id);
		const cursor = before.ready[0]?.update.cursor as string;
		expect([before.updates, cursor]).toEqual([[], expect.any(String)]);
		const heard = await t.follow({ after: cursor });
		await settled();
		expect(heard.told()).toEqual(lines(['job.queued', job], ['job.failed', job]));
		expect(heard.ready).toEqual([]);
	});

	test('tells what happens to all its jobs, and to no others', async () => {
		const t = await feedTable();
		const heard = await t.follow();
		const [own, foreign] = [await t.create(), await t.create({ tenant: 'b' })];
		await t.start(foreign);
		await t.start(own);
		await t.later('the start', () => heard.updates.length === 2);
		expect(heard.told()).toEqual(lines(['job.queued', own], ['job.started', own]));
	});

	test('does not tell what is in the state already', async () => {
		const t = await feedTable();
		await t.follow();
		await settled();
		// The log is read on for the first one only when it is time to.
		const job = await t.create();
		await t.start(job);
		const heard = await t.follow();
		await t.clock.advance(1_000);
		await settled();
		expect(heard.told()).toEqual(lines(['job.state', job]));
	});

	test('may be of one kind', async () => {
		const t = await feedTable();
		const speech = await t.create({ kind: 'speech' });
		const heard = await t.follow({ kind: 'speech' });
		await t.create();
		await t.start(speech);
		await t.later('the start', () => heard.updates.length === 2);
		expect(heard.told()).toEqual(lines(['job.state', speech], ['job.started', speech]));
	});

	test('hears of what a hint says without waiting', async () => {
		const t = await feedTable();
		const heard = await t.follow();
		const job = await t.create();
		t.hint('job.queued', job);
		await settled();
		expect(heard.told()).toEqual(lines(['job.queued', job]));
	});

	test('reads the record when an update is taken, not before', async () => {
		const t = await feedTable();
		const controller = new AbortController();
		const reader = await t.feed.follow({ tenant: 'a', signal: controller.signal });
		const job = await t.create();
		t.hint('job.queued', job);
		await settled();
		await t.start(job);
		const updates = reader[Symbol.asyncIterator]();
		expect((await updates.next()).value?.type).toBe('stream.ready');
		expect((await updates.next()).value).toMatchObject({
			type: 'job.queued',
			job: { status: 'in_progress' },
		});
		controller.abort();
	});

	test('shows a job as its plugin does, or what every job has', async () => {
		const own: JobDefinition = {
			run: async () => ({ result: {} }),
			view: ({ id, status }) => ({ title: `${id} is ${status}` }),
		};
		const t = await feedTable({ definitions: new Map([['video', own]]) });
		const [shown, plain] = [await t.create(), await t.create({ kind: 'other' })];
		const heard = await t.follow({ jobId: shown.id });
		const other = await t.follow({ jobId: plain.id });
		await settled();
		expect(heard.updates[0]?.view).toEqual({ title: `${shown.id} is queued` });
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

	test('names the kinds that plugins run, as they are when it is asked', async () => {
		const definitions = new Map<string, JobDefinition>();
		const { feed } = await feedTable({ definitions });
		definitions.set('speech', { run: async () => ({ result: {} }) });
		expect(feed.kinds()).toEqual(['speech']);
	});
});

describe('a feed that goes on', () => {
	test('tells what happened since, once, and no state', async () => {
		const t = await feedTable();
		const old = await t.create();
		const after = await t.store.head();
		const job = await t.create();
		const following = t.follow({ after });
		const fence = await t.start(job);
		t.hint('job.started', job);
		const heard = await following;
		await t.complete(job, fence);
		await t.later('the end', () => heard.updates.length >= 3);
		await settled();
		expect(heard.told()).toEqual(lines(['job.queued', job], ['job.started', job], ['job.completed', job]));
		expect(heard.updates.some(({ jobId }) => jobId === old.id)).toBe(false);
	});

	test.each([
		['a hint', true],
		['no hint', false],
	])('tells once what happens while it begins, with %s', async (_case, isHinted) => {
		const meanwhile: { act?: (() => Promise<void>) | undefined } = {};
		const t = await feedTable({
			seen: (store) =>
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
			await settled();
		};
		const heard = await t.follow({ after: '0' });
		await t.clock.advance(1_000);
		await settled();
		expect(heard.told()).toEqual(lines(['job.queued', job], ['job.started', job]));
	});

	test('goes on behind every cursor that it has told, without gap or repeat', async () => {
		const t = await feedTable();
		const jobs = [await t.create(), await t.create(), await t.create()];
		const whole = await t.follow({ after: '0' });
		for (const job of jobs) await t.complete(job, await t.start(job));
		await t.later('nine updates', () => whole.updates.length === 9);
		for (const [index, { cursor }] of whole.updates.entries()) {
			const rest = await t.follow({ after: cursor });
			await settled();
			expect(rest.told()).toEqual(whole.told().slice(index + 1));
			rest.leave();
		}
	});

	test('is over at once when the job had ended, and all of that was told', async () => {
		const t = await feedTable();
		const job = await t.create();
		await t.complete(job, await t.start(job));
		const heard = await t.follow({ jobId: job.id, after: await t.store.head() });
		expect([heard.reader.isDone, heard.reader.endReason]).toEqual([true, undefined]);
		await settled();
		expect(heard.updates).toEqual([]);
	});

	test('tells the removal of a job that is gone by now', async () => {
		const t = await feedTable();
		const job = await t.create();
		const after = await t.store.head();
		await t.store.remove('a', job.id);
		const heard = await t.follow({ jobId: job.id, kind: 'video', after });
		await settled();
		expect([heard.told(), heard.isOver]).toEqual([lines(['job.deleted', job]), true]);
		const foreign = t.follow({ tenant: 'b', jobId: job.id, after });
		await expect(foreign).rejects.toMatchObject({ code: 'E_JOB_NOT_FOUND' });
		const told = t.follow({ jobId: job.id, after: await t.store.head() });
		await expect(told).rejects.toMatchObject({ code: 'E_JOB_NOT_FOUND' });
	});

	test('tells the state where events have been trimmed', async () => {
		const t = await feedTable();
		await t.create();
		const after = '0';
		await t.clock.advance(8 * 86_400_000);
		await t.store.tidy();
		const job = await t.create();
		await t.start(job);
		const heard = await t.follow({ after });
		await settled();
		expect(heard.told().at(-1)).toEqual(`job.state ${job.id.split('_')[1]}`);
		expect(heard.updates.every(({ type }) => type === 'job.state')).toBe(true);
		expect(heard.ready).toHaveLength(1);
	});

	test('tells up to 1,000 events again, and the state where there are more', async () => {
		const t = await feedTable();
		for (let n = 0; n < 500; n += 1) await t.store.requestCancel('a', (await t.create()).id);
		const whole = await t.follow({ after: '0' });
		await settled();
		expect(whole.updates).toHaveLength(1_000);
		const job = await t.create();
		const other = await t.follow({ after: '0' });
		await settled();
		expect(other.told()).toEqual(lines(['job.state', job]));
	});

	test.each(['x', "1' OR", '-1', '1e3'])('refuses the cursor %j', async (after) => {
		const t = await feedTable();
		await expect(t.follow({ after })).rejects.toMatchObject({
			code: 'E_VALUE_INVALID',
			param: 'Last-Event-ID',
		});
	});
});
