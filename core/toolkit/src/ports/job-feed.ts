import type { Job, JobEventType, ServerEvent } from '@plinth/core';

/** What a follower hears. */
export interface JobUpdate {
	/**
	 * `job.state`: how things stand when the feed begins; `stream.ready`: all of a tenant's jobs have been told so, and what ended before is only in
	 * the records; `job.progress`: a fraction, at most once a second and job; otherwise a transition.
	 */
	readonly type: 'job.state' | 'stream.ready' | 'job.progress' | JobEventType;
	/** Continues behind this update. Undefined: what was said before it still holds, as for progress, and while a state is not told to its end. */
	readonly cursor: string | undefined;
	/** Milliseconds since the Unix epoch. */
	readonly at: number;
	/** Empty for `stream.ready`, like its kind. */
	readonly jobId: string;
	readonly kind: string;
	/** The job as it is now, which may be later than the transition; null once it was removed. */
	readonly job: Job | null;
	/** The same as its plugin shows it to clients, to be sent as JSON; `{ id, object: '<kind>.deleted', deleted: true }` once it was removed, `{}` for `stream.ready`. */
	readonly view: object;
}

/** Why a feed ended before what it followed: its reader was too slow, the server stops, or `maxMs` is over. */
export type FeedEndReason = 'slow_reader' | 'stopping' | 'max_age';

/** One follower's updates. Ends by itself when the one job that it follows has ended or was removed. */
export interface FeedReader extends AsyncIterable<JobUpdate> {
	/** Set once the updates are over early. */
	readonly endReason: FeedEndReason | undefined;
	/** True once nothing more comes; from the beginning when the one job had ended, and all of that was told before `after`. */
	readonly isDone: boolean;
}

/** What a reader of {@link JobFeed} follows, from where on, and for how long. */
export interface FeedQuery {
	readonly tenant: string;
	/** One job; all jobs of the tenant when absent. */
	readonly jobId?: string;
	/** Jobs of one kind. */
	readonly kind?: string;
	/** Continue behind this cursor: what happened since comes first, and no `job.state`, unless too much has happened or been trimmed. */
	readonly after?: string | undefined;
	/** How long to follow at most, in milliseconds. */
	readonly maxMs?: number;
	readonly signal: AbortSignal;
}

/** Follows jobs while they happen, whichever process of the deployment runs them. */
export interface JobFeed {
	/** The kinds of job that the plugins of this deployment run. */
	kinds(): readonly string[];
	/**
	 * Begins to follow. First comes the present state, as `job.state`: of the one job, or of all of the tenant's that wait or run (at most
	 * 1,000, the oldest first) with a `stream.ready` behind them; then what happens, within a second. At most 256 KB wait for a reader; then its updates end.
	 *
	 * Rejects with `E_JOB_NOT_FOUND` when the one job is unknown to the tenant, and with `E_VALUE_INVALID` for a malformed `after`, which it calls
	 * `Last-Event-ID` as clients do.
	 */
	follow(query: FeedQuery): Promise<FeedReader>;
	/**
	 * The updates as an event stream tells them: `event` is the type, `id` the cursor, and `data` an object `{ object: 'event', type, created_at
	 * (Unix seconds), data: view }`. One that ends early says why in a last `stream.end`: its data is `{ reason }`.
	 */
	events(reader: FeedReader): AsyncIterable<ServerEvent>;
}
