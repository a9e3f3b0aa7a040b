import type { EventPage, Job, JobStore } from '@plinth/core';
import { invalidValue, isPlinthError, plinthError } from '@plinth/core';
import type { FeedQuery } from '@plinth/toolkit';
import type { TickBudget } from './tick-budget.ts';
import type { FeedEvent } from './updates.ts';

/** How many jobs a state has, and how many events are told again, at most. */
const maxFirst = 1_000;
const pageSize = 100;

/** What of a job the beginning of a feed goes by. A record may be large, and is read again when it is told. */
export type JobSnapshot = Pick<Job, 'id' | 'tenant' | 'kind' | 'progress' | 'status' | 'createdAt'>;

/** What has happened behind `after`; undefined where that is not known or too much, and the state has to stand in. Rejects with `E_VALUE_INVALID`. */
export async function eventsSince(
	store: JobStore,
	{ tenant, jobId, after }: FeedQuery,
): Promise<readonly FeedEvent[] | undefined> {
	if (after === undefined) return undefined;
	const filter = { tenant, ...(jobId !== undefined && { jobId }), limit: maxFirst + 1 };
	const { events, missed } = await store
		.events(after, filter)
		.catch((error: unknown): EventPage => {
			if (!isPlinthError(error) || error.code !== 'E_VALUE_INVALID') throw error;
			throw invalidValue('Last-Event-ID', 'Last-Event-ID: it is not the id of an event.');
		});
	return missed || events.length > maxFirst
		? undefined
		: events.map(({ data: _, ...event }) => event);
}

/** The one job, in whatever state. Rejects with `E_JOB_NOT_FOUND`. */
export async function snapshotOfOne(
	store: JobStore,
	{ tenant, kind }: FeedQuery,
	jobId: string,
): Promise<JobSnapshot> {
	const job = await store.get(tenant, jobId);
	if (!job || (kind ?? job.kind) !== job.kind) throw plinthError('E_JOB_NOT_FOUND');
	return standing(job);
}

/** The jobs of a tenant that wait or run, the oldest first. Each page is read in a turn: records may be large. */
export async function snapshotsOfAll(
	store: JobStore,
	tenant: string,
	kinds: readonly string[],
	turns: TickBudget,
): Promise<readonly JobSnapshot[]> {
	const found: JobSnapshot[] = [];
	for (const kind of kinds) found.push(...(await pendingOf(store, tenant, kind, turns)));
	return found.sort((a, b) => a.createdAt - b.createdAt).slice(0, maxFirst);
}

async function pendingOf(
	store: JobStore,
	tenant: string,
	kind: string,
	turns: TickBudget,
): Promise<JobSnapshot[]> {
	const found: JobSnapshot[] = [];
	for (let after: string | undefined; ; after = found.at(-1)?.id) {
		const position = after === undefined ? {} : { after };
		const options = { kind, limit: pageSize, order: 'asc', pending: true, ...position } as const;
		await turns.take();
		const { jobs, hasMore } = await store.list(tenant, options);
		found.push(...jobs.map(standing));
		if (!hasMore || found.length >= maxFirst) return found;
	}
}

/** Nothing else of a record may be kept alive. */
function standing({ id, tenant, kind, progress, status, createdAt }: Job): JobSnapshot {
	return { id, tenant, kind, progress, status, createdAt };
}
