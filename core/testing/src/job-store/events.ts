import assert from 'node:assert/strict';
import type { JobCallback } from '@plinth/core';
import { assertRefused, type ConformanceCase } from '../conformance.ts';
import {
	broken,
	claim,
	completed,
	eventsOf,
	type JobCaseContext,
	type JobStoreSubject,
	keyed,
	leaseMs,
	newJob,
	running,
	submit,
	summaries,
	tidyAfter,
	tryTake,
} from './subject.ts';

/** Cases on the event log and its cursors. */
export function eventCases({ it, recordRetentionMs }: JobCaseContext): ConformanceCase[] {
	return [
		it('an event has its type, its job and its time', async (s) => {
			const job = await submit(s);
			const { events } = await s.store.events(undefined, { limit: 10 });
			const { cursor: _cursor, data: _data, ...facts } = events[0] ?? assert.fail('no event');
			assert.deepEqual(facts, {
				type: 'job.queued',
				jobId: job.id,
				kind: 'video',
				tenant: 'acme',
				at: s.clock.now(),
			});
		}),
		it('events of all jobs come in the order of their commits', async (s) => {
			const one = await submit(s);
			const two = await submit(s);
			await tryTake(s, two.id);
			await s.store.requestCancel('acme', one.id);
			assert.deepEqual(summaries(await s.store.events(undefined, { limit: 10 })), [
				`job.queued ${one.id}`,
				`job.queued ${two.id}`,
				`job.started ${two.id}`,
				`job.failed ${one.id}`,
			]);
		}),
		it('a cursor continues where the last page ended', async (s) => {
			const { id } = await completed(s);
			const first = await s.store.events(undefined, { limit: 2 });
			assert.deepEqual(summaries(first), [`job.queued ${id}`, `job.started ${id}`]);
			assert.deepEqual(summaries(await s.store.events(first.cursor, { limit: 2 })), [`job.completed ${id}`]);
		}),
		it('without new events the cursor is returned unchanged', async (s) => {
			await submit(s);
			const { cursor } = await s.store.events(undefined, { limit: 10 });
			assert.deepEqual(await s.store.events(cursor, { limit: 10 }), { events: [], cursor, missed: false });
		}),
		it('a malformed cursor is refused', async (s) => {
			await assertRefused(s.store.events("1' OR 1=1", { limit: 10 }), 'E_VALUE_INVALID');
		}),
		it('events can be read for one job', async (s) => {
			await submit(s);
			const { job } = await running(s);
			const page = await s.store.events(undefined, { jobId: job.id, limit: 10 });
			assert.deepEqual(summaries(page), [`job.queued ${job.id}`, `job.started ${job.id}`]);
		}),
		it('events are kept as long as records', async (s) => {
			await submit(s);
			await tidyAfter(s, recordRetentionMs - 1);
			assert.equal((await s.store.events(undefined, { limit: 10 })).events.length, 1);
		}),
	];
}

/** Cases on the cursor of a reader, and on readers whose next event was trimmed. */
export function cursorCases({ it, recordRetentionMs }: JobCaseContext): ConformanceCase[] {
	/** Trims all events so far: lets more time pass than they are kept. */
	const trim = (s: JobStoreSubject) => tidyAfter(s, recordRetentionMs + 1);
	return [
		it('head is the cursor behind the newest event', async (s) => {
			await completed(s);
			const { cursor } = await s.store.events(undefined, { limit: 10 });
			assert.equal(await s.store.head(), cursor);
			const later = await submit(s);
			assert.deepEqual(summaries(await s.store.events(cursor, { limit: 10 })), [`job.queued ${later.id}`]);
		}),
		it('the head stays where it is when the log is trimmed', async (s) => {
			await submit(s);
			const head = await s.store.head();
			await trim(s);
			assert.equal(await s.store.head(), head);
		}),
		it('a reader that keeps up has missed nothing, whatever is trimmed behind it', async (s) => {
			await submit(s);
			const { cursor } = await s.store.events(undefined, { limit: 10 });
			await trim(s);
			assert.deepEqual(await s.store.events(cursor, { limit: 10 }), { events: [], cursor, missed: false });
			await submit(s);
			assert.equal((await s.store.events(cursor, { limit: 10 })).missed, false);
		}),
		it('a reader whose next event was trimmed has missed something', async (s) => {
			const { cursor } = await s.store.events(undefined, { limit: 10 });
			await submit(s);
			await s.clock.advance(recordRetentionMs);
			const kept = await submit(s);
			await tidyAfter(s, 1);
			const page = await s.store.events(cursor, { limit: 10 });
			assert.deepEqual([page.missed, summaries(page)], [true, [`job.queued ${kept.id}`]]);
			const next = await s.store.events(page.cursor, { limit: 10 });
			assert.deepEqual(next, { events: [], cursor: page.cursor, missed: false });
		}),
		it('a reader has missed something also when the whole log was trimmed', async (s) => {
			await submit(s);
			const { cursor } = await s.store.events(undefined, { limit: 10 });
			await submit(s);
			await trim(s);
			assert.deepEqual(await s.store.events(cursor, { limit: 10 }), { events: [], cursor, missed: true });
		}),
		it('trimmed events count as missed whatever the reader filters by', async (s) => {
			await submit(s);
			const { cursor } = await s.store.events(undefined, { limit: 10 });
			const { id } = await submit(s, { tenant: 'umbrella' });
			await trim(s);
			const acme = await s.store.events(cursor, { tenant: 'acme', limit: 10 });
			const job = await s.store.events(cursor, { jobId: id, limit: 10 });
			assert.deepEqual([acme.missed, job.missed], [true, true]);
		}),
		it('without a cursor nothing is missed', async (s) => {
			await submit(s);
			await trim(s);
			await submit(s);
			const page = await s.store.events(undefined, { limit: 10 });
			assert.deepEqual([page.missed, page.events.length], [false, 1]);
		}),
		it('a cursor beyond the log has missed something, and continues at its head', async (s) => {
			const { job } = await running(s);
			const head = await s.store.head();
			const page = await s.store.events('999999999999', { limit: 10 });
			assert.deepEqual(page, { events: [], cursor: head, missed: true });
			await s.store.remove('acme', job.id);
			const next = await s.store.events(page.cursor, { limit: 10 });
			assert.deepEqual([next.missed, summaries(next)], [false, [`job.deleted ${job.id}`]]);
		}),
		it('the log is trimmed from its start, whatever the clock was set to', async (s) => {
			const young = await submit(s);
			s.clock.jump(-3_600_000);
			const behind = await submit(s);
			await trim(s);
			const page = await s.store.events(undefined, { limit: 10 });
			assert.deepEqual(summaries(page), [`job.queued ${young.id}`, `job.queued ${behind.id}`]);
		}),
	];
}

const callback: JobCallback = {
	url: 'https://client.example/hook?a=1&b=ü',
	secret: 'whsec_c2VjcmV0',
};

/** Cases on the callback in the events of a job's end. */
export function callbackCases({ it }: JobCaseContext): ConformanceCase[] {
	return [
		it('job.completed carries the callback', async (s) => {
			const { job, fence } = await running(s, { callback });
			await s.store.complete(job.id, fence, { result: {}, retentionMs: null });
			assert.deepEqual(await lastFacts(s, job.id), { attempt: 1, callback });
		}),
		it('job.failed carries the callback beside the code', async (s) => {
			const { job, fence } = await running(s, { callback });
			await s.store.fail(job.id, fence, broken);
			assert.deepEqual(await lastFacts(s, job.id), { attempt: 1, code: 'model_error', callback });
		}),
		it('the end of a queued job that was cancelled carries the callback', async (s) => {
			const { id } = await submit(s, { callback });
			await s.store.requestCancel('acme', id);
			assert.deepEqual(await lastFacts(s, id), { attempt: 0, code: 'cancelled', callback });
		}),
		it('an end that happens in a claim carries the callback', async (s) => {
			const cancelled = await running(s, { callback });
			await s.store.requestCancel('acme', cancelled.job.id);
			const exhausted = await running(s, { callback, maxAttempts: 1 });
			await s.clock.advance(leaseMs);
			for (const { job } of [cancelled, exhausted]) {
				assert.equal(await tryTake(s, job.id), null);
				const { callback: actual } = (await lastFacts(s, job.id)) as Record<string, unknown>;
				assert.deepEqual(actual, callback);
			}
		}),
		it('no other event carries the callback, and no record', async (s) => {
			const { job, replayed } = await s.store.create(newJob(s, { callback }));
			assert.deepEqual([replayed, 'callback' in job], [false, false]);
			const first = await claim(s, job.id);
			await s.store.fail(job.id, first.fence, broken, 0);
			const second = await claim(s, job.id);
			await s.store.release(job.id, second.fence);
			for (const answer of [first.job, second.job, await s.store.remove('acme', job.id)]) {
				assert.equal(answer && 'callback' in answer, false);
			}
			const events = await eventsOf(s, job.id);
			assert.equal(events.at(-1)?.type, 'job.deleted');
			for (const { type, data } of events) assert.equal('callback' in data, false, type);
		}),
		it('a repeated create keeps the callback of the first', async (s) => {
			const idempotency = keyed('k');
			const { job } = await s.store.create(newJob(s, { callback }), { idempotency });
			const other = { url: 'https://other.example', secret: null };
			await s.store.create(newJob(s, { callback: other }), { idempotency });
			await s.store.requestCancel('acme', job.id);
			assert.deepEqual(await lastFacts(s, job.id), { attempt: 0, code: 'cancelled', callback });
		}),
	];
}

async function lastFacts(s: JobStoreSubject, jobId: string) {
	return (await eventsOf(s, jobId)).at(-1)?.data;
}
