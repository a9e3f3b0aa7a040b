import type { Job, JobEventType, ServerEvent } from '@plinth/core';

/** One update of a feed. */
export interface JobUpdate {
	/**
	 * `job.state`: the state of a job when the feed starts. `stream.ready`: the state of all pending jobs was
	 * sent; jobs that ended before are only in the records. `job.progress`: a fraction, at most once a second
	 * per job. `job.waiting`: the job's model processes other jobs. `job.preview`: an intermediate result. All
	 * other types are state transitions.
	 */
	readonly type: 'job.state' | 'stream.ready' | 'job.progress' | 'job.waiting' | 'job.preview' | JobEventType;
	/** With `job.waiting`: 1 for the job that is next. */
	readonly position?: number;
	/** With `job.preview`: a picture as a data URL. */
	readonly preview?: string;
	/**
	 * The cursor to resume after this update. Undefined for progress, waits, previews and incomplete states: the
	 * previous cursor remains valid.
	 */
	readonly cursor: string | undefined;
	/** Milliseconds since the Unix epoch. */
	readonly at: number;
	/** Empty for `stream.ready`, like `kind`. */
	readonly jobId: string;
	readonly kind: string;
	/** The current job, which may be newer than the transition; null once it was removed. */
	readonly job: Job | null;
	/**
	 * The job in the form of its plugin's API, as JSON. `{ id, object: '<kind>.deleted', deleted: true }` once
	 * it was removed, `{}` for `stream.ready`.
	 */
	readonly view: object;
}

/** Why a feed ended early: the reader was too slow, the server stops, or `maxMs` has passed. */
export type FeedEndReason = 'slow_reader' | 'stopping' | 'max_age';

/** The updates of one reader. Ends when the one job that it follows has ended or was removed. */
export interface FeedReader extends AsyncIterable<JobUpdate> {
	/** Set once the updates have ended early. */
	readonly endReason: FeedEndReason | undefined;
	/** True once no more updates follow. True from the start when the one job had ended before `after`. */
	readonly isDone: boolean;
}

/** What to follow, from where, and for how long. */
export interface FeedQuery {
	readonly tenant: string;
	/** One job; absent: all jobs of the tenant. */
	readonly jobId?: string;
	/** Only jobs of this kind. */
	readonly kind?: string;
	/**
	 * Resume after this cursor: earlier events are replayed in place of `job.state`, unless they are too many
	 * or were trimmed.
	 */
	readonly after?: string | undefined;
	/** Maximum duration, in milliseconds. */
	readonly maxMs?: number;
	readonly signal: AbortSignal;
}

/** Follows the updates of jobs, in any process of the deployment. */
export interface JobFeed {
	/** The kinds of job that the plugins of this deployment run. */
	kinds(): readonly string[];
	/**
	 * Starts to follow. The current state comes first, as `job.state`: of the one job, or of all pending jobs
	 * of the tenant (at most 1,000, oldest first) and then `stream.ready`. Events follow within a second. A
	 * reader may have 256 KB of queued updates; above this its updates end.
	 *
	 * Rejects with `E_JOB_NOT_FOUND` when the one job is unknown to the tenant, and with `E_VALUE_INVALID` for
	 * a malformed `after`, which the message calls `Last-Event-ID`.
	 */
	follow(query: FeedQuery): Promise<FeedReader>;
	/**
	 * The updates as an event stream: `event` is the type, `id` the cursor, and `data` is `{ object: 'event',
	 * type, created_at (Unix seconds), data: view }`, with `position` or `preview` beside it if present. A stream
	 * that ends early closes with `stream.end`, whose data is `{ reason }`.
	 */
	events(reader: FeedReader): AsyncIterable<ServerEvent>;
}
