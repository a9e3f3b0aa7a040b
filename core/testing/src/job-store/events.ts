import assert from 'node:assert/strict';
import { isPlinthError, type JobCallback, type JobEvent } from '@plinth/core';
import type { ConformanceCase } from '../conformance.ts';
import {
	broken,
	claim,
	completed,
	type JobCaseContext,
	type JobStoreSubject,
	leaseMs,
	newJob,
	running,
	submit,
	tryTake,
} from './subject.ts';

/** The event log and its cursors. */
export function eventCases({ it, recordRetentionMs }: JobCaseContext): ConformanceCase[] {
	return [
		it('an event tells what happened to which job, and when', async (s) => {
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
			const { events } = await s.store.events(undefined, { limit: 10 });
			assert.deepEqual(
				events.map(({ type, jobId }) => [type, jobId]),
				[
					['job.queued', one.id],
					['job.queued', two.id],
					['job.started', two.id],
					['job.failed', one.id],
				],
			);
		}),
		it('a cursor continues where the last page ended', async (s) => {
			await completed(s);
			const first = await s.store.events(undefined, { limit: 2 });
			const second = await s.store.events(first.cursor, { limit: 2 });
			assert.deepEqual(
				[...first.events, ...second.events].map(({ type }) => type),
				['job.queued', 'job.started', 'job.completed'],
			);
		}),
		it('with nothing new the answer repeats the cursor', async (s) => {
			await submit(s);
			const { cursor } = await s.store.events(undefined, { limit: 10 });
			const nothing = { events: [], cursor, missed: false };
			assert.deepEqual(await s.store.events(cursor, { limit: 10 }), nothing);
		}),
		it('a malformed cursor is refused', async (s) => {
			await assert.rejects(
				s.store.events("1' OR 1=1", { limit: 10 }),
				(error) => isPlinthError(error) && error.code === 'E_VALUE_INVALID',
			);
		}),
		it('events can be read for one job', async (s) => {
			await submit(s);
			const { job } = await running(s);
			const { events } = await s.store.events(undefined, { jobId: job.id, limit: 10 });
			assert.deepEqual(
				events.map(({ type }) => type),
				['job.queued', 'job.started'],
			);
		}),
		it('events are kept as long as records', async (s) => {
			await submit(s);
			await s.clock.advance(recordRetentionMs - 1);
			await s.store.tidy();
			assert.equal((await s.store.events(undefined, { limit: 10 })).events.length, 1);
		}),
	];
}

function _fact(event: JobEvent | undefined, name: string): unknown {
	return (event?.data as Record<string, unknown> | undefined)?.[name];
}

/** Where a reader of the log stands, and what it is told when its place is gone. */
export function cursorCases({ it, recordRetentionMs }: JobCaseContext): ConformanceCase[] {
	return [
		it('head is the cursor behind the newest event', async (s) => {
			await completed(s);
			const { cursor } = await s.store.events(undefined, { limit: 10 });
			assert.equal(await s.store.head(), cursor);
			const later = await submit(s);
			const { events } = await s.store.events(cursor, { limit: 10 });
			assert.deepEqual(
				events.map(({ jobId }) => jobId),
				[later.id],
			);
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
			const nothing = { events: [], cursor, missed: false };
			assert.deepEqual(await s.store.events(cursor, { limit: 10 }), nothing);
			await submit(s);
			assert.equal((await s.store.events(cursor, { limit: 10 })).missed, false);
		}),
		it('a reader whose next event was trimmed has missed something', async (s) => {
			const { cursor } = await s.store.events(undefined, { limit: 10 });
			await submit(s);
			await s.clock.advance(recordRetentionMs);
			const kept = await submit(s);
			await s.clock.advance(1);
			await s.store.tidy();
			const page = await s.store.events(cursor, { limit: 10 });
			assert.deepEqual([page.missed, page.events.map(({ jobId }) => jobId)], [true, [kept.id]]);
			const next = await s.store.events(page.cursor, { limit: 10 });
			assert.deepEqual(next, { events: [], cursor: page.cursor, missed: false });
		}),
		it('a reader has missed something also when the whole log was trimmed', async (s) => {
			await submit(s);
			const { cursor } = await s.store.events(undefined, { limit: 10 });
			await submit(s);
			await trim(s);
			assert.deepEqual(await s.store.events(cursor, { limit: 10 }), {
				events: [],
				cursor,
				missed: true,
			});
		}),
		it('what was trimmed counts whatever the reader asks for', async (s) => {
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
		it('a cursor beyond the log has missed something, and goes on at its head', async (s) => {
			const { job } = await running(s);
			const head = await s.store.head();
			const page = await s.store.events('999999999999', { limit: 10 });
			assert.deepEqual(page, { events: [], cursor: head, missed: true });
			await s.store.remove('acme', job.id);
			const next = await s.store.events(page.cursor, { limit: 10 });
			assert.deepEqual([next.missed, next.events.map(({ type }) => type)], [false, ['job.deleted']]);
		}),
		it('the log is trimmed from its start, whatever the clock was set to', async (s) => {
			const young = await submit(s);
			s.clock.jump(-3_600_000);
			const behind = await submit(s);
			await s.clock.advance(recordRetentionMs + 1);
			await s.store.tidy();
			const { events } = await s.store.events(undefined, { limit: 10 });
			assert.deepEqual(
				events.map(({ jobId }) => jobId),
				[young.id, behind.id],
			);
		}),
	];

	/** Lets everything that has happened so far grow older than it is kept. */
	async function trim(s: JobStoreSubject): Promise<void> {
		await s.clock.advance(recordRetentionMs + 1);
		await s.store.tidy();
	}
}

const callback: JobCallback = {
	url: 'https://client.example/hook?a=1&b=ü',
	secret: 'whsec_c2VjcmV0',
};

/** Whom the events of a job's end name. */
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
			assert.deepEqual(await lastFacts(s, job.id), {
				attempt: 1,
				code: 'model_error',
				callback,
			});
		}),
		it('the end of a queued job that was cancelled carries the callback', async (s) => {
			const { id } = await submit(s, { callback });
			await s.store.requestCancel('acme', id);
			assert.deepEqual(await lastFacts(s, id), { attempt: 0, code: 'cancelled', callback });
		}),
		it('an end that claim decides carries the callback', async (s) => {
			const cancelled = await running(s, { callback });
			await s.store.requestCancel('acme', cancelled.job.id);
			const exhausted = await running(s, { callback, maxAttempts: 1 });
			await s.clock.advance(leaseMs);
			for (const { job } of [cancelled, exhausted]) {
				assert.equal(await tryTake(s, job.id), null);
				const { callback: told } = (await lastFacts(s, job.id)) as Record<string, unknown>;
				assert.deepEqual(told, callback);
			}
		}),
		it('no other event carries the callback, and no record', async (s) => {
			const { job, replayed } = await s.store.create(newJob(s, { callback }));
			assert.deepEqual([replayed, 'callback' in job], [false, false]);
			const first = await claim(s, job.id);
			await s.store.fail(job.id, first.fence, broken, 0);
			const second = await claim(s, job.id);
			await s.store.release(job.id, second.fence);
			const claims = [first.job, second.job, await s.store.remove('acme', job.id)];
			assert.deepEqual(
				claims.map((told) => told && 'callback' in told),
				[false, false, false],
			);
			const events = await eventsOf(s, job.id);
			assert.equal(events.at(-1)?.type, 'job.deleted');
			for (const { type, data } of events) assert.equal('callback' in data, false, type);
		}),
		it('a repeated create keeps the callback of the first', async (s) => {
			const idempotency = { key: 'k', fingerprint: 'f', retry: 0 };
			const { job } = await s.store.create(newJob(s, { callback }), { idempotency });
			const other = { url: 'https://other.example', secret: null };
			await s.store.create(newJob(s, { callback: other }), { idempotency });
			await s.store.requestCancel('acme', job.id);
			const facts = { attempt: 0, code: 'cancelled', callback };
			assert.deepEqual(await lastFacts(s, job.id), facts);
		}),
	];
}

async function eventsOf(s: JobStoreSubject, jobId: string): Promise<readonly JobEvent[]> {
	return (await s.store.events(undefined, { jobId, limit: 100 })).events;
}

async function lastFacts(s: JobStoreSubject, jobId: string) {
	return (await eventsOf(s, jobId)).at(-1)?.data;
}
