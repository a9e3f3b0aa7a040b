import type { JsonObject } from '../ports/json.ts';
import type { SelfCheck } from '../ports/self-check.ts';
import type { JobDumps } from './dump.ts';
import type { Job, JobCallback, JobError, JobEvent } from './job.ts';

export * from './job.ts';

/** The fields of a job that its creator sets. */
export interface NewJob extends Pick<Job, 'id' | 'kind' | 'tenant' | 'principal' | 'model' | 'input' | 'maxAttempts'> {
	/** Whom to notify of the job's end. It is stored with the events of the end, not in the record. */
	readonly callback?: JobCallback;
}

/**
 * Which earlier create of the same principal a create repeats. With `key`: the one with that key, at most 24 hours old;
 * another fingerprint is refused with `E_IDEMPOTENCY_MISMATCH`. Without `key` and with `retry` above 0: the newest one
 * with an equal fingerprint, at most 10 minutes old, unless the job was received with the same or a higher count.
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
	/** How many pending jobs of this kind the tenant may have. 0: only a repeated request succeeds. */
	readonly maxPending?: number;
}

/** Which jobs {@link JobStore.list} returns. */
export interface JobListOptions {
	readonly kind: string;
	/** An id; the list starts after it. No job needs to have this id. */
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

/** `lost`: another attempt owns the job, or it ended or was removed. The attempt must stop and write nothing. */
export type Heartbeat = 'ok' | 'cancel' | 'lost';

/** What a heartbeat may write. */
export interface HeartbeatUpdate {
	/** Ignored when it is below the stored value. Capped below 1. */
	readonly progress?: number;
	readonly checkpoint?: string;
}

/** The options of {@link JobStore.take}. */
export interface TakeOptions {
	readonly leaseMs: number;
	/** The maximum number of jobs. */
	readonly count: number;
	/** The models that this worker has; absent: any. */
	readonly models?: readonly string[] | undefined;
	/** The maximum number of jobs by model; a model without an entry has no maximum. Only with `models`. */
	readonly limits?: Readonly<Record<string, number>> | undefined;
	/** The maximum concurrent jobs of one tenant in this worker, including those in `running`; absent: no maximum. */
	readonly perTenant?: number | undefined;
	/** Ids of jobs that the worker still runs: `take` does not hand out or end them, even when a lease has lapsed. */
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
	/** Milliseconds from the completion until the content expires; null: it stays as long as the record. */
	readonly retentionMs: number | null;
}

/** Which events {@link JobStore.events} returns. */
export interface EventQuery {
	readonly tenant?: string;
	readonly jobId?: string;
	readonly limit: number;
}

/** Events after a cursor, in their order. */
export interface EventPage {
	readonly events: readonly JobEvent[];
	/** Continues after the last of them. Without events: the given cursor, or `head` if that is beyond the log. */
	readonly cursor: string;
	/**
	 * Whether events of any tenant after the given cursor were trimmed, or the cursor is beyond the log, as after a
	 * restored backup. Always false without a cursor.
	 */
	readonly missed: boolean;
}

/**
 * The durable store of jobs, with the rules of `jobs/state.ts`. Every method is atomic, and resolves when its changes
 * are durable. Only `sweep`, `swept`, `known` and `events` see removed jobs. Reading a job requires its tenant.
 * All instants come from the store's clock; callers pass durations, which are rounded to whole milliseconds. If the
 * clock is set forwards, leases lapse early, by one lease at most. If it is set backwards, a lease ends at most one
 * lease after the next `tidy`. Retries and expiries are always due at their recorded instants.
 */
export interface JobStore extends SelfCheck, JobDumps {
	/**
	 * Identifies this store. Each store has its own identity, and keeps it as long as its jobs, also in a backup. All
	 * stores in memory share one, because their jobs end with the process. 1 to 200 characters of `[A-Za-z0-9-]`.
	 */
	identity(): Promise<string>;

	/**
	 * Stores a queued job, with event `job.queued`, or returns the earlier job of a repeat with `replayed: true`. Rejects
	 * with `E_IDEMPOTENCY_MISMATCH`, with `E_QUEUE_FULL` if a new job would exceed `maxPending`, or with `E_STORE_FULL`.
	 */
	create(job: NewJob, options?: CreateOptions): Promise<{ readonly job: Job; readonly replayed: boolean }>;

	/** Reads one job; null when it is unknown to this tenant. */
	get(tenant: string, id: string): Promise<Job | null>;

	/** Lists a tenant's jobs of one kind by id. With `limit` 0, the page is empty and has a valid `hasMore`. */
	list(tenant: string, options: JobListOptions): Promise<JobPage>;

	/**
	 * Cancels a job: a queued one fails at once with code `cancelled`, a running one is notified at its next heartbeat,
	 * an ended one does not change. Returns the job after the call; null when unknown.
	 */
	requestCancel(tenant: string, id: string): Promise<Job | null>;

	/**
	 * Removes a job in any state, with event `job.deleted`: a running attempt is `lost`, and the bytes become due for
	 * `sweep`. Returns the job as it was; null when unknown.
	 */
	remove(tenant: string, id: string): Promise<Job | null>;

	/**
	 * Hands out jobs of one kind that are queued and due, or whose lease has lapsed: `attempt` + 1, `fence` + 1, status
	 * `in_progress`, event `job.started`. Tenants take turns across all workers, in the order of their names, starting
	 * after the tenant that was served last. Each tenant's oldest job, by id, comes first.
	 * Before that, due jobs that may not run again end: with `cancelled` if that was requested, with `attempts_exhausted`
	 * if no attempt is left. A call also records for `offerMs` which models the worker offers.
	 */
	take(kind: string, worker: string, options: TakeOptions): Promise<readonly Claim[]>;

	/** Jobs of these models that `take` may hand out or end now, oldest first by id, at most `limit`. */
	due(kind: string, models: readonly string[], limit: number): Promise<readonly DueJob[]>;

	/**
	 * Renews the lease for its full length and writes progress and checkpoint. A lapsed lease is renewed too, while no
	 * other worker has taken the job, so that a clock that is set forwards costs no attempt.
	 */
	heartbeat(id: string, fence: number, update?: HeartbeatUpdate): Promise<Heartbeat>;

	/**
	 * Ends the attempt with success and event `job.completed`. False: the fence is old, nothing was written. The same
	 * call of `complete`, `fail` or `release` may be repeated, as after a lost response: it returns true, without effect.
	 */
	complete(id: string, fence: number, completion: Completion): Promise<boolean>;

	/**
	 * Ends the attempt with a failure. With `retryInMs`, the job is queued again and due after that time, if attempts are
	 * left; otherwise it is `failed` with `error`. False: the fence is old.
	 */
	fail(id: string, fence: number, error: JobError, retryInMs?: number): Promise<boolean>;

	/** Queues the job of an interrupted attempt again; the attempt does not count. False: the fence is old. */
	release(id: string, fence: number): Promise<boolean>;

	/** Lists what is due for deletion: delete the bytes, then call `swept`. A removed job is not due during its lease. */
	sweep(limit: number): Promise<readonly SweepItem[]>;

	/** Marks sweep items as deleted: `content` is not listed again, the row of `record` is deleted. */
	swept(items: readonly SweepItem[]): Promise<void>;

	/**
	 * Trims events older than the retention of records, shortens leases that end later than their length from now, and
	 * ends due jobs whose model no worker offers: the first call that finds such a job notes the time, and a call that
	 * still finds it `modelWaitMs` later ends it, unless a call in between saw an offer.
	 */
	tidy(): Promise<void>;

	/** Which of the ids, 1,000 at most, have a row, removed or not, in no order. An id without a row owns no bytes. */
	known(ids: readonly string[]): Promise<readonly string[]>;

	/** Events after an opaque cursor, or from the oldest, in commit order. Bad cursor: rejects with `E_VALUE_INVALID`. */
	events(cursor: string | undefined, query: EventQuery): Promise<EventPage>;

	/** The cursor after the newest event. */
	head(): Promise<string>;

	/** How many jobs of a kind wait or run, for one tenant or for all. */
	pending(kind: string, tenant?: string): Promise<number>;

	/**
	 * Acquires or renews, for `leaseMs` from now, a duty that one process has at a time; 0 releases it. False: another
	 * holder has it. A stored end later than `leaseMs` from now is invalid: the clock was set back.
	 */
	lead(duty: string, holder: string, leaseMs: number): Promise<boolean>;

	/** The time of the store, if it has its own clock. Hosts that share the store adjust their clocks to it. */
	now?(): Promise<number>;
}
