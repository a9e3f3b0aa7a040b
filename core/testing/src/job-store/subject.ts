import assert from 'node:assert/strict';
import type { Claim, Job, JobError, JobStore, NewJob } from '@plinth/core';
import { type CaseMaker, caseMaker, type Subject } from '../conformance.ts';
import type { ManualClock } from '../manual-clock.ts';

/** A fresh, empty job store that takes its time from `clock`. */
export interface JobStoreSubject extends Subject {
	readonly store: JobStore;
	readonly clock: ManualClock;
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
export function jobCases(
	create: () => Promise<JobStoreSubject>,
	recordRetentionMs: number,
): JobCaseContext {
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
	return {
		id: `${kind}_${time}${String(created).padStart(10, '0')}`,
		kind,
		tenant: 'acme',
		principal: 'key_1',
		model: 'sora-2',
		input: { prompt: 'a red boat' },
		maxAttempts: 5,
		...changes,
	};
}

/** Submits a job. */
export async function submit(
	subject: JobStoreSubject,
	changes: Partial<NewJob> = {},
): Promise<Job> {
	return (await subject.store.create(newJob(subject, changes))).job;
}

/** Claims a job that must be free. */
export async function claim(subject: JobStoreSubject, id: string): Promise<Claim> {
	const claimed = await subject.store.claim(id, 'worker-1', leaseMs);
	assert(claimed, 'the job could not be claimed');
	return claimed;
}

/** Submits a job and claims it. */
export async function running(
	subject: JobStoreSubject,
	changes: Partial<NewJob> = {},
): Promise<Claim> {
	const job = await submit(subject, changes);
	return claim(subject, job.id);
}

/** Submits a job and completes it. */
export async function completed(
	subject: JobStoreSubject,
	changes: Partial<NewJob> = {},
	expiresAt: number | null = null,
): Promise<Job> {
	const { job, fence } = await running(subject, changes);
	assert(await subject.store.complete(job.id, fence, { result: { blob: 'b' }, expiresAt }));
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

/** The ids of the videos that are claimable, in order. */
export async function claimableIds(subject: JobStoreSubject): Promise<string[]> {
	return (await subject.store.claimable('video', { limit: 100 })).map((entry) => entry.id);
}

/** What is due now, as `due id`. */
export async function due(subject: JobStoreSubject): Promise<string[]> {
	const items = await subject.store.sweep(subject.clock.now(), 100);
	return items.map((item) => `${item.due} ${item.id}`).sort();
}
