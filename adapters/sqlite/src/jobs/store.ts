import {
	absentFrom,
	type Claim,
	type Clock,
	type Completion,
	type CreateOptions,
	checkLoadable,
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
	type JobDump,
	type JobError,
	type JobListOptions,
	type JobPage,
	type JobStore,
	jobState,
	modelWaitMs,
	type NewJob,
	offerInstant,
	offerMs,
	pagesOf,
	partsOf,
	retryWindowMs,
	type SweepItem,
	services,
	type TakeOptions,
} from '@plinth/core';
import { z } from 'zod';
import type { Parameters } from '../engine/connection.ts';
import { type Database, fileOption, openDatabase } from '../engine/database.ts';
import { type EventRow, type JobRow, type LogBounds, type SweepRow, toEvent, toEventRow, toJob } from './rows.ts';
import * as sql from './statements.ts';
import { type StoredRow, selectStoredOf, selectStoredPage, toRow, toStored } from './stored.ts';

const cancelled = errorJson(errors.E_JOB_CANCELLED);
const exhausted = errorJson(errors.E_JOB_ATTEMPTS);
const noWorker = errorJson(errors.E_JOB_NO_WORKER);

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

/** `JobStore` on a SQLite file: writes are commands to the writer thread, reads run in the calling thread. */
export class SqliteJobStore implements JobStore {
	readonly #db: Database;
	readonly #clock: Clock;
	readonly #recordRetentionMs: number;
	/** Whether the last take returned no job. */
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
		const remaining = limit - records.length;
		const contents = remaining > 0 ? this.#db.all<SweepRow>(sql.dueContents, { now, limit: remaining }) : [];
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
		// Read after the events. A trim between the two reads may report a gap that is none, but never hides a gap.
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
			// Housekeeping frees space, so it runs although a full disk stores no lease, even in several processes at once.
			if (isPlinthError(error) && error.code === 'E_STORE_FULL') return true;
			throw error;
		});
	}

	async identity(): Promise<string> {
		const [id] = this.#db.get<readonly [string]>(sql.selectIdentity) ?? [];
		if (id === undefined) throw new Error('The table "identity" of the file is empty.');
		return id;
	}

	async *dump(): AsyncGenerator<JobDump> {
		const [oldest, newest] = this.#bounds();
		yield { type: 'store', identity: await this.identity(), trimmed: String(oldest - 1), head: String(newest) };
		const jobs = (last: StoredRow = ['']) => this.#db.all<StoredRow>(selectStoredPage, last[0] ?? null);
		for await (const row of pagesOf(jobs)) yield { type: 'job', job: toStored(row) };
		const page = sql.selectEvents(false, false);
		const events = ([cursor]: EventRow | [number] = [0]) => this.#db.all<EventRow>(page, { cursor, limit: 200 });
		for await (const row of pagesOf(events)) yield { type: 'event', event: toEvent(row) };
	}

	async load(parts: readonly JobDump[]): Promise<void> {
		const { store, jobs, events } = partsOf(parts);
		const [hasJobs] = this.#db.get<readonly [number]>(sql.hasJobs) ?? [];
		const own = { identity: await this.identity(), head: await this.head(), hasJobs: hasJobs === 1 };
		if (store) checkLoadable(store, own);
		const ids = JSON.stringify(jobs.map(({ id }) => id));
		const places = JSON.stringify(events.map(({ cursor }) => jobState.eventPosition(cursor)));
		const presentJobs = this.#db.all<StoredRow>(selectStoredOf, ids).map(toStored);
		const presentEvents = this.#db.all<EventRow>(sql.selectPlaced, places).map(toEvent);
		await this.#db.write('jobs.load', {
			store: store && { identity: store.identity, head: jobState.eventPosition(store.head) },
			jobs: absentFrom(presentJobs, jobs, ({ id }) => id).map(toRow),
			events: absentFrom(presentEvents, events, ({ cursor }) => `event ${cursor}`).map(toEventRow),
		});
	}

	check(): Promise<readonly string[]> {
		return this.#db.check();
	}

	/** Whether a take would change nothing. An idle worker polls often, and this check avoids a write each time. */
	#hasNothing(offer: Parameters, now: number): boolean {
		const [isDue, isOffered] = this.#db.get<readonly [number, number]>(sql.selectLook, { ...offer, now }) ?? [];
		return isDue === 0 && isOffered === 1;
	}

	/** The positions of the oldest kept event (without one, of the next event) and of the newest event ever appended. */
	#bounds(): readonly [oldest: number, newest: number] {
		const [oldest, newest] = this.#db.get<LogBounds>(sql.selectLogBounds) ?? [null, null];
		return [oldest ?? (newest ?? 0) + 1, newest ?? 0];
	}

	/** The times that a command writes when it ends a job: the end, and when the record is deleted. */
	#ending(): { readonly now: number; readonly recordDueAt: number } {
		const now = this.#clock.now();
		return { now, recordDueAt: now + this.#recordRetentionMs };
	}
}

function errorJson(spec: { readonly code: string; readonly message: string }): string {
	return JSON.stringify({ code: spec.code, message: spec.message } satisfies JobError);
}
