import type { EventPage, Job, JobStore } from '@plinth/core';
import { invalidValue, isPlinthError, plinthError } from '@plinth/core';
import type { FeedQuery } from '@plinth/toolkit';
import type { TickBudget } from './tick-budget.ts';
import type { FeedEvent } from './updates.ts';

/** Maximum jobs in the initial state, and maximum events that are replayed. */
const maxInitial = 1_000;
const pageSize = 100;

/** The fields of a job that the start of a feed needs. Records may be large and are read again when sent. */
export type JobSnapshot = Pick<Job, 'id' | 'tenant' | 'kind' | 'progress' | 'status' | 'createdAt'>;

/**
 * The events after `after`; undefined when they are unknown or too many, so that the state is sent instead.
 * Rejects with `E_VALUE_INVALID`.
 */
export async function eventsSince(
	store: JobStore,
	{ tenant, jobId, after }: FeedQuery,
): Promise<readonly FeedEvent[] | undefined> {
	if (after === undefined) return undefined;
	const filter = { tenant, ...(jobId !== undefined && { jobId }), limit: maxInitial + 1 };
	const { events, missed } = await store.events(after, filter).catch((error: unknown): EventPage => {
		if (!isPlinthError(error) || error.code !== 'E_VALUE_INVALID') throw error;
		throw invalidValue('Last-Event-ID', 'Last-Event-ID: it is not the id of an event.');
	});
	return missed || events.length > maxInitial ? undefined : events.map(({ data: _, ...event }) => event);
}

/** Snapshot of one job in any state. Rejects with `E_JOB_NOT_FOUND`. */
export async function snapshotOfOne(store: JobStore, { tenant, kind }: FeedQuery, jobId: string): Promise<JobSnapshot> {
	const job = await store.get(tenant, jobId);
	if (!job || (kind ?? job.kind) !== job.kind) throw plinthError('E_JOB_NOT_FOUND');
	return snapshotOf(job);
}

/**
 * The pending jobs of a tenant, oldest first. The budget limits the pages read per tick, because records
 * may be large.
 */
export async function snapshotsOfAll(
	store: JobStore,
	tenant: string,
	kinds: readonly string[],
	budget: TickBudget,
): Promise<readonly JobSnapshot[]> {
	const snapshots: JobSnapshot[] = [];
	for (const kind of kinds) snapshots.push(...(await pendingJobs(store, tenant, kind, budget)));
	return snapshots.sort((a, b) => a.createdAt - b.createdAt).slice(0, maxInitial);
}

async function pendingJobs(store: JobStore, tenant: string, kind: string, budget: TickBudget): Promise<JobSnapshot[]> {
	const snapshots: JobSnapshot[] = [];
	for (let after: string | undefined; ; after = snapshots.at(-1)?.id) {
		const position = after === undefined ? {} : { after };
		const options = { kind, limit: pageSize, order: 'asc', pending: true, ...position } as const;
		await budget.take();
		const { jobs, hasMore } = await store.list(tenant, options);
		snapshots.push(...jobs.map(snapshotOf));
		if (!hasMore || snapshots.length >= maxInitial) return snapshots;
	}
}

/** Copies the fields, so that the record can be garbage-collected. */
function snapshotOf({ id, tenant, kind, progress, status, createdAt }: Job): JobSnapshot {
	return { id, tenant, kind, progress, status, createdAt };
}
