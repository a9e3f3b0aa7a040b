import type { Json, JsonObject } from '../ports/json.ts';
import type { SelfCheck } from '../ports/self-check.ts';
import type { EventPage, EventQuery } from './job-events.ts';

/**
 * `queued → in_progress → completed | failed`; `in_progress → queued` when an attempt is lost. Terminal states
 * never move.
 */
export type JobStatus = 'queued' | 'in_progress' | 'completed' | 'failed';

/** Why a job failed, as its owner may read it. */
export interface JobError {
	/** A stable snake_case word: `cancelled`, `attempts_exhausted`, `model_error`. */
	readonly code: string;
	readonly message: string;
	readonly param?: string;
}

/** Where the creator of a job wants to be told of its end. */
export interface JobCallback {
	/** As the client named it; checked by whoever sends requests to it. */
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
	/** The model id as the client named it. */
	readonly model: string;
	readonly status: JobStatus;
	/** What to do: written once, by the plugin that owns the kind. */
	readonly input: JsonObject;
	/** What came out; null until completed. */
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
	/** When it ended, well or badly. */
	readonly completedAt: number | null;
	/**
	 * From the second of this instant on the content is gone; null until completed, or when content does not
	 * expire.
	 */
	readonly expiresAt: number | null;
	/** Whether that second had begun when the store was asked, by the store's clock. */
	readonly expired: boolean;
}

/** What the creator of a job decides. */
export interface NewJob extends Pick<Job, 'id' | 'kind' | 'tenant' | 'principal' | 'model' | 'input' | 'maxAttempts'> {
	/** Absent: nobody is told. It goes with the events of the job's end, not with its record. */
	readonly callback?: JobCallback;
}

/**
 * How a repeated create is recognised.
 *
 * With `key`: the same key by the same principal within 24 hours is the same request; another fingerprint is
 * refused with `E_IDEMPOTENCY_MISMATCH`. Without `key` and with `retry` above 0: the newest job of the same
 * principal that has an equal fingerprint and is at most 10 minutes old is returned, unless a retry with the same
 * or a higher count has already received it. A job remembers the count of the request that made it.
 */
export interface Idempotency {
	readonly key?: string;
	/** A digest of route, parsed fields and file hashes. */
	readonly fingerprint: string;
	/** 0 for a first try, then 1, 2, … */
	readonly retry: number;
}

/** What {@link JobStore.create} goes by besides the job itself. */
export interface CreateOptions {
	readonly idempotency?: Idempotency;
	/**
	 * How many jobs of this kind the tenant may have that wait or run; without it any number. 0: only a repeated
	 * request is answered.
	 */
	readonly maxPending?: number;
}

/** Which jobs {@link JobStore.list} gives, in which order, and behind which id. */
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

/**
 * What a worker learns from a heartbeat. `lost`: another attempt owns the job, or it ended or was removed: stop and
 * write nothing.
 */
export type Heartbeat = 'ok' | 'cancel' | 'lost';

/** What a heartbeat may carry. */
export interface HeartbeatUpdate {
	/** Ignored when it is below the stored value. Capped below 1. */
	readonly progress?: number;
	readonly checkpoint?: string;
}

/** What a worker asks {@link JobStore.take} for. */
export interface TakeOptions {
	/** How long each lease is. */
	readonly leaseMs: number;
	/** At most so many jobs. */
	readonly count: number;
	/** The models that this worker has; absent: any. */
	readonly models?: readonly string[] | undefined;
	/** How many jobs of one tenant the worker runs at once, those in `running` counted; absent: any number. */
	readonly perTenant?: number | undefined;
	/** Ids of the jobs that the worker still runs: none of them is given or ended, even when its lease has lapsed. */
	readonly running?: readonly string[];
}

/**
 * Bytes or rows that are due for deletion. `content`: the output has expired, or the job failed, so that nobody can
 * read a byte of it any more; all of them go. `record`: the job was removed, or ended longer ago than its
 * retention; every byte of it goes, then its row.
 */
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

/**
 * The durable truth about jobs, by the rules of `jobs/state.ts`. Every method is atomic; every method that changes
 * something resolves only when the change is durable. A removed job is invisible to every method but `sweep`,
 * `swept`, `known` and `events`.
 *
 * All instants come from one clock, the store's; callers give spans. A wall clock may be set: forwards, leases
 * lapse early, by one lease at most; backwards, a lease ends at most one lease after the next `tidy`; retries and
 * expiries come at their instants.
 *
 * Spans are rounded to whole milliseconds. The cursors of `events` mean nothing to anybody but the store that gave
 * them.
 *
 * Nothing is readable without its tenant: an id of another tenant answers like an unknown one.
 */
export interface JobStore extends SelfCheck {
	/**
	 * Stores a queued job and its `job.queued` event, or returns the earlier job of a repeated request with
	 * `replayed: true`. Rejects with `E_IDEMPOTENCY_MISMATCH`, with `E_QUEUE_FULL` when the tenant has `maxPending`
	 * jobs of the kind that wait or run (a repeated request is never refused for that), or with `E_STORE_FULL` when
	 * there is no room.
	 */
	create(job: NewJob, options?: CreateOptions): Promise<{ readonly job: Job; readonly replayed: boolean }>;

	/** Reads one job; null when it is unknown to this tenant. */
	get(tenant: string, id: string): Promise<Job | null>;

	/** Lists a tenant's jobs of one kind by id. `limit` 0 gives an empty page that still tells `hasMore`. */
	list(tenant: string, options: JobListOptions): Promise<JobPage>;

	/**
	 * Asks for the end of a job. A queued job fails at once with code `cancelled`; a running one learns at its next
	 * heartbeat; an ended one stays as it is. Returns the job after the call; null when unknown.
	 */
	requestCancel(tenant: string, id: string): Promise<Job | null>;

	/**
	 * Removes a job in any state and appends `job.deleted`: from now on it is unknown to everybody, and a running
	 * attempt is `lost`. Its bytes become due for `sweep`. Returns the job as it was; null when unknown.
	 */
	remove(tenant: string, id: string): Promise<Job | null>;

	/**
	 * Hands out jobs of one kind that are queued and due, or whose lease has lapsed: `attempt` + 1, `fence` + 1,
	 * status `in_progress`, event `job.started`. Tenants take turns over all workers, in the order of their names,
	 * beginning behind the one that was served last; each gets its oldest job first, by id. An interrupted job has
	 * its old place again.
	 *
	 * Before that, jobs of the kind that may not run again end: with `cancelled` where that was asked for, with
	 * `attempts_exhausted` where no attempt is left. A call also records for `offerMs` which models the
	 * worker offers.
	 */
	take(kind: string, worker: string, options: TakeOptions): Promise<readonly Claim[]>;

	/** Extends the lease by its length and writes progress and checkpoint. */
	heartbeat(id: string, fence: number, update?: HeartbeatUpdate): Promise<Heartbeat>;

	/**
	 * Ends the attempt well: `completed`, progress 1, event `job.completed`. False: the fence is old, nothing was
	 * written.
	 *
	 * `complete`, `fail` and `release` may be repeated: an answer can be lost after the commit. The same call with
	 * the same fence answers true again and changes nothing.
	 */
	complete(id: string, fence: number, completion: Completion): Promise<boolean>;

	/**
	 * Ends the attempt badly. With `retryInMs` the job is queued again and due after that span, if attempts are
	 * left; otherwise it is `failed` with `error`. False: the fence is old, nothing was written.
	 */
	fail(id: string, fence: number, error: JobError, retryInMs?: number): Promise<boolean>;

	/**
	 * Gives an interrupted attempt back: `queued`, with a `job.queued` event, and the attempt does not count.
	 * False: the fence is old.
	 */
	release(id: string, fence: number): Promise<boolean>;

	/**
	 * What is due for deletion now: content that has expired, all bytes of jobs that failed, records that were
	 * removed, and records that ended at least `recordRetentionMs` ago. Read-only: delete the bytes, then call
	 * `swept`. A removed job is not due while an attempt may still be writing (its lease has not lapsed).
	 */
	sweep(limit: number): Promise<readonly SweepItem[]>;

	/** Settles sweep items: `content` is not listed again, the row of `record` goes. */
	swept(items: readonly SweepItem[]): Promise<void>;

	/**
	 * Trims events that are older than the retention of records, cuts leases that end later than their length from
	 * now, because the clock was set back, and ends jobs whose model no worker offers: the first call that finds
	 * such a job due notes it, and it fails in the first one that finds it so `modelWaitMs` later, unless a
	 * call between them saw an offer.
	 */
	tidy(): Promise<void>;

	/**
	 * Those of the ids that have a row, in any state, removed or not, in no order. At most 1,000 ids. What it
	 * leaves out owns no bytes.
	 */
	known(ids: readonly string[]): Promise<readonly string[]>;

	/**
	 * Events after `cursor` in commit order; from the oldest without one. A malformed cursor rejects with
	 * `E_VALUE_INVALID`.
	 */
	events(cursor: string | undefined, query: EventQuery): Promise<EventPage>;

	/** The cursor behind the newest event: what is read from it on has happened later. */
	head(): Promise<string>;

	/** How many jobs of a kind wait or run, for one tenant or for all. */
	pending(kind: string, tenant?: string): Promise<number>;

	/**
	 * Takes or keeps a duty that one process at a time has. True: `holder` has it for `leaseMs` from now. False:
	 * another one has it. `leaseMs` 0 gives it back. An end later than `leaseMs` from now does not hold: the clock
	 * was set back.
	 */
	lead(duty: string, holder: string, leaseMs: number): Promise<boolean>;
}
