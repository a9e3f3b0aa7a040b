import assert from 'node:assert/strict';
import type { Claim, Job, JobError, JobStore, NewJob } from '@plinth/core';
import { type CaseMaker, caseMaker, type Subject } from '../conformance.ts';
import type { ManualClock } from '../manual-clock.ts';

/** A fresh, empty job store that takes its time from `clock`. */
export interface JobStoreSubject extends Subject {
	readonly store: JobStore;
	readonly clock: ManualClock;
	/**
	 * A second handle on the same data, as another process has one; closed with the subject. In memory it may be
	 * the same object.
	 */
	peer(): Promise<JobStore>;
	/**
	 * Begins to append a `job.queued` event of the job, from a third handle, and returns once the event has its
	 * place in the log but is not committed; the returned function commits it. Absent where a store has no
	 * transactions that stay open.
	 */
	holdOpen?(jobId: string): Promise<() => Promise<void>>;
	/** Closes the store and opens what it left behind. Absent when nothing outlives the store. */
	reopen?(): Promise<JobStore>;
}

/** What the cases of one area need. */
export interface JobCaseContext {
	readonly it: CaseMaker<JobStoreSubject>;
	/** How long the subject keeps records that ended. */
	readonly recordRetentionMs: number;
}

/** Binds the cases to a way of making subjects. */
export function jobCases(create: () => Promise<JobStoreSubject>, recordRetentionMs: number): JobCaseContext {
	return { it: caseMaker(create), recordRetentionMs };
}

/** The lease that cases use unless they say otherwise. */
export const leaseMs = 20_000;

/** What a model reports when it fails. */
export const broken: JobError = { code: 'model_error', message: 'The model failed.' };

let created = 0;

/** A job nobody has submitted yet. Its id sorts behind those made before it, as the kernel's ids do. */
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

/** Submits a job. */
export async function submit(subject: JobStoreSubject, changes: Partial<NewJob> = {}): Promise<Job> {
	return (await subject.store.create(newJob(subject, changes))).job;
}

/** The model of a job, which no other job has: so a take can mean one job. */
function modelOf(id: string): string {
	return `model of ${id}`;
}

/** Takes a job; null when it is not given out. */
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
	return (await tryTake(subject, id)) ?? assert.fail('the job was not given out');
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

/** The types of a job's events, oldest first. */
export async function eventTypes(subject: JobStoreSubject, jobId: string): Promise<string[]> {
	const { events } = await subject.store.events(undefined, { jobId, limit: 100 });
	return events.map((event) => event.type);
}

/** Takes all videos that are given out, and tells their ids in the order in which they were. */
export async function takeAll({ store }: Pick<JobStoreSubject, 'store'>): Promise<string[]> {
	const claims = await store.take('video', 'worker-1', { leaseMs, count: 100 });
	return claims.map(({ job }) => job.id);
}

/** What is due now, as `due id`. */
export async function due(subject: JobStoreSubject): Promise<string[]> {
	const items = await subject.store.sweep(100);
	return items.map((item) => `${item.due} ${item.id}`).sort();
}
