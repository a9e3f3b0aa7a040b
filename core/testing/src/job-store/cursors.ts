import assert from 'node:assert/strict';
import type { ConformanceCase } from '../conformance.ts';
import {
	completed,
	type JobCaseContext,
	type JobStoreSubject,
	running,
	submit,
} from './subject.ts';

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
		it('the head of an empty log sees the first event', async (s) => {
			const head = await s.store.head();
			await submit(s);
			assert.equal((await s.store.events(head, { limit: 10 })).events.length, 1);
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
			assert.deepEqual(
				[next.missed, next.events.map(({ type }) => type)],
				[false, ['job.deleted']],
			);
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
