// Runs in the writer thread, inside a transaction: each function is atomic, and durable once its caller has the result.
import type { Heartbeat, JobEventType, SweepItem } from '@plinth/core';
import type { Connection, Parameters } from '../engine/connection.ts';
import { IdempotencyMismatch, QueueFull } from '../engine/failures.ts';
import type { EventRow, JobRow, SubjectRow } from './rows.ts';
import * as sql from './statements.ts';
import { insertStored, type StoredRow } from './stored.ts';
import { type TakeInput, takeInTurns } from './turns.ts';

/** The columns of a job, and since when an earlier job with the same key or fingerprint is returned instead. */
interface CreateInput {
	readonly job: {
		readonly id: string;
		readonly kind: string;
		readonly tenant: string;
		readonly principal: string;
		readonly model: string;
		readonly input: string;
		readonly maxAttempts: number;
		readonly callback: string | null;
	};
	readonly key: string | null;
	readonly fingerprint: string | null;
	readonly retry: number;
	readonly keySince: number;
	readonly retrySince: number;
	readonly maxPending: number | null;
	readonly now: number;
}

interface At {
	readonly now: number;
}

interface Named extends At {
	readonly tenant: string;
	readonly id: string;
}

interface Owned extends At {
	readonly id: string;
	readonly fence: number;
}

/** For a job that the store itself ends: its error, and until when its record is kept. */
interface Ending {
	readonly recordDueAt: number;
	readonly cancelled: string;
}

interface TidyInput extends At {
	readonly eventsBefore: number;
	readonly offersBefore: number;
	readonly seenAt: number;
	readonly unofferedBefore: number;
	readonly recordDueAt: number;
	readonly noWorker: string;
}

/** Parts of a dump, as rows. */
interface LoadInput {
	readonly store: { readonly identity: string; readonly head: number } | undefined;
	readonly jobs: readonly StoredRow[];
	readonly events: readonly EventRow[];
}

/** The writes of the job store. */
export const jobCommands = {
	'jobs.create'(db: Connection, input: CreateInput): { row: JobRow; replayed: boolean } {
		const { job, key, fingerprint, retry, now, maxPending } = input;
		const { id, kind, tenant, principal, model, maxAttempts, callback } = job;
		const earlier = findRepeat(db, input);
		const replay = earlier && db.get<JobRow>(sql.selectJob, tenant, earlier);
		if (replay) return { row: replay, replayed: true };
		if (maxPending !== null && pendingOf(db, job) >= maxPending) throw new QueueFull();
		const owner = [id, kind, tenant, principal] as const;
		const work = [model, job.input, maxAttempts, callback] as const;
		const repeat = [key, fingerprint, retry] as const;
		const row = db.get<JobRow>(sql.insertJob, ...owner, ...work, now, ...repeat);
		if (!row) throw new Error(`The job ${id} was not stored.`);
		append(db, 'job.queued', subjectOf(row), now);
		return { row, replayed: false };
	},

	'jobs.cancel'(db: Connection, { recordDueAt, cancelled, ...named }: Named & Ending): JobRow | null {
		const { tenant, id, now } = named;
		const ended = db.get<JobRow>(sql.cancelQueued, { tenant, id, now, recordDueAt, cancelled });
		if (ended) append(db, 'job.failed', subjectOf(ended), now);
		else db.run(sql.cancelRunning, { tenant, id });
		return ended ?? db.get<JobRow>(sql.selectJob, tenant, id) ?? null;
	},

	'jobs.remove'(db: Connection, { tenant, id, now }: Named): JobRow | null {
		const row = db.get<JobRow>(sql.removeJob, { tenant, id, now });
		if (row) append(db, 'job.deleted', subjectOf(row), now);
		return row ?? null;
	},

	'jobs.take'(db: Connection, input: TakeInput): readonly JobRow[] {
		const { kind, worker, models, seenAt, running, now, leaseMs } = input;
		db.run(sql.keepOffer, kind, worker, models, seenAt);
		if (db.get(sql.selectSpent, kind, now)) {
			const { recordDueAt, cancelled, exhausted } = input;
			const ending = { kind, now, running, recordDueAt, cancelled, exhausted };
			appendAll(db, 'job.failed', db.all<SubjectRow>(sql.endSpent, ending), now);
		}
		return takeInTurns(db, input, (id) => {
			const row = db.get<JobRow>(sql.takeJob, now, worker, leaseMs, now + leaseMs, id);
			if (!row) throw new Error(`The job ${id} was not taken.`);
			append(db, 'job.started', subjectOf(row), now);
			return row;
		});
	},

	'jobs.heartbeat'(db: Connection, input: Owned & { progress: number; checkpoint: string | null }): Heartbeat {
		const row = db.get<readonly [cancelRequested: number]>(sql.heartbeat, { ...input });
		if (!row) return 'lost';
		return row[0] === 1 ? 'cancel' : 'ok';
	},

	'jobs.complete'(
		db: Connection,
		input: Owned & { result: string; expiresAt: number | null; recordDueAt: number },
	): boolean {
		const isEnded = transition(db, 'job.completed', input.now, sql.completeJob, { ...input });
		return isEnded || isRepeat(db, 'complete', input);
	},

	'jobs.fail'(db: Connection, input: Owned & { error: string; retryAt: number | null; recordDueAt: number }): boolean {
		const { id, fence, now, error, retryAt, recordDueAt } = input;
		if (retryAt !== null) {
			const retried = { id, fence, retryAt };
			if (transition(db, 'job.queued', now, sql.retryJob, retried)) return true;
		}
		const failed = { id, fence, now, error, recordDueAt };
		return transition(db, 'job.failed', now, sql.failJob, failed) || isRepeat(db, 'fail', input);
	},

	'jobs.release'(db: Connection, input: Owned): boolean {
		const { id, fence, now } = input;
		return transition(db, 'job.queued', now, sql.releaseJob, { id, fence }) || isRepeat(db, 'release', input);
	},

	'jobs.swept'(db: Connection, { items }: { items: readonly SweepItem[] }): void {
		for (const { due, tenant, id } of items) {
			db.run(due === 'content' ? sql.sweptContent : sql.sweptRecord, { tenant, id });
		}
	},

	'jobs.tidy'(db: Connection, input: TidyInput): void {
		const { now, eventsBefore, offersBefore, seenAt, unofferedBefore, recordDueAt, noWorker } = input;
		db.run(sql.trimEvents, { before: eventsBefore });
		db.run(sql.cutLeases, { now });
		db.run(sql.trimOffers, { before: offersBefore });
		db.run(sql.cutOffers, { now, seenAt });
		const models = db.all<readonly [kind: string, model: string, offered: number]>(sql.selectDueModels, { now });
		const ended = models.flatMap(([kind, model, offered]) => {
			const due = { kind, model, now };
			db.run(offered === 1 ? sql.noteOffered : sql.noteUnoffered, due);
			if (offered === 1) return [];
			const ending = { since: unofferedBefore, recordDueAt, noWorker };
			return db.all<SubjectRow>(sql.endUnoffered, { ...due, ...ending });
		});
		appendAll(db, 'job.failed', ended, now);
	},

	'jobs.load'(db: Connection, { store, jobs, events }: LoadInput): void {
		if (store) {
			db.run(sql.keepIdentity, store.identity);
			db.run(sql.keepHead[0]);
			db.run(sql.keepHead[1], store.head);
		}
		for (const row of jobs) db.run(insertStored, ...row);
		for (const row of events) db.run(sql.insertPlaced, ...row);
	},

	'jobs.lead'(db: Connection, input: At & { duty: string; holder: string; until: number }): boolean {
		return db.get(sql.lead, { ...input }) !== undefined;
	},
};

/** The id of the earlier job if the request repeats one. */
function findRepeat(db: Connection, input: CreateInput): string | undefined {
	const { job, key, fingerprint, retry } = input;
	const { tenant, principal } = job;
	if (key !== null) {
		const named = { tenant, principal, key, since: input.keySince };
		const [id, print] = db.get<readonly [string, string]>(sql.selectByKey, named) ?? [];
		if (id !== undefined && print !== fingerprint) throw new IdempotencyMismatch();
		return id;
	}
	if (fingerprint === null || retry === 0) return undefined;
	const matching = { tenant, principal, fingerprint, since: input.retrySince };
	const [id, received = 0] = db.get<readonly [string, number]>(sql.selectByFingerprint, matching) ?? [];
	if (id === undefined || received >= retry) return undefined;
	db.run(sql.markReceived, { id, retry });
	return id;
}

function pendingOf(db: Connection, { kind, tenant }: { kind: string; tenant: string }): number {
	return db.get<readonly [number]>(sql.countPendingOf, { kind, tenant })?.[0] ?? 0;
}

/** True when the same call has ended this attempt before. Its result may have been lost after the commit. */
function isRepeat(db: Connection, by: 'complete' | 'fail' | 'release', { id, fence }: Owned): boolean {
	return db.get(sql.selectEnding, { id, fence, by }) !== undefined;
}

/** Runs an UPDATE of one job and appends the event of the change. False when it has changed nothing. */
function transition(db: Connection, type: JobEventType, at: number, update: string, values: Parameters): boolean {
	const row = db.get<SubjectRow>(update, values);
	if (row) append(db, type, row, at);
	return row !== undefined;
}

/** Appends events in the order of job ids, because the order of `RETURNING` is undefined. */
function appendAll(db: Connection, type: JobEventType, rows: SubjectRow[], at: number): void {
	for (const row of rows.sort((a, b) => (a[0] < b[0] ? -1 : 1))) append(db, type, row, at);
}

function append(db: Connection, type: JobEventType, row: SubjectRow, at: number): void {
	const [id, kind, tenant, attempt, error, callback] = row;
	const isEnd = type === 'job.completed' || type === 'job.failed';
	const data = {
		attempt,
		...(type === 'job.failed' && error && { code: JSON.parse(error).code }),
		...(isEnd && callback && { callback: JSON.parse(callback) }),
	};
	db.run(sql.insertEvent, type, id, kind, tenant, at, JSON.stringify(data));
}

function subjectOf(row: JobRow): SubjectRow {
	const [id, kind, tenant] = row;
	return [id, kind, tenant, row[11], row[8], row[19]];
}
