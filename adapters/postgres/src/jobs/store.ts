import {
	type Claim,
	type Clock,
	type Completion,
	type CreateOptions,
	type DueJob,
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
	offerEveryMs,
	offerMs,
	plinthError,
	retryWindowMs,
	type SweepItem,
	type TakeOptions,
} from '@plinth/core';
import { Batch } from '../engine/batch.ts';
import type { DatabaseHandle } from '../engine/database.ts';
import type { Values } from '../engine/pool.ts';
import { dumpJobs, loadJobs } from './dump.ts';
import { ended, spent } from './endings.ts';
import { type AnswerRow, type EventRow, type JobRow, type SweepRow, toEvent, toJob } from './rows.ts';
import * as statements from './statements.ts';

/** A write for `run`. JSON of callers is in strings, because `jsonb` would change it. */
type Command = Readonly<Record<string, unknown>> & { readonly op: string };

interface Beat {
	readonly id: string;
	readonly fence: number;
	readonly progress: number;
}

/** `JobStore` in PostgreSQL. The time is that of the database, or in tests of a clock. */
export class PostgresJobStore implements JobStore {
	readonly #db: DatabaseHandle;
	readonly #recordRetentionMs: number;
	readonly #clock: Pick<Clock, 'now'> | undefined;
	readonly #writes: Batch<Command, readonly AnswerRow[]>;
	/** Separate from the writes, because a heartbeat does not wait for the lock of the log. */
	readonly #beats: Batch<Beat, Heartbeat>;
	readonly #gets: Batch<string, Job | undefined>;

	constructor(db: DatabaseHandle, recordRetentionMs: number, clock?: Pick<Clock, 'now'>) {
		this.#db = db;
		this.#recordRetentionMs = recordRetentionMs;
		this.#clock = clock;
		this.#writes = new Batch(db.pool.address, (commands) => this.#run(commands));
		this.#beats = new Batch(db.pool.address, (beats) => this.#beat(beats));
		this.#gets = new Batch(db.pool.address, (ids) => this.#find(ids));
	}

	async create(job: NewJob, options: CreateOptions = {}) {
		const { id, kind, tenant, principal, model, maxAttempts } = job;
		const { idempotency, maxPending } = options;
		const [row] = await this.#write('create', {
			id,
			kind,
			tenant,
			principal,
			model,
			input: JSON.stringify(job.input),
			max_attempts: maxAttempts,
			callback: job.callback && JSON.stringify(job.callback),
			key: idempotency?.key,
			fingerprint: idempotency?.fingerprint,
			retry: idempotency?.retry ?? 0,
			key_ms: idempotencyKeyMs,
			retry_ms: retryWindowMs,
			max_pending: maxPending,
		});
		if (row?.[2] === 'mismatch') throw plinthError('E_IDEMPOTENCY_MISMATCH');
		if (row?.[2] === 'queue-full') throw plinthError('E_QUEUE_FULL');
		const stored = jobIn(row);
		if (!stored) throw new Error(`The job ${id} was not stored.`);
		return { job: stored, replayed: row?.[2] === 'replayed' };
	}

	async get(tenant: string, id: string): Promise<Job | null> {
		const job = await this.#gets.call(id);
		return job?.tenant === tenant ? job : null;
	}

	async list(tenant: string, options: JobListOptions): Promise<JobPage> {
		const { kind, after, limit } = options;
		const values = [tenant, kind, limit + 1, ...(after === undefined ? [] : [after])];
		const jobs = await this.#jobs(statements.selectPage(options), values);
		return { jobs: jobs.slice(0, limit), hasMore: jobs.length > limit };
	}

	async requestCancel(tenant: string, id: string): Promise<Job | null> {
		const ending = ended(errors.E_JOB_CANCELLED);
		const [row] = await this.#write('cancel', { tenant, id, ...ending, record_ms: this.#recordRetentionMs });
		return jobIn(row);
	}

	async remove(tenant: string, id: string): Promise<Job | null> {
		const [row] = await this.#write('remove', { tenant, id });
		return jobIn(row);
	}

	async take(kind: string, worker: string, options: TakeOptions): Promise<readonly Claim[]> {
		const { models, limits, count, leaseMs, perTenant, running = [] } = options;
		const rows = await this.#write('take', {
			kind,
			worker,
			count,
			models,
			allowed: models?.filter((model) => limits?.[model] !== 0),
			limits,
			per_tenant: perTenant,
			running,
			lease_ms: Math.round(leaseMs),
			seen_ms: offerEveryMs,
			record_ms: this.#recordRetentionMs,
			...spent,
		});
		return rows.flatMap((row) => {
			const job = jobIn(row);
			return job ? [{ job, fence: job.fence }] : [];
		});
	}

	async due(kind: string, models: readonly string[], limit: number): Promise<readonly DueJob[]> {
		type Row = readonly [id: string, tenant: string, model: string];
		const rows = await this.#timed<Row>(statements.selectDue, [kind, models, limit]);
		return rows.map(([id, tenant, model]) => ({ id, tenant, model }));
	}

	async heartbeat(id: string, fence: number, update: HeartbeatUpdate = {}): Promise<Heartbeat> {
		const { progress = 0, checkpoint } = update;
		if (checkpoint === undefined) return this.#beats.call({ id, fence, progress });
		const values = { id, fence, progress, checkpoint: JSON.stringify(checkpoint) };
		const [row] = await this.#write('heartbeat', values);
		return (row?.[2] ?? 'lost') as Heartbeat;
	}

	complete(id: string, fence: number, { result, retentionMs }: Completion): Promise<boolean> {
		const retention = retentionMs === null ? null : Math.round(retentionMs);
		return this.#end('complete', { id, fence, result: JSON.stringify(result), retention_ms: retention });
	}

	fail(id: string, fence: number, error: JobError, retryInMs?: number): Promise<boolean> {
		const retry = retryInMs === undefined ? null : Math.round(retryInMs);
		return this.#end('fail', { id, fence, error: JSON.stringify(error), code: error.code, retry_ms: retry });
	}

	release(id: string, fence: number): Promise<boolean> {
		return this.#end('release', { id, fence });
	}

	async sweep(limit: number): Promise<readonly SweepItem[]> {
		const rows = await this.#timed<SweepRow>(statements.selectSwept, [limit]);
		return rows.map(([due, id, kind, tenant]) => ({ due, id, kind, tenant }));
	}

	async swept(items: readonly SweepItem[]): Promise<void> {
		await this.#write('swept', { items });
	}

	async tidy(): Promise<void> {
		const { error: no_worker, code: no_worker_code } = ended(errors.E_JOB_NO_WORKER);
		const spans = { offer_ms: offerMs, seen_ms: offerEveryMs, wait_ms: modelWaitMs };
		await this.#write('tidy', { record_ms: this.#recordRetentionMs, ...spans, no_worker, no_worker_code });
	}

	async known(ids: readonly string[]): Promise<readonly string[]> {
		return (await this.#read<readonly [string]>(statements.selectKnown, [ids])).map(([id]) => id);
	}

	async events(cursor: string | undefined, { tenant, jobId, limit }: EventQuery): Promise<EventPage> {
		type Row = readonly [trimmed: number, newest: number, ...EventRow] | readonly [number, number, null];
		const filters = [tenant, jobId].filter((value) => value !== undefined);
		const text = statements.selectEvents(tenant !== undefined, jobId !== undefined);
		const rows = await this.#read<Row>(text, [jobState.eventPosition(cursor), limit, ...filters]);
		const [trimmed = 0, newest = 0] = rows[0] ?? [];
		const events = rows.flatMap(([, , ...row]) => (row[0] === null ? [] : [toEvent(row as EventRow)]));
		return jobState.eventPage(events, cursor, trimmed + 1, newest);
	}

	async head(): Promise<string> {
		const [row] = await this.#read<readonly [trimmed: number, newest: number]>(statements.selectBounds);
		return String(row?.[1] ?? 0);
	}

	async pending(kind: string, tenant?: string): Promise<number> {
		const [row] = await this.#read<readonly [number]>(statements.countPending, [kind, tenant ?? null]);
		return row?.[0] ?? 0;
	}

	async lead(duty: string, holder: string, leaseMs: number): Promise<boolean> {
		try {
			return (await this.#timed(statements.lead, [duty, holder, leaseMs])).length > 0;
		} catch (error) {
			// Housekeeping frees space, so it runs although a full disk stores no lease, even in several processes at once.
			if (isPlinthError(error) && error.code === 'E_STORE_FULL') return true;
			throw error;
		}
	}

	async identity(): Promise<string> {
		const [row] = await this.#read<readonly [string]>(statements.selectIdentity);
		if (!row) throw new Error('The table "identity" of the schema is empty.');
		return row[0];
	}

	dump(): AsyncIterable<JobDump> {
		return dumpJobs(this.#db);
	}

	load(parts: readonly JobDump[]): Promise<void> {
		return loadJobs(this.#db, parts);
	}

	async now(): Promise<number> {
		const [row] = await this.#timed<readonly [number]>(statements.selectNow, []);
		return row?.[0] ?? Date.now();
	}

	async ping(): Promise<void> {
		await this.#db.pool.read('SELECT 1');
	}

	/** Waits for the writes in progress. */
	async close(): Promise<void> {
		await Promise.all([this.#writes.settled(), this.#beats.settled()]);
	}

	async #end(op: string, values: Readonly<Record<string, unknown>>): Promise<boolean> {
		const [row] = await this.#write(op, { ...values, record_ms: this.#recordRetentionMs });
		return row?.[2] === 'true';
	}

	#write(op: string, values: Readonly<Record<string, unknown>>): Promise<readonly AnswerRow[]> {
		return this.#writes.call({ ...values, op });
	}

	async #run(commands: readonly Command[]): Promise<readonly (readonly AnswerRow[])[]> {
		const { pool, sql } = this.#db;
		const rows = await pool.write<AnswerRow>(sql(statements.run), [this.#now(), JSON.stringify(commands)]);
		const answers = commands.map((): AnswerRow[] => []);
		for (const row of rows) answers[row[0]]?.push(row);
		return answers;
	}

	async #beat(beats: readonly Beat[]): Promise<readonly Heartbeat[]> {
		const { pool, sql } = this.#db;
		const columns = [beats.map(({ id }) => id), beats.map(({ fence }) => fence), beats.map(({ progress }) => progress)];
		type Row = readonly [id: string, fence: number, cancel: boolean];
		const rows = await pool.write<Row>(sql(statements.heartbeat), [this.#now(), ...columns]);
		const kept = new Map(rows.map(([id, fence, cancel]) => [`${fence} ${id}`, cancel ? 'cancel' : 'ok'] as const));
		return beats.map(({ id, fence }) => kept.get(`${fence} ${id}`) ?? 'lost');
	}

	async #find(ids: readonly string[]): Promise<readonly (Job | undefined)[]> {
		const byId = new Map((await this.#jobs(statements.selectJobs, [ids])).map((job) => [job.id, job]));
		return ids.map((id) => byId.get(id));
	}

	async #jobs(text: string, values: Values): Promise<readonly Job[]> {
		const rows = await this.#timed<readonly [now: number, ...JobRow]>(text, values);
		return rows.map(([now, ...row]) => toJob(row as unknown as JobRow, now));
	}

	#timed<Row extends Values>(text: string, values: Values): Promise<Row[]> {
		return this.#read(text, [this.#now(), ...values]);
	}

	#read<Row extends Values>(text: string, values: Values = []): Promise<Row[]> {
		return this.#db.pool.read(this.#db.sql(text), values);
	}

	#now(): number | null {
		return this.#clock?.now() ?? null;
	}
}

/** The job that a command has returned, as of that time; null when there is none. */
function jobIn(row: AnswerRow | undefined): Job | null {
	if (row === undefined || row[3] === null) return null;
	const [, now, , ...job] = row;
	return toJob(job as unknown as JobRow, now);
}
