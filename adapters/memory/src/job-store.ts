import {
	type Claim,
	type ClaimableJob,
	type Clock,
	type Completion,
	type CreateOptions,
	type EventPage,
	type EventQuery,
	errors,
	type Heartbeat,
	type HeartbeatUpdate,
	type Job,
	type JobError,
	type JobEventType,
	type JobListOptions,
	type JobPage,
	type JobStore,
	type NewJob,
	plinthError,
	type SweepItem,
} from '@plinth/core';
import { EventLog } from './event-log.ts';
import { findRepeat } from './idempotency.ts';
import { byAge, type Ending, isPending, type JobRow, newRow } from './job-row.ts';

/** The largest progress a job that still runs may show. */
const progressCap = 0.99;

const cancelled = endedBy(errors.E_JOB_CANCELLED);
const attemptsExhausted = endedBy(errors.E_JOB_ATTEMPTS);

/**
 * The reference implementation of `JobStore`: the contract in the fewest words. Bodies never await, so each method is one
 * transaction; what goes in and comes out is copied, so that callers cannot reach the rows.
 */
export class MemoryJobStore implements JobStore {
	readonly #rows = new Map<string, JobRow>();
	readonly #log = new EventLog();
	readonly #clock: Clock;
	readonly #recordRetentionMs: number;

	constructor(clock: Clock, recordRetentionMs: number) {
		this.#clock = clock;
		this.#recordRetentionMs = recordRetentionMs;
	}

	async create(job: NewJob, options: CreateOptions = {}) {
		const now = this.#clock.now();
		const { idempotency, maxPending = Number.POSITIVE_INFINITY } = options;
		const earlier = idempotency && findRepeat(this.#visible(), job, idempotency, now);
		if (earlier) return { job: structuredClone(earlier.job), replayed: true };
		if (this.#countPending(job.kind, job.tenant) >= maxPending) throw plinthError('E_QUEUE_FULL');
		if (this.#rows.has(job.id)) throw new Error(`There is already a job with the id "${job.id}".`);

		const row = newRow(structuredClone(job), idempotency, now);
		this.#rows.set(job.id, row);
		this.#append('job.queued', row);
		return { job: structuredClone(row.job), replayed: false };
	}

	async get(tenant: string, id: string): Promise<Job | null> {
		const row = this.#find(tenant, id);
		return row ? structuredClone(row.job) : null;
	}

	async list(tenant: string, options: JobListOptions): Promise<JobPage> {
		const { kind, after, limit, order, pending = false } = options;
		const direction = order === 'asc' ? 1 : -1;
		const behind = (id: string) =>
			after === undefined || (order === 'asc' ? id > after : id < after);
		const jobs = this.#visible()
			.filter((row) => !pending || isPending(row))
			.map((row) => row.job)
			.filter((job) => job.tenant === tenant && job.kind === kind && behind(job.id))
			.sort((a, b) => (a.id < b.id ? -direction : direction));
		return { jobs: structuredClone(jobs.slice(0, limit)), hasMore: jobs.length > limit };
	}

	async requestCancel(tenant: string, id: string): Promise<Job | null> {
		const row = this.#find(tenant, id);
		if (!row) return null;
		const { status } = row.job;
		if (status === 'queued' || status === 'in_progress') {
			row.job = { ...row.job, cancelRequested: true };
			if (status === 'queued') this.#fail(row, cancelled);
		}
		return structuredClone(row.job);
	}

	async remove(tenant: string, id: string): Promise<Job | null> {
		const row = this.#find(tenant, id);
		if (!row) return null;
		const now = this.#clock.now();
		row.removed = true;
		row.recordDueAt =
			row.job.status === 'in_progress' ? Math.max(now, row.claimableAt ?? now) : now;
		row.contentDueAt = null;
		row.claimableAt = null;
		this.#append('job.deleted', row);
		return structuredClone(row.job);
	}

	async claim(id: string, _worker: string, leaseMs: number): Promise<Claim | null> {
		const now = this.#clock.now();
		const row = this.#rows.get(id);
		if (!row || row.claimableAt === null || row.claimableAt > now) return null;

		const { job } = row;
		if (job.cancelRequested || job.attempt >= job.maxAttempts) {
			this.#fail(row, job.cancelRequested ? cancelled : attemptsExhausted);
			return null;
		}
		row.job = {
			...job,
			status: 'in_progress',
			attempt: job.attempt + 1,
			fence: job.fence + 1,
			startedAt: job.startedAt ?? now,
		};
		row.endedBy = null;
		row.leaseMs = Math.round(leaseMs);
		row.claimableAt = now + row.leaseMs;
		this.#append('job.started', row);
		return { job: structuredClone(row.job), fence: row.job.fence };
	}

	async heartbeat(id: string, fence: number, update: HeartbeatUpdate = {}): Promise<Heartbeat> {
		const row = this.#owned(id, fence);
		if (!row) return 'lost';
		const { job } = row;
		row.claimableAt = this.#clock.now() + row.leaseMs;
		row.job = {
			...job,
			progress: Math.max(job.progress, Math.min(update.progress ?? 0, progressCap)),
			checkpoint: update.checkpoint ?? job.checkpoint,
		};
		return job.cancelRequested ? 'cancel' : 'ok';
	}

	async complete(id: string, fence: number, completion: Completion): Promise<boolean> {
		return this.#endAttempt('complete', id, fence, (row) => {
			const result = structuredClone(completion.result);
			const expiresAt = completion.expiresAt === null ? null : Math.round(completion.expiresAt);
			this.#end(row, { status: 'completed', progress: 1, result, expiresAt }, 'job.completed');
			row.contentDueAt = expiresAt;
		});
	}

	async fail(id: string, fence: number, error: JobError, retryAt?: number): Promise<boolean> {
		return this.#endAttempt('fail', id, fence, (row) => {
			const { job } = row;
			if (retryAt === undefined || job.attempt >= job.maxAttempts) {
				this.#fail(row, structuredClone(error));
			} else {
				// A job that only waits to be cancelled has no reason to wait for its retry.
				const dueAt = job.cancelRequested ? this.#clock.now() : Math.round(retryAt);
				this.#requeue(row, job.attempt, dueAt);
			}
		});
	}

	async release(id: string, fence: number): Promise<boolean> {
		return this.#endAttempt('release', id, fence, (row) => {
			this.#requeue(row, row.job.attempt - 1, this.#clock.now());
		});
	}

	async claimable(
		kind: string,
		{ after = '', limit }: { readonly after?: string; readonly limit: number },
	): Promise<readonly ClaimableJob[]> {
		const now = this.#clock.now();
		return [...this.#rows.values()]
			.filter(
				({ job, claimableAt }) =>
					job.kind === kind && job.id > after && claimableAt !== null && claimableAt <= now,
			)
			.map(({ job: { id, tenant } }) => ({ id, kind, tenant }))
			.sort((a, b) => (a.id < b.id ? -1 : 1))
			.slice(0, limit);
	}

	async sweep(now: number, limit: number): Promise<readonly SweepItem[]> {
		const rows = [...this.#rows.values()].sort(byAge);
		const isDue = (at: number | null) => at !== null && at <= now;
		const records = rows.filter((row) => isDue(row.recordDueAt));
		const contents = rows.filter((row) => isDue(row.contentDueAt) && !isDue(row.recordDueAt));
		const item = (due: SweepItem['due']) => (row: JobRow) => {
			const { id, kind, tenant } = row.job;
			return { due, id, kind, tenant };
		};
		return [...records.map(item('record')), ...contents.map(item('content'))].slice(0, limit);
	}

	async swept(items: readonly SweepItem[]): Promise<void> {
		for (const { due, id, tenant } of items) {
			const row = this.#rows.get(id);
			if (!row || row.job.tenant !== tenant) continue;
			if (due === 'content') row.contentDueAt = null;
			else if (row.recordDueAt !== null) this.#rows.delete(id);
		}
		const now = this.#clock.now();
		this.#log.dropBefore(now - this.#recordRetentionMs);
		for (const row of this.#rows.values()) {
			if (row.job.status === 'in_progress' && row.claimableAt !== null)
				row.claimableAt = Math.min(row.claimableAt, now + row.leaseMs);
		}
	}

	async events(cursor: string | undefined, query: EventQuery): Promise<EventPage> {
		return this.#log.read(cursor, query);
	}

	async head(): Promise<string> {
		return this.#log.head;
	}

	async known(ids: readonly string[]): Promise<readonly string[]> {
		return ids.filter((id) => this.#rows.has(id));
	}

	async pending(kind: string, tenant?: string): Promise<number> {
		return this.#countPending(kind, tenant);
	}

	#countPending(kind: string, tenant?: string): number {
		return this.#visible().filter(
			(row) =>
				row.job.kind === kind &&
				(tenant === undefined || row.job.tenant === tenant) &&
				isPending(row),
		).length;
	}

	#visible(): JobRow[] {
		return [...this.#rows.values()].filter((row) => !row.removed);
	}

	#find(tenant: string, id: string): JobRow | null {
		const row = this.#rows.get(id);
		return row && !row.removed && row.job.tenant === tenant ? row : null;
	}

	/** The row, while the attempt with this fence may write to it. A lapsed lease alone takes nothing away. */
	#owned(id: string, fence: number): JobRow | null {
		const row = this.#rows.get(id);
		const isOwner =
			row && !row.removed && row.job.status === 'in_progress' && row.job.fence === fence;
		return isOwner ? row : null;
	}

	/** Ends the attempt with this fence. A repeat of the call that ended it succeeds and does nothing. */
	#endAttempt(by: Ending, id: string, fence: number, write: (row: JobRow) => void): boolean {
		const row = this.#owned(id, fence);
		if (!row) return this.#isRepeat(by, id, fence);
		write(row);
		row.endedBy = by;
		return true;
	}

	#isRepeat(by: Ending, id: string, fence: number): boolean {
		const row = this.#rows.get(id);
		return row !== undefined && !row.removed && row.job.fence === fence && row.endedBy === by;
	}

	#requeue(row: JobRow, attempt: number, dueAt: number): void {
		row.job = { ...row.job, status: 'queued', attempt };
		row.claimableAt = dueAt;
		this.#append('job.queued', row);
	}

	#fail(row: JobRow, error: JobError): void {
		this.#end(row, { status: 'failed', error }, 'job.failed');
		row.contentDueAt = row.job.completedAt;
	}

	#end(row: JobRow, outcome: Partial<Job>, event: JobEventType): void {
		const now = this.#clock.now();
		row.job = { ...row.job, ...outcome, completedAt: now };
		row.claimableAt = null;
		row.recordDueAt = now + this.#recordRetentionMs;
		this.#append(event, row);
	}

	#append(type: JobEventType, { job, callback }: JobRow): void {
		const { id: jobId, kind, tenant, attempt, error } = job;
		const isEnd = type === 'job.completed' || type === 'job.failed';
		const data = {
			attempt,
			...(type === 'job.failed' && error && { code: error.code }),
			...(isEnd && callback && { callback }),
		};
		this.#log.append({ type, jobId, kind, tenant, at: this.#clock.now(), data });
	}
}

function endedBy(spec: { readonly code: string; readonly message: string }): JobError {
	return { code: spec.code, message: spec.message };
}
