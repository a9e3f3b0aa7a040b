// Runs in the writer thread, inside a transaction: each function is atomic, and durable once its caller is answered.
import type { JobEventType, SweepItem } from '@plinth/core';
import type { Connection, Parameters } from '../engine/connection.ts';
import { IdempotencyMismatch, QueueFull } from '../engine/failures.ts';
import type { EventSubject, JobList, JobRow } from './rows.ts';
import * as sql from './statements.ts';
import { type TakeInput, turns } from './turns.ts';

/** A job as its columns, with the windows within which an earlier one answers. */
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

/** How a job ends whose end the store itself decides, and until when its record is kept. */
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

/** The writes of the job store. */
export const jobCommands = {
	'jobs.create'(db: Connection, input: CreateInput): { list: JobList; replayed: boolean } {
		const { job, key, fingerprint, retry, now, maxPending } = input;
		const { id, kind, tenant, principal, model, maxAttempts, callback } = job;
		const earlier = findRepeat(db, input);
		const found = earlier && db.getList<JobList>(sql.readJob, tenant, earlier.id);
		if (found) return { list: found, replayed: true };
		if (maxPending !== null && pendingOf(db, job) >= maxPending) throw new QueueFull();
		const owner = [id, kind, tenant, principal] as const;
		const work = [model, job.input, maxAttempts, callback] as const;
		const repeat = [key, fingerprint, retry] as const;
		const list = db.getList<JobList>(sql.insertJob, ...owner, ...work, now, ...repeat);
		if (!list) throw new Error(`The job ${id} was not stored.`);
		append(db, 'job.queued', subjectOf(list), now);
		return { list, replayed: false };
	},

	'jobs.cancel'(db: Connection, { recordDueAt, cancelled, ...named }: Named & Ending): JobRow | null {
		const { tenant, id, now } = named;
		const ended = db.get<JobRow>(sql.cancelQueued, { tenant, id, now, recordDueAt, cancelled });
		if (ended) return append(db, 'job.failed', ended, now);
		db.run(sql.cancelRunning, { tenant, id });
		return db.get<JobRow>(sql.selectJob, { tenant, id }) ?? null;
	},

	'jobs.remove'(db: Connection, { tenant, id, now }: Named): JobRow | null {
		return transition(db, 'job.deleted', now, sql.removeJob, { tenant, id, now });
	},

	'jobs.take'(db: Connection, input: TakeInput): readonly JobList[] {
		const { kind, worker, models, seenAt, running, now, leaseMs } = input;
		db.runList(sql.keepOffer, kind, worker, models, seenAt);
		if (db.getList(sql.selectSpent, kind, now)) {
			const { recordDueAt, cancelled, exhausted } = input;
			const ending = { kind, now, running, recordDueAt, cancelled, exhausted };
			appendAll(db, 'job.failed', db.all<EventSubject>(sql.endSpent, ending), now);
		}
		return turns(db, input, (id) => {
			const list = db.getList<JobList>(sql.takeJob, now, worker, leaseMs, now + leaseMs, id);
			if (!list) throw new Error(`The job ${id} was not taken.`);
			append(db, 'job.started', subjectOf(list), now);
			return list;
		});
	},

	'jobs.heartbeat'(
		db: Connection,
		input: Owned & { progress: number; checkpoint: string | null },
	): { cancel_requested: number } | null {
		return db.get(sql.heartbeat, { ...input }) ?? null;
	},

	'jobs.complete'(
		db: Connection,
		input: Owned & { result: string; expiresAt: number | null; recordDueAt: number },
	): boolean {
		const ended = transition(db, 'job.completed', input.now, sql.completeJob, { ...input });
		return ended !== null || isRepeat(db, 'complete', input);
	},

	'jobs.fail'(db: Connection, input: Owned & { error: string; retryAt: number | null; recordDueAt: number }): boolean {
		const { id, fence, now, error, retryAt, recordDueAt } = input;
		if (retryAt !== null) {
			const retried = { id, fence, retryAt };
			if (transition(db, 'job.queued', now, sql.retryJob, retried)) return true;
		}
		const failed = { id, fence, now, error, recordDueAt };
		const ended = transition(db, 'job.failed', now, sql.failJob, failed);
		return ended !== null || isRepeat(db, 'fail', input);
	},

	'jobs.release'(db: Connection, input: Owned): boolean {
		const { id, fence, now } = input;
		const ended = transition(db, 'job.queued', now, sql.releaseJob, { id, fence });
		return ended !== null || isRepeat(db, 'release', input);
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
		const wanted = db.all<{ kind: string; model: string; offered: number }>(sql.selectWanted, {
			now,
		});
		const ended = wanted.flatMap(({ kind, model, offered }) => {
			const due = { kind, model, now };
			db.run(offered === 1 ? sql.noteOffered : sql.noteUnoffered, due);
			if (offered === 1) return [];
			const ending = { since: unofferedBefore, recordDueAt, noWorker };
			return db.all<EventSubject>(sql.endUnoffered, { ...due, ...ending });
		});
		appendAll(db, 'job.failed', ended, now);
	},

	'jobs.lead'(db: Connection, input: At & { duty: string; holder: string; until: number }): boolean {
		return db.get(sql.lead, { ...input }) !== undefined;
	},
};

function findRepeat(db: Connection, input: CreateInput): JobRow | undefined {
	const { job, key, fingerprint, retry } = input;
	const { tenant, principal } = job;
	if (key !== null) {
		const since = input.keySince;
		const earlier = db.get<JobRow>(sql.selectByKey, { tenant, principal, key, since });
		if (earlier && earlier.fingerprint !== fingerprint) throw new IdempotencyMismatch();
		return earlier;
	}
	if (fingerprint === null || retry === 0) return undefined;
	const since = input.retrySince;
	const newest = db.get<JobRow>(sql.selectByFingerprint, { tenant, principal, fingerprint, since });
	if (!newest || newest.received_retry >= retry) return undefined;
	db.run(sql.markReceived, { id: newest.id, retry });
	return newest;
}

function pendingOf(db: Connection, { kind, tenant }: { kind: string; tenant: string }): number {
	return db.get<{ count: number }>(sql.countPendingOf, { kind, tenant })?.count ?? 0;
}

/** True when the same call has ended this attempt before: its answer may have been lost after the commit. */
function isRepeat(db: Connection, by: 'complete' | 'fail' | 'release', { id, fence }: Owned): boolean {
	return db.get(sql.selectEnding, { id, fence, by }) !== undefined;
}

/** Runs an UPDATE that returns the row it changed, and appends the event of that change. */
function transition<Row extends EventSubject>(
	db: Connection,
	type: JobEventType,
	at: number,
	update: string,
	parameters: Parameters,
): Row | null {
	const row = db.get<Row>(update, parameters);
	return row ? append(db, type, row, at) : null;
}

/** In the order of ids, which `RETURNING` does not promise. */
function appendAll(db: Connection, type: JobEventType, rows: EventSubject[], at: number): void {
	for (const row of rows.sort((a, b) => (a.id < b.id ? -1 : 1))) append(db, type, row, at);
}

function append<Row extends EventSubject>(db: Connection, type: JobEventType, row: Row, at: number): Row {
	const { attempt, error, callback } = row;
	const isEnd = type === 'job.completed' || type === 'job.failed';
	const facts = {
		attempt,
		...(type === 'job.failed' && error && { code: JSON.parse(error).code }),
		...(isEnd && callback && { callback: JSON.parse(callback) }),
	};
	db.runList(sql.insertEvent, type, row.id, row.kind, row.tenant, at, JSON.stringify(facts));
	return row;
}

/** What `append` needs of a row without names, for events that are no end. */
function subjectOf([id, kind, tenant, , , , , , error, , , attempt]: JobList): EventSubject {
	return { id, kind, tenant, attempt, error, callback: null };
}
