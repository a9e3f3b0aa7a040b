import assert from 'node:assert/strict';
import type { JobDump } from '@plinth/core';
import { allOf, assertRefused, type ConformanceCase } from '../conformance.ts';
import {
	broken,
	claim,
	completed,
	due,
	type JobCaseContext,
	type JobStoreSubject,
	newJob,
	running,
	submit,
	summaries,
	takeAll,
	tidyAfter,
} from './subject.ts';

const idempotency = { key: 'k', fingerprint: 'f', retry: 2 };

/** Cases on dumping a store and loading the dump into another one. */
export function dumpCases({ it, create, recordRetentionMs }: JobCaseContext): ConformanceCase[] {
	/** Loads a dump into an empty store at the same time of its clock, and checks it. `s` must not be used afterwards. */
	const inCopy = async (s: JobStoreSubject, dump: readonly JobDump[], check: (s: JobStoreSubject) => Promise<void>) => {
		const other = await create();
		try {
			await other.clock.advance(s.clock.now() - other.clock.now());
			await other.store.load(dump);
			await check(other);
		} finally {
			await other.close();
		}
	};
	return [
		it('a dump fills an empty store with the same jobs and events, whatever their state', async (s) => {
			await manyStates(s);
			const parts = await allOf(s.store.dump());
			const types = new Set(parts.map(({ type }) => type));
			assert.deepEqual([...types], ['store', 'job', 'event']);
			assert.equal(parts.filter(({ type }) => type === 'job').length, 8);
			await inCopy(s, parts, async ({ store }) => assert.deepEqual(await allOf(store.dump()), parts));
		}),
		it('attempts, leases and expiries continue in the other store', async (s) => {
			const job = await running(s, { callback: { url: 'https://example.com', secret: null } });
			const ended = await completed(s, {}, 30_000);
			await inCopy(s, await allOf(s.store.dump()), async (other) => {
				assert.deepEqual(await takeAll(other), []);
				assert.equal(await other.store.heartbeat(job.job.id, job.fence, { progress: 0.5 }), 'ok');
				assert.equal(await other.store.complete(job.job.id, job.fence, { result: {}, retentionMs: null }), true);
				await other.clock.advance(30_000);
				assert.deepEqual(await due(other), [`content ${ended.id}`]);
				const { events } = await other.store.events(undefined, { jobId: job.job.id, limit: 10 });
				assert.deepEqual(events.at(-1)?.data, { attempt: 1, callback: { url: 'https://example.com', secret: null } });
			});
		}),
		it('a repeated request is recognised in the other store', async (s) => {
			const { job } = await s.store.create(newJob(s), { idempotency });
			await inCopy(s, await allOf(s.store.dump()), async (other) => {
				const again = await other.store.create(newJob(s), { idempotency });
				assert.deepEqual([again.replayed, again.job], [true, job]);
			});
		}),
		it('a cursor continues in the other store, also when the log was trimmed', async (s) => {
			await submit(s);
			await tidyAfter(s, recordRetentionMs + 1);
			const trimmed = await s.store.head();
			await submit(s);
			const { cursor } = await s.store.events(trimmed, { limit: 1 });
			await inCopy(s, await allOf(s.store.dump()), async (other) => {
				assert.equal(await other.store.head(), cursor);
				assert.deepEqual((await other.store.events(trimmed, { limit: 9 })).missed, false);
				const later = await submit(other);
				const page = await other.store.events(cursor, { limit: 9 });
				assert.deepEqual([summaries(page), page.missed], [[`job.queued ${later.id}`], false]);
			});
		}),
		it('the other store gets the head even when all events are trimmed', async (s) => {
			await submit(s);
			await tidyAfter(s, recordRetentionMs + 1);
			const head = await s.store.head();
			await inCopy(s, await allOf(s.store.dump()), async (other) => {
				assert.equal(await other.store.head(), head);
				await submit(other);
				assert.equal((await other.store.events(head, { limit: 9 })).events.length, 1);
			});
		}),
		it('an empty store takes over the identity of a dump, and one with jobs refuses another', async (s) => {
			const [first] = await allOf(s.store.dump());
			assert(first?.type === 'store');
			assert.equal(first.identity, await s.store.identity());
			await s.store.load([{ ...first, identity: 'of-another' }]);
			assert.equal(await s.store.identity(), 'of-another');
			await submit(s);
			await assertRefused(s.store.load([{ ...first, head: await s.store.head() }]), 'E_STORE_DIFFERS');
			assert.equal(await s.store.identity(), 'of-another');
		}),
		it('loading a dump again changes nothing, in parts too', async (s) => {
			await manyStates(s);
			const parts = await allOf(s.store.dump());
			for (let at = 0; at < parts.length; at += 3) await s.store.load(parts.slice(at, at + 3));
			assert.deepEqual(await allOf(s.store.dump()), parts);
		}),
		it('a job that exists in another form is refused, and nothing is written', async (s) => {
			const { id } = await submit(s);
			const parts = await allOf(s.store.dump());
			const added = parts.flatMap((part) => (part.type === 'job' ? [renamed(part, `${id}0`)] : []));
			await claim(s, id);
			await assertRefused(s.store.load([...added, ...parts.slice(1)]), 'E_STORE_DIFFERS');
			assert.deepEqual(await s.store.known([`${id}0`]), []);
		}),
		it('events behind the head of the dump are refused', async (s) => {
			await submit(s);
			const [first] = await allOf(s.store.dump());
			await submit(s);
			await assertRefused(s.store.load(first ? [first] : []), 'E_STORE_DIFFERS');
		}),
		it('a dump has every job and event once, by id and in order, however many there are', async (s) => {
			const { id } = await submit(s);
			const [store, job, event] = await allOf(s.store.dump());
			assert(store?.type === 'store' && job?.type === 'job' && event?.type === 'event');
			const jobs = Array.from({ length: 450 }, (_, n) => renamed(job, `${id}${100 + n}`));
			const first = Number(event.event.cursor);
			const events = jobs.map((_, n) => ({ ...event, event: { ...event.event, cursor: String(first + n + 1) } }));
			await s.store.load([{ ...store, head: String(first + jobs.length) }]);
			await s.store.load(jobs);
			await s.store.load(events);
			const names = (parts: readonly JobDump[]) =>
				parts.map((part) =>
					part.type === 'job' ? part.job.id : part.type === 'event' ? part.event.cursor : part.type,
				);
			const all = [store, job, ...jobs, event, ...events];
			// As texts, because the comparison of two long lists that differ takes seconds.
			assert.equal(names(await allOf(s.store.dump())).join(' '), names(all).join(' '));
		}),
	];
}

/** Creates jobs in every state. */
async function manyStates(s: JobStoreSubject): Promise<void> {
	await submit(s, { callback: { url: 'https://example.com', secret: 's' }, input: { nul: 'a\u0000', low: '\udfff' } });
	const { job, fence } = await running(s);
	await s.store.heartbeat(job.id, fence, { progress: 0.25, checkpoint: 'half "done"' });
	const cancelled = await running(s);
	await s.store.requestCancel('acme', cancelled.job.id);
	const retried = await running(s);
	await s.store.fail(retried.job.id, retried.fence, broken, 60_000);
	const failed = await running(s, { tenant: 'umbrella' });
	await s.store.fail(failed.job.id, failed.fence, broken);
	await completed(s, {}, 60_000);
	await s.store.remove('acme', (await running(s)).job.id);
	await s.store.create(newJob(s), { idempotency });
}

type JobPart = Extract<JobDump, { readonly type: 'job' }>;

function renamed(part: JobPart, id: string): JobPart {
	return { ...part, job: { ...part.job, id } };
}
