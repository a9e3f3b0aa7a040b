import type { Json, JsonObject } from '../ports/json.ts';
import type { SelfCheck } from '../ports/self-check.ts';

/** `queued → in_progress → completed | failed`, and back to `queued` when an attempt is lost or retried. */
export type JobStatus = 'queued' | 'in_progress' | 'completed' | 'failed';

/** Why a job failed, as its owner may read it. */
export interface JobError {
	/** In snake_case: `cancelled`, `attempts_exhausted`, `model_error`. */
	readonly code: string;
	readonly message: string;
	readonly param?: string;
}

/** Where the creator of a job wants to be told of its end. */
export interface JobCallback {
	readonly url: string;
	/** What the request is signed with: `whsec_…`; null: it is not signed. */
	readonly secret: string | null;
	readonly [key: string]: Json;
}

/** The durable record of one asynchronous unit of work. Times are milliseconds since the Unix epoch. */
export interface Job {
	/** `<kind>_` + sortable milliseconds + 128 random bits; ids sort by creation time. */
	readonly id: string;
	readonly kind: string;
	readonly tenant: string;
	/** The id of the principal that created it. */
	readonly principal: string;
	readonly model: string;
	readonly status: JobStatus;
	/** What to do: written once, by the plugin that owns the kind. */
	readonly input: JsonObject;
	readonly result: JsonObject | null;
	readonly error: JobError | null;
	/** Fraction done. Never falls; 1 exactly when completed. */
	readonly progress: number;
	/** What an earlier attempt wrote to resume from. */
	readonly checkpoint: string | null;
	/** How many attempts count so far: claims, less the ones that were released. */
	readonly attempt: number;
	readonly maxAttempts: number;
	/** Raised by every claim. A write with an older fence is refused. */
	readonly fence: number;
	readonly cancelRequested: boolean;
	readonly createdAt: number;
	/** When its first attempt began. */
	readonly startedAt: number | null;
	/** Also when it failed. */
	readonly completedAt: number | null;
	/** From this second on the content is gone; null until completed, and when it does not expire. */
	readonly expiresAt: number | null;
	/** Whether that second had begun when the store was asked, by the store's clock. */
	readonly expired: boolean;
}

/** What the creator of a job decides. */
export interface NewJob extends Pick<Job, 'id' | 'kind' | 'tenant' | 'principal' | 'model' | 'input' | 'maxAttempts'> {
	/** It goes with the events of the job's end, not with its record. */
	readonly callback?: JobCallback;
}

/**
 * A create repeats an earlier one of the same principal: with `key`, one of at most 24 hours ago with that key; another
 * fingerprint is refused with `E_IDEMPOTENCY_MISMATCH`. Without `key` and with `retry` above 0, the newest one of at
 * most 10 minutes ago with an equal fingerprint, unless a request with the same or a higher count has received the job.
 */
export interface Idempotency {
	readonly key?: string;
	/** A digest of route, parsed fields and file hashes. */
	readonly fingerprint: string;
	/** 0 for a first try, then 1, 2, … */
	readonly retry: number;
}

/** Conditions of a create. */
export interface CreateOptions {
	readonly idempotency?: Idempotency;
	/** How many pending jobs of this kind the tenant may have. 0: only a repeated request is answered. */
	readonly maxPending?: number;
}

/** Which jobs {@link JobStore.list} gives. */
export interface JobListOptions {
	readonly kind: string;
	/** An id; the list starts behind it. It is a position: no job need have it. */
	readonly after?: string;
	/** 0 to 100. */
	readonly limit: number;
	readonly order: 'asc' | 'desc';
	/** Only jobs that wait or run. */
	readonly pending?: boolean;
}

/** One page of jobs. */
export interface JobPage {
	readonly jobs: readonly Job[];
	readonly hasMore: boolean;
}

/** The right to work on a job until its lease lapses. */
export interface Claim {
	readonly job: Job;
	readonly fence: number;
}

/** A job that waits for a worker. */
export type DueJob = Pick<Job, 'id' | 'tenant' | 'model'>;

/** `lost`: another attempt owns the job, or it ended or was removed: stop and write nothing. */
export type Heartbeat = 'ok' | 'cancel' | 'lost';

/** What a heartbeat may carry. */
export interface HeartbeatUpdate {
	/** Ignored when it is below the stored value. Capped below 1. */
	readonly progress?: number;
	readonly checkpoint?: string;
}

/** What a worker asks {@link JobStore.take} for. */
export interface TakeOptions {
	readonly leaseMs: number;
	/** At most so many jobs. */
	readonly count: number;
	/** The models that this worker has; absent: any. */
	readonly models?: readonly string[] | undefined;
	/** By model, at most so many jobs of it; not named: any number. Only with `models`. */
	readonly limits?: Readonly<Record<string, number>> | undefined;
	/** How many jobs of one tenant the worker runs at once, those in `running` counted; absent: any number. */
	readonly perTenant?: number | undefined;
	/** Ids of the jobs that the worker still runs: none of them is given or ended, even when its lease has lapsed. */
	readonly running?: readonly string[];
}

/** `content`: all bytes of an expired or failed job. `record`: all bytes, then the row, of a removed or old job. */
export interface SweepItem {
	readonly due: 'content' | 'record';
	readonly id: string;
	readonly kind: string;
	readonly tenant: string;
}

/** What a completed attempt writes. */
export interface Completion {
	readonly result: JsonObject;
	/** From the completion until the content is gone; null: it stays as long as the record. */
	readonly retentionMs: number | null;
}

/** The types of job events. */
export type JobEventType = 'job.queued' | 'job.started' | 'job.completed' | 'job.failed' | 'job.deleted';

/** A transition, appended in the same transaction as the transition itself. */
export interface JobEvent {
	/** The cursor that continues after this event. */
	readonly cursor: string;
	readonly type: JobEventType;
	readonly jobId: string;
	readonly kind: string;
	readonly tenant: string;
	/** Milliseconds since the Unix epoch. */
	readonly at: number;
	/** `{ attempt }`, also `{ code }` on `job.failed`, and the job's `{ callback }` on both ends. */
	readonly data: JsonObject;
}

/** Which events {@link JobStore.events} gives. */
export interface EventQuery {
	readonly tenant?: string;
	readonly jobId?: string;
	readonly limit: number;
}

/** Events behind a cursor, in their order. */
export interface EventPage {
	readonly events: readonly JobEvent[];
	/** Continues behind the last of them: the given cursor when there is none, `head` when that is beyond the log. */
	readonly cursor: string;
	/**
	 * Whether events of any tenant behind the given cursor were trimmed, or the cursor is beyond the log, as after a
	 * restored backup. Never so without a cursor.
	 */
	readonly missed: boolean;
}

/**
 * The durable truth about jobs, by the rules of `jobs/state.ts`. Every method is atomic, and resolves when its changes
 * are durable. Only `sweep`, `swept`, `known` and `events` see removed jobs. Nothing is readable without its tenant.
 *
 * All instants come from one clock, the store's; callers give spans, which are rounded to whole milliseconds. The
 * clock may be set: forwards, leases lapse early, by one lease at most; backwards, a lease ends at most one lease
 * after the next `tidy`; retries and expiries come at their instants.
 */
export interface JobStore extends SelfCheck {
	/**
	 * Names this store: another store has another identity, and one keeps its own as long as its jobs, also in a backup.
	 * Stores in memory share one, because their jobs end with the process. 1 to 200 characters of `[A-Za-z0-9-]`.
	 */
	identity(): Promise<string>;

	/**
	 * Stores a queued job, with event `job.queued`, or returns the earlier job of a repeated request with `replayed:
	 * true`. Rejects with `E_IDEMPOTENCY_MISMATCH`, with `E_QUEUE_FULL` when a new job would be one more than
	 * `maxPending`, or with `E_STORE_FULL`.
	 */
	create(job: NewJob, options?: CreateOptions): Promise<{ readonly job: Job; readonly replayed: boolean }>;

	/** Reads one job; null when it is unknown to this tenant. */
	get(tenant: string, id: string): Promise<Job | null>;

	/** Lists a tenant's jobs of one kind by id. `limit` 0 gives an empty page that still tells `hasMore`. */
	list(tenant: string, options: JobListOptions): Promise<JobPage>;

	/**
	 * A queued job fails at once with code `cancelled`, a running one learns at its next heartbeat, an ended one stays as
	 * it is. Returns the job after the call; null when unknown.
	 */
	requestCancel(tenant: string, id: string): Promise<Job | null>;

	/**
	 * Removes a job in any state, with event `job.deleted`: a running attempt is `lost`, and the bytes become due for
	 * `sweep`. Returns the job as it was; null when unknown.
	 */
	remove(tenant: string, id: string): Promise<Job | null>;

	/**
	 * Hands out jobs of one kind that are queued and due, or whose lease has lapsed: `attempt` + 1, `fence` + 1,
	 * status `in_progress`, event `job.started`. Tenants take turns over all workers, in the order of their names,
	 * beginning behind the one that was served last; each gets its oldest job first, by id.
	 *
	 * Before that, due jobs that may not run again end: with `cancelled` where that was asked for, with
	 * `attempts_exhausted` where no attempt is left. A call also records for `offerMs` which models the worker offers.
	 */
	take(kind: string, worker: string, options: TakeOptions): Promise<readonly Claim[]>;

	/** Jobs of these models that `take` may give or end now, oldest first by id, at most `limit`. */
	due(kind: string, models: readonly string[], limit: number): Promise<readonly DueJob[]>;

	/**
	 * Extends the lease by its length and writes progress and checkpoint. A lapsed lease is extended, too, while no
	 * other worker has taken the job: a clock set forwards costs no attempt.
	 */
	heartbeat(id: string, fence: number, update?: HeartbeatUpdate): Promise<Heartbeat>;

	/**
	 * Ends the attempt well, with event `job.completed`. False: the fence is old, nothing was written. The same call of
	 * `complete`, `fail` or `release` may be repeated, as when its answer was lost: it is true and changes nothing.
	 */
	complete(id: string, fence: number, completion: Completion): Promise<boolean>;

	/**
	 * Ends the attempt badly. With `retryInMs` the job is queued again and due after that span, if attempts are left;
	 * otherwise it is `failed` with `error`. False: the fence is old.
	 */
	fail(id: string, fence: number, error: JobError, retryInMs?: number): Promise<boolean>;

	/** Queues the job of an interrupted attempt again; the attempt does not count. False: the fence is old. */
	release(id: string, fence: number): Promise<boolean>;

	/** What is due for deletion: delete the bytes, then call `swept`. A removed job is not due while its lease holds. */
	sweep(limit: number): Promise<readonly SweepItem[]>;

	/** Settles sweep items: `content` is not listed again, the row of `record` goes. */
	swept(items: readonly SweepItem[]): Promise<void>;

	/**
	 * Trims events older than the retention of records, cuts leases that end later than their length from now, and
	 * ends jobs whose model no worker offers: the first call that finds such a job due notes it, and it fails in the
	 * first one that finds it so `modelWaitMs` later, unless a call between them saw an offer.
	 */
	tidy(): Promise<void>;

	/** Those of the ids, 1,000 at most, that have a row, removed or not, in no order. Others own no bytes. */
	known(ids: readonly string[]): Promise<readonly string[]>;

	/** Events after an opaque cursor, or from the oldest, in commit order. Rejects with `E_VALUE_INVALID`. */
	events(cursor: string | undefined, query: EventQuery): Promise<EventPage>;

	/** The cursor behind the newest event. */
	head(): Promise<string>;

	/** How many jobs of a kind wait or run, for one tenant or for all. */
	pending(kind: string, tenant?: string): Promise<number>;

	/**
	 * Takes or keeps a duty that one process at a time has, for `leaseMs` from now; 0 gives it back. False: another
	 * holder has it. An end later than `leaseMs` from now does not hold: the clock was set back.
	 */
	lead(duty: string, holder: string, leaseMs: number): Promise<boolean>;

	/** The store's time, if its clock is not this machine's: hosts that share the store take theirs from it. */
	now?(): Promise<number>;
}
