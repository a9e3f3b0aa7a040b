import assert from 'node:assert/strict';
import type { JobEvent } from '@plinth/core';
import { isPlinthError } from '@plinth/core';
import type { ConformanceCase } from '../conformance.ts';
import {
	broken,
	completed,
	type JobCaseContext,
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
		it('job.started carries the attempt', async (s) => {
			await running(s);
			const { events } = await s.store.events(undefined, { limit: 10 });
			assert.equal(fact(events[1], 'attempt'), 1);
		}),
		it('job.failed carries the code', async (s) => {
			const { job, fence } = await running(s);
			await s.store.fail(job.id, fence, broken);
			const { events } = await s.store.events(undefined, { limit: 10 });
			assert.equal(fact(events.at(-1), 'code'), 'model_error');
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
		it("an event's own cursor continues behind that event", async (s) => {
			await completed(s);
			const { events } = await s.store.events(undefined, { limit: 10 });
			const rest = await s.store.events(events[0]?.cursor, { limit: 10 });
			assert.deepEqual(rest.events, events.slice(1));
		}),
		it('a cursor at the end sees what comes later', async (s) => {
			await submit(s);
			const { cursor } = await s.store.events(undefined, { limit: 10 });
			const later = await submit(s);
			const { events } = await s.store.events(cursor, { limit: 10 });
			assert.deepEqual(
				events.map(({ jobId }) => jobId),
				[later.id],
			);
		}),
		it('with nothing new the answer repeats the cursor', async (s) => {
			await submit(s);
			const { cursor } = await s.store.events(undefined, { limit: 10 });
			const nothing = { events: [], cursor, missed: false };
			assert.deepEqual(await s.store.events(cursor, { limit: 10 }), nothing);
		}),
		it('a cursor taken from an empty log sees the first event', async (s) => {
			const { cursor } = await s.store.events(undefined, { limit: 10 });
			await submit(s);
			assert.equal((await s.store.events(cursor, { limit: 10 })).events.length, 1);
		}),
		it('a malformed cursor is refused', async (s) => {
			await assert.rejects(
				s.store.events("1' OR 1=1", { limit: 10 }),
				(error) => isPlinthError(error) && error.code === 'E_VALUE_INVALID',
			);
		}),
		it('events can be read for one tenant', async (s) => {
			await submit(s);
			const other = await submit(s, { tenant: 'umbrella' });
			const { events } = await s.store.events(undefined, { tenant: 'umbrella', limit: 10 });
			assert.deepEqual(
				events.map(({ jobId }) => jobId),
				[other.id],
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
		it('a job filter does not open another tenant', async (s) => {
			const { id } = await submit(s);
			const query = { tenant: 'umbrella', jobId: id, limit: 10 };
			assert.deepEqual((await s.store.events(undefined, query)).events, []);
		}),
		it('a filter and a cursor work together', async (s) => {
			const { job } = await running(s);
			await running(s);
			const query = { jobId: job.id, limit: 1 };
			const first = await s.store.events(undefined, query);
			const second = await s.store.events(first.cursor, query);
			assert.deepEqual(
				second.events.map(({ type, jobId }) => [type, jobId]),
				[['job.started', job.id]],
			);
		}),
		it('events of a removed job can still be read', async (s) => {
			const { id } = await submit(s);
			await s.store.remove('acme', id);
			await s.store.swept(await s.store.sweep(10));
			const { events } = await s.store.events(undefined, { jobId: id, limit: 10 });
			assert.equal(events.length, 2);
		}),
		it('events are kept as long as records', async (s) => {
			await submit(s);
			await s.clock.advance(recordRetentionMs - 1);
			await s.store.tidy();
			assert.equal((await s.store.events(undefined, { limit: 10 })).events.length, 1);
		}),
		it('a cursor older than the log reads what is left', async (s) => {
			await submit(s);
			const { cursor } = await s.store.events(undefined, { limit: 10 });
			await submit(s);
			await s.clock.advance(recordRetentionMs + 1);
			const late = await submit(s);
			await s.store.tidy();
			const { events } = await s.store.events(cursor, { limit: 10 });
			assert.equal(events.at(-1)?.jobId, late.id);
		}),
		it('concurrent transitions leave no gap that a reader could skip', async (s) => {
			const seen: string[] = [];
			let cursor: string | undefined;
			const jobs = Array.from({ length: 20 }, () => newJob(s));
			const writes = jobs.map((job) => s.store.create(job));
			while (seen.length < jobs.length) {
				const page = await s.store.events(cursor, { limit: 3 });
				seen.push(...page.events.map(({ jobId }) => jobId));
				if (page.events.length === 0) await Promise.all(writes);
				cursor = page.cursor;
			}
			assert.deepEqual([...seen].sort(), jobs.map(({ id }) => id).sort());
		}),
	];
}

function fact(event: JobEvent | undefined, name: string): unknown {
	return (event?.data as Record<string, unknown> | undefined)?.[name];
}
