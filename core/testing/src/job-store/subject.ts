import assert from 'node:assert/strict';
import type { Claim, EventPage, Idempotency, Job, JobError, JobEvent, JobStore, NewJob } from '@plinth/core';
import { type CaseMaker, caseMaker, type Subject } from '../conformance.ts';
import type { ManualClock } from '../manual-clock.ts';

/** A new, empty job store that reads the time from `clock`. */
export interface JobStoreSubject extends Subject {
	readonly store: JobStore;
	readonly clock: ManualClock;
	/**
	 * A second handle on the same data, as in another process; closed with the subject. For a store in memory it may
	 * be the same object.
	 */
	peer(): Promise<JobStore>;
	/**
	 * Starts to append a `job.queued` event of the job, from a third handle, and returns once the event has its
	 * position in the log but is not committed; the returned function commits it. Absent for stores without
	 * transactions that stay open.
	 */
	holdOpen?(jobId: string): Promise<() => Promise<void>>;
	/** Closes the store and opens its data again. Absent when the data is lost on close. */
	reopen?(): Promise<JobStore>;
}

/** The tools of the cases. */
export interface JobCaseContext {
	readonly it: CaseMaker<JobStoreSubject>;
	/** Makes another subject. It may reuse the storage of the previous one, which is then emptied. */
	create(): Promise<JobStoreSubject>;
	/** How long the subject keeps records of ended jobs. */
	readonly recordRetentionMs: number;
}

/** The tools for subjects that `create` makes. */
export function jobCases(create: () => Promise<JobStoreSubject>, recordRetentionMs: number): JobCaseContext {
	return { it: caseMaker(create), create, recordRetentionMs };
}

/** The default lease of cases, in milliseconds. */
export const leaseMs = 20_000;

/** The error of a failed model. */
export const broken: JobError = { code: 'model_error', message: 'The model failed.' };

let created = 0;

/** A job that is not submitted yet. Its id sorts after earlier ids, like the kernel's ids. */
export function newJob(subject: JobStoreSubject, changes: Partial<NewJob> = {}): NewJob {
	created += 1;
	const kind = changes.kind ?? 'video';
	const time = String(subject.clock.now()).padStart(15, '0');
	const id = `${kind}_${time}${String(created).padStart(10, '0')}`;
	return {
		id,
		kind,
		tenant: 'acme',
		principal: 'key_1',
		model: modelOf(changes.id ?? id),
		input: { prompt: 'a red boat' },
		maxAttempts: 5,
		...changes,
	};
}

/** The idempotency options of a create with a key. */
export function keyed(key: string, fingerprint = 'f'): Idempotency {
	return { key, fingerprint, retry: 0 };
}

/** Submits a job. */
export async function submit(subject: JobStoreSubject, changes: Partial<NewJob> = {}): Promise<Job> {
	return (await subject.store.create(newJob(subject, changes))).job;
}

/** The model of a job. No other job has it, so that a take can select this job. */
function modelOf(id: string): string {
	return `model of ${id}`;
}

/** Takes a job; null when the store does not return it. */
export async function tryTake(
	{ store }: Pick<JobStoreSubject, 'store'>,
	id: string,
	lease = leaseMs,
): Promise<Claim | null> {
	const kind = id.slice(0, id.indexOf('_'));
	const options = { leaseMs: lease, count: 1, models: [modelOf(id)] };
	return (await store.take(kind, 'worker-1', options))[0] ?? null;
}

/** Takes a job that must be free. */
export async function claim(subject: JobStoreSubject, id: string): Promise<Claim> {
	return (await tryTake(subject, id)) ?? assert.fail('the job was not returned');
}

/** Submits a job and claims it. */
export async function running(subject: JobStoreSubject, changes: Partial<NewJob> = {}): Promise<Claim> {
	const job = await submit(subject, changes);
	return claim(subject, job.id);
}

/** Submits a job and completes it. */
export async function completed(
	subject: JobStoreSubject,
	changes: Partial<NewJob> = {},
	retentionMs: number | null = null,
): Promise<Job> {
	const { job, fence } = await running(subject, changes);
	assert(await subject.store.complete(job.id, fence, { result: { blob: 'b' }, retentionMs }));
	return read(subject, job.id);
}

/** Reads a job that must exist. */
export async function read(subject: JobStoreSubject, id: string, tenant = 'acme'): Promise<Job> {
	const job = await subject.store.get(tenant, id);
	assert(job, `there is no job ${id}`);
	return job;
}

/** The events of a job, oldest first. */
export async function eventsOf({ store }: JobStoreSubject, jobId: string): Promise<readonly JobEvent[]> {
	return (await store.events(undefined, { jobId, limit: 100 })).events;
}

/** The types of a job's events, oldest first. */
export async function eventTypes(subject: JobStoreSubject, jobId: string): Promise<string[]> {
	return (await eventsOf(subject, jobId)).map(({ type }) => type);
}

/** The events of a page as `type id`, in their order. */
export function summaries({ events }: Pick<EventPage, 'events'>): string[] {
	return events.map(({ type, jobId }) => `${type} ${jobId}`);
}

/** Advances the clock, and then tidies the store. */
export async function tidyAfter({ store, clock }: JobStoreSubject, ms: number): Promise<void> {
	await clock.advance(ms);
	await store.tidy();
}

/** Makes concurrent calls, on both handles in turn. */
export async function overBoth<T>(s: JobStoreSubject, count: number, call: (store: JobStore, n: number) => Promise<T>) {
	const peer = await s.peer();
	return Promise.all(Array.from({ length: count }, (_, n) => call(n % 2 ? s.store : peer, n)));
}

/** Takes all videos that are due, and returns their ids in the order of the claims. */
export async function takeAll({ store }: Pick<JobStoreSubject, 'store'>): Promise<string[]> {
	const claims = await store.take('video', 'worker-1', { leaseMs, count: 100 });
	return claims.map(({ job }) => job.id);
}

/** The items that are due now, as `due id`. */
export async function due(subject: JobStoreSubject): Promise<string[]> {
	const items = await subject.store.sweep(100);
	return items.map((item) => `${item.due} ${item.id}`).sort();
}
