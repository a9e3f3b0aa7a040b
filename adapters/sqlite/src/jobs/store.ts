import {
	type Claim,
	type Clock,
	type Completion,
	type CreateOptions,
	type DueJob,
	defineBackend,
	type EventPage,
	type EventQuery,
	errors,
	type Heartbeat,
	type HeartbeatUpdate,
	idempotencyKeyMs,
	isPlinthError,
	type Job,
	type JobError,
	type JobListOptions,
	type JobPage,
	type JobStore,
	jobState,
	modelWaitMs,
	type NewJob,
	offerInstant,
	offerMs,
	retryWindowMs,
	type SweepItem,
	services,
	type TakeOptions,
} from '@plinth/core';
import { z } from 'zod';
import type { Parameters } from '../engine/connection.ts';
import { type Database, fileOption, openDatabase } from '../engine/database.ts';
import { type EventRow, type JobRow, type LogBounds, type SweepRow, toEvent, toJob } from './rows.ts';
import * as sql from './statements.ts';

const cancelled = endedBy(errors.E_JOB_CANCELLED);
const exhausted = endedBy(errors.E_JOB_ATTEMPTS);
const noWorker = endedBy(errors.E_JOB_NO_WORKER);

/** Jobs in a SQLite file. */
export const sqliteJobs = defineBackend({
	name: 'sqliteJobs',
	provides: services.jobs,
	config: z.strictObject({
		file: fileOption,
		/** How long an ended job, and every event, is kept. */
		recordRetentionHours: z.coerce.number<number | string>().positive().default(168),
	}),
	needs: { clock: services.clock },
	async create({ config, services: { clock }, log, onStop }) {
		const { database, close } = await openDatabase(config.file, log);
		onStop(close);
		return new SqliteJobStore(database, clock, Math.round(config.recordRetentionHours * 3_600_000));
	},
});

/** `JobStore` on a SQLite file: writes are commands to the writer thread, reads run here. */
export class SqliteJobStore implements JobStore {
	readonly #db: Database;
	readonly #clock: Clock;
	readonly #recordRetentionMs: number;
	/** Whether the last take gave nothing. */
	#isIdle = true;

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
		const { row, replayed } = await this.#db.write('jobs.create', {
			job: { id, kind, tenant, principal, model, input, maxAttempts, callback },
			key: idempotency?.key ?? null,
			fingerprint: idempotency?.fingerprint ?? null,
			retry: idempotency?.retry ?? 0,
			keySince: now - idempotencyKeyMs,
			retrySince: now - retryWindowMs,
			maxPending,
			now,
		});
		return { job: toJob(row, now), replayed };
	}

	async get(tenant: string, id: string): Promise<Job | null> {
		const row = this.#db.get<JobRow>(sql.selectJob, tenant, id);
		return row ? toJob(row, this.#clock.now()) : null;
	}

	async list(tenant: string, options: JobListOptions): Promise<JobPage> {
		const { kind, after, limit } = options;
		const values = { tenant, kind, limit: limit + 1, ...(after !== undefined && { after }) };
		const rows = this.#db.all<JobRow>(sql.selectPage(options), values);
		const now = this.#clock.now();
		const jobs = rows.slice(0, limit).map((row) => toJob(row, now));
		return { jobs, hasMore: rows.length > limit };
	}

	async requestCancel(tenant: string, id: string): Promise<Job | null> {
		const ending = { ...this.#ending(), cancelled };
		const row = await this.#db.write('jobs.cancel', { tenant, id, ...ending });
		return row && toJob(row, ending.now);
	}

	async remove(tenant: string, id: string): Promise<Job | null> {
		const now = this.#clock.now();
		const row = await this.#db.write('jobs.remove', { tenant, id, now });
		return row && toJob(row, now);
	}

	async take(kind: string, worker: string, options: TakeOptions): Promise<readonly Claim[]> {
		const { count, perTenant = null } = options;
		const ending = this.#ending();
		const models = options.models ? JSON.stringify(options.models) : null;
		const offer = { kind, worker, models, seenAt: offerInstant(ending.now) };
		if (this.#isIdle && this.#hasNothing(offer, ending.now)) return [];
		const rows = await this.#db.write('jobs.take', {
			...offer,
			leaseMs: Math.round(options.leaseMs),
			count,
			limits: options.limits ?? {},
			perTenant,
			running: JSON.stringify(options.running ?? []),
			...ending,
			cancelled,
			exhausted,
		});
		this.#isIdle = rows.length === 0;
		return rows.map((row) => ({ job: toJob(row, ending.now), fence: row[13] }));
	}

	async due(kind: string, models: readonly string[], limit: number): Promise<readonly DueJob[]> {
		const input = { kind, models: JSON.stringify(models), now: this.#clock.now(), limit };
		const rows = this.#db.all<readonly [id: string, tenant: string, model: string]>(sql.selectDue, input);
		return rows.map(([id, tenant, model]) => ({ id, tenant, model }));
	}

	async heartbeat(id: string, fence: number, update: HeartbeatUpdate = {}): Promise<Heartbeat> {
		const { progress = 0, checkpoint = null } = update;
		const now = this.#clock.now();
		return this.#db.write('jobs.heartbeat', { id, fence, progress, checkpoint, now });
	}

	complete(id: string, fence: number, completion: Completion): Promise<boolean> {
		const { retentionMs } = completion;
		const ending = this.#ending();
		const expiresAt = retentionMs === null ? null : ending.now + Math.round(retentionMs);
		const result = JSON.stringify(completion.result);
		return this.#db.write('jobs.complete', { id, fence, result, expiresAt, ...ending });
	}

	fail(id: string, fence: number, jobError: JobError, retryInMs?: number): Promise<boolean> {
		const error = JSON.stringify(jobError);
		const ending = this.#ending();
		const retryAt = retryInMs === undefined ? null : ending.now + Math.round(retryInMs);
		return this.#db.write('jobs.fail', { id, fence, error, retryAt, ...ending });
	}

	release(id: string, fence: number): Promise<boolean> {
		return this.#db.write('jobs.release', { id, fence, now: this.#clock.now() });
	}

	async sweep(limit: number): Promise<readonly SweepItem[]> {
		const now = this.#clock.now();
		const records = this.#db.all<SweepRow>(sql.dueRecords, { now, limit });
		const left = limit - records.length;
		const contents = left > 0 ? this.#db.all<SweepRow>(sql.dueContents, { now, limit: left }) : [];
		return [...records, ...contents].map(([due, id, kind, tenant]) => ({ due, id, kind, tenant }));
	}

	swept(items: readonly SweepItem[]): Promise<void> {
		return this.#db.write('jobs.swept', { items });
	}

	tidy(): Promise<void> {
		const ending = this.#ending();
		const { now } = ending;
		return this.#db.write('jobs.tidy', {
			eventsBefore: now - this.#recordRetentionMs,
			offersBefore: now - offerMs,
			seenAt: offerInstant(now),
			unofferedBefore: now - modelWaitMs,
			noWorker,
			...ending,
		});
	}

	async known(ids: readonly string[]): Promise<readonly string[]> {
		return this.#db.all<readonly [string]>(sql.selectKnown, { ids: JSON.stringify(ids) }).map(([id]) => id);
	}

	async events(cursor: string | undefined, { tenant, jobId, limit }: EventQuery): Promise<EventPage> {
		const rows = this.#db.all<EventRow>(sql.selectEvents(tenant !== undefined, jobId !== undefined), {
			cursor: jobState.eventPosition(cursor),
			limit,
			...(tenant !== undefined && { tenant }),
			...(jobId !== undefined && { jobId }),
		});
		// After the events: what is trimmed between the two reads is told once too often, and never once too little.
		return jobState.eventPage(rows.map(toEvent), cursor, ...this.#bounds());
	}

	async head(): Promise<string> {
		return String(this.#bounds()[1]);
	}

	async pending(kind: string, tenant?: string): Promise<number> {
		const select = tenant === undefined ? sql.countPending : sql.countPendingOf;
		const [count = 0] =
			this.#db.get<readonly [number]>(select, { kind, ...(tenant !== undefined && { tenant }) }) ?? [];
		return count;
	}

	async lead(duty: string, holder: string, leaseMs: number): Promise<boolean> {
		const now = this.#clock.now();
		const input = { duty, holder, now, until: now + leaseMs };
		if (this.#db.get(sql.selectLeader, input)) return false;
		return this.#db.write('jobs.lead', input).catch((error: unknown) => {
			// Housekeeping makes room, so it goes on where a full disk takes no lease, if need be in several processes.
			if (isPlinthError(error) && error.code === 'E_STORE_FULL') return true;
			throw error;
		});
	}

	async identity(): Promise<string> {
		const [id] = this.#db.get<readonly [string]>(sql.selectIdentity) ?? [];
		if (id === undefined) throw new Error('The table "identity" of the file is empty.');
		return id;
	}

	check(): Promise<readonly string[]> {
		return this.#db.check();
	}

	/** Whether a take would change nothing: a worker without work asks often, and writes seldom. */
	#hasNothing(offer: Parameters, now: number): boolean {
		const [isDue, isOffered] = this.#db.get<readonly [number, number]>(sql.selectLook, { ...offer, now }) ?? [];
		return isDue === 0 && isOffered === 1;
	}

	/** The numbers of the oldest event that is kept, or of the next when none is, and of the newest there ever was. */
	#bounds(): readonly [oldest: number, newest: number] {
		const [oldest, newest] = this.#db.get<LogBounds>(sql.selectLogBounds) ?? [null, null];
		return [oldest ?? (newest ?? 0) + 1, newest ?? 0];
	}

	/** What a command that ends a job writes besides: when it ended, and when its record goes. */
	#ending(): { readonly now: number; readonly recordDueAt: number } {
		const now = this.#clock.now();
		return { now, recordDueAt: now + this.#recordRetentionMs };
	}
}

function endedBy(spec: { readonly code: string; readonly message: string }): string {
	return JSON.stringify({ code: spec.code, message: spec.message } satisfies JobError);
}
