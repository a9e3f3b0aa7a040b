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
	idempotencyKeyMs,
	invalidValue,
	type Job,
	type JobError,
	type JobListOptions,
	type JobPage,
	type JobStore,
	type NewJob,
	retryWindowMs,
	type SweepItem,
} from '@plinth/core';
import type { Database } from '../engine/database.ts';
import {
	type EventRow,
	type JobList,
	type JobRow,
	type LogBounds,
	listToJob,
	toEvent,
	toJob,
} from './rows.ts';
import * as sql from './statements.ts';

const cancelled = endedBy(errors.E_JOB_CANCELLED);
const exhausted = endedBy(errors.E_JOB_ATTEMPTS);

/** `JobStore` on a SQLite file: writes are commands to the writer thread, reads run here. */
export class SqliteJobStore implements JobStore {
	readonly #db: Database;
	readonly #clock: Clock;
	readonly #recordRetentionMs: number;

	constructor(database: Database, clock: Clock, recordRetentionMs: number) {
		this.#db = database;
		this.#clock = clock;
		this.#recordRetentionMs = recordRetentionMs;
	}

	async create(job: NewJob, options: CreateOptions = {}) {
		const now = this.#clock.now();
		const { idempotency, maxPending = null } = options;
		const { id, kind, tenant, principal, model, maxAttempts } = job;
		const input = JSON.stringify(job.input);
		const callback = job.callback ? JSON.stringify(job.callback) : null;
		const { list, replayed } = await this.#db.write('jobs.create', {
			job: { id, kind, tenant, principal, model, input, maxAttempts, callback },
			key: idempotency?.key ?? null,
			fingerprint: idempotency?.fingerprint ?? null,
			retry: idempotency?.retry ?? 0,
			keySince: now - idempotencyKeyMs,
			retrySince: now - retryWindowMs,
			maxPending,
			now,
		});
		return { job: listToJob(list), replayed };
	}

	async get(tenant: string, id: string): Promise<Job | null> {
		const list = this.#db.getList<JobList>(sql.readJob, tenant, id);
		return list ? listToJob(list) : null;
	}

	async list(tenant: string, options: JobListOptions): Promise<JobPage> {
		const { kind, after, limit, order, pending = false } = options;
		const position = after === undefined ? {} : { after };
		const select = pending ? sql.selectPendingPage : sql.selectPage;
		const rows = this.#db.all<JobRow>(select(order, after === undefined), {
			tenant,
			kind,
			limit: limit + 1,
			...position,
		});
		return { jobs: rows.slice(0, limit).map(toJob), hasMore: rows.length > limit };
	}

	async requestCancel(tenant: string, id: string): Promise<Job | null> {
		const ending = { ...this.#ending(), cancelled };
		return toJobOrNull(await this.#db.write('jobs.cancel', { tenant, id, ...ending }));
	}

	async remove(tenant: string, id: string): Promise<Job | null> {
		const now = this.#clock.now();
		return toJobOrNull(await this.#db.write('jobs.remove', { tenant, id, now }));
	}

	async claim(id: string, worker: string, lease: number): Promise<Claim | null> {
		const leaseMs = Math.round(lease);
		const ending = { ...this.#ending(), cancelled, exhausted };
		const list = await this.#db.write('jobs.claim', { id, worker, leaseMs, ...ending });
		return list && { job: listToJob(list), fence: list[13] };
	}

	async heartbeat(id: string, fence: number, update: HeartbeatUpdate = {}): Promise<Heartbeat> {
		const { progress = 0, checkpoint = null } = update;
		const now = this.#clock.now();
		const answer = await this.#db.write('jobs.heartbeat', { id, fence, progress, checkpoint, now });
		if (!answer) return 'lost';
		return answer.cancel_requested === 1 ? 'cancel' : 'ok';
	}

	complete(id: string, fence: number, completion: Completion): Promise<boolean> {
		const expiresAt = completion.expiresAt === null ? null : Math.round(completion.expiresAt);
		const result = JSON.stringify(completion.result);
		return this.#db.write('jobs.complete', { id, fence, result, expiresAt, ...this.#ending() });
	}

	fail(id: string, fence: number, jobError: JobError, retryAt?: number): Promise<boolean> {
		const error = JSON.stringify(jobError);
		const retry = retryAt === undefined ? null : Math.round(retryAt);
		return this.#db.write('jobs.fail', { id, fence, error, retryAt: retry, ...this.#ending() });
	}

	release(id: string, fence: number): Promise<boolean> {
		return this.#db.write('jobs.release', { id, fence, now: this.#clock.now() });
	}

	async claimable(
		kind: string,
		{ after = '', limit }: { readonly after?: string; readonly limit: number },
	): Promise<readonly ClaimableJob[]> {
		return this.#db
			.all<ClaimableJob>(sql.claimable, { now: this.#clock.now(), kind, after, limit })
			.map((row) => ({ ...row }));
	}

	async sweep(now: number, limit: number): Promise<readonly SweepItem[]> {
		const records = this.#db.all<SweepItem>(sql.dueRecords, { now, limit });
		const left = limit - records.length;
		const contents = left > 0 ? this.#db.all<SweepItem>(sql.dueContents, { now, limit: left }) : [];
		return [...records, ...contents].map((row) => ({ ...row }));
	}

	swept(items: readonly SweepItem[]): Promise<void> {
		const now = this.#clock.now();
		const eventsBefore = now - this.#recordRetentionMs;
		return this.#db.write('jobs.swept', { items, eventsBefore, now });
	}

	async known(ids: readonly string[]): Promise<readonly string[]> {
		const rows = this.#db.all<{ id: string }>(sql.selectKnown, { ids: JSON.stringify(ids) });
		return rows.map(({ id }) => id);
	}

	async events(
		cursor: string | undefined,
		{ tenant, jobId, limit }: EventQuery,
	): Promise<EventPage> {
		const position = positionOf(cursor);
		const rows = this.#db.all<EventRow>(
			sql.selectEvents(tenant !== undefined, jobId !== undefined),
			{
				cursor: position,
				limit,
				...(tenant !== undefined && { tenant }),
				...(jobId !== undefined && { jobId }),
			},
		);
		// After the events: what is trimmed between the two reads is told once too often, and never once too little.
		const [oldest, newest] = this.#bounds();
		// Not one that this log has given: whatever the reader has followed is not here.
		if (position > newest) return { events: [], cursor: String(newest), missed: true };
		const events = rows.map(toEvent);
		return {
			events,
			cursor: events.at(-1)?.cursor ?? String(position),
			missed: cursor !== undefined && position < oldest - 1,
		};
	}

	async head(): Promise<string> {
		return String(this.#bounds()[1]);
	}

	async pending(kind: string, tenant?: string): Promise<number> {
		const row =
			tenant === undefined
				? this.#db.get<{ count: number }>(sql.countPending, { kind })
				: this.#db.get<{ count: number }>(sql.countPendingOf, { kind, tenant });
		return row?.count ?? 0;
	}

	check(): Promise<readonly string[]> {
		return this.#db.check();
	}

	/** The numbers of the oldest event that is kept, or of the next when none is, and of the newest there ever was. */
	#bounds(): readonly [oldest: number, newest: number] {
		const [oldest, newest] = this.#db.getList<LogBounds>(sql.selectLogBounds) ?? [null, null];
		return [oldest ?? (newest ?? 0) + 1, newest ?? 0];
	}

	/** What a command that ends a job writes besides: when it ended, and when its record goes. */
	#ending(): { readonly now: number; readonly recordDueAt: number } {
		const now = this.#clock.now();
		return { now, recordDueAt: now + this.#recordRetentionMs };
	}
}

function positionOf(cursor = '0'): number {
	if (!/^\d{1,15}$/.test(cursor)) throw invalidValue('cursor', 'The event cursor is malformed.');
	return Number(cursor);
}

function toJobOrNull(row: JobRow | undefined | null): Job | null {
	return row ? toJob(row) : null;
}

function endedBy(spec: { readonly code: string; readonly message: string }): string {
	return JSON.stringify({ code: spec.code, message: spec.message } satisfies JobError);
}
