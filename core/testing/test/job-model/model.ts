import type { Job, JobEvent, JobEventType } from '@plinth/core';
import { errors, idempotencyKeyMs, retryWindowMs } from '@plinth/core';
import { byId, type Call, callbackOf, failure, leaseMs, newJobOf } from './calls.ts';

const retentionMs = 7 * 86_400_000;

/** A job and what the contract says beside it. Never changed, only replaced, so that a model is copied at once. */
interface Row {
	readonly job: Job;
	/** Queued: from when it may run. Running: when the lease lapses. */
	readonly at: number;
	/** The call that ended the newest attempt. */
	readonly endedBy?: string | undefined;
	readonly settled?: boolean;
	/** When it was removed, or later: when its last lease has lapsed. */
	readonly removedAt?: number;
	readonly key?: string | undefined;
	readonly fingerprint?: string | undefined;
	readonly received: number;
}

type Event = Omit<JobEvent, 'cursor'> & { readonly seq: number };

/** What a job store is, without any storage: each call's answer by the words of the contract. */
export class JobModel {
	readonly rows: Map<string, Row>;
	events: readonly Event[];
	seq: number;

	constructor(from?: JobModel) {
		this.rows = new Map(from?.rows);
		this.events = from?.events ?? [];
		this.seq = from?.seq ?? 0;
	}

	/** Does what a call does and returns what it answers. */
	apply(asked: Call): unknown {
		const { id, owner, token, now } = asked;
		const any = this.rows.get(id);
		const row = any && any.removedAt === undefined ? any : undefined;
		const own = row?.job.tenant === owner ? row : undefined;
		const held = row?.job.status === 'in_progress' && row.job.fence === token ? row : undefined;
		const isRepeat = row?.job.fence === token && row.endedBy === asked.call;
		switch (asked.call) {
			case 'create':
				return this.#create(asked);
			case 'get':
				return own?.job ?? null;
			case 'claim': {
				if (!row || !isClaimable(row, now)) return null;
				const { job } = row;
				if (job.cancelRequested) return this.#fail(row, errors.E_JOB_CANCELLED, now);
				if (job.attempt >= job.maxAttempts) return this.#fail(row, errors.E_JOB_ATTEMPTS, now);
				const { attempt, fence, startedAt } = job;
				const begun = { attempt: attempt + 1, fence: fence + 1, startedAt: startedAt ?? now };
				const given = { ...job, ...begun, status: 'in_progress' } as const;
				this.#set(
					{ ...row, job: given, at: now + leaseMs, endedBy: undefined },
					'job.started',
					now,
				);
				return { job: given, fence: given.fence };
			}
			case 'heartbeat': {
				if (!held) return 'lost';
				const progress = Math.max(held.job.progress, Math.min(asked.progress, 0.99));
				const checkpoint = asked.checkpoint ?? held.job.checkpoint;
				this.#set({ ...held, at: now + leaseMs, job: { ...held.job, progress, checkpoint } });
				return held.job.cancelRequested ? 'cancel' : 'ok';
			}
			case 'complete': {
				if (!held) return isRepeat;
				const expiresAt = asked.ms === undefined ? null : now + asked.ms;
				const end = { status: 'completed', progress: 1, completedAt: now, expiresAt } as const;
				const job = { ...held.job, ...end, result: { token } };
				this.#set({ ...held, job, endedBy: 'complete' }, 'job.completed', now);
				return true;
			}
			case 'fail': {
				if (!held) return isRepeat;
				const { attempt, maxAttempts, cancelRequested } = held.job;
				const ended = { ...held, endedBy: 'fail' };
				if (asked.ms === undefined || attempt >= maxAttempts) this.#fail(ended, failure, now);
				else this.#queue(ended, attempt, cancelRequested ? now : now + asked.ms, now);
				return true;
			}
			case 'release':
				if (!held) return isRepeat;
				this.#queue({ ...held, endedBy: 'release' }, held.job.attempt - 1, now, now);
				return true;
			case 'cancel':
				if (!own || isEnded(own.job)) return own?.job ?? null;
				this.#set({ ...own, job: { ...own.job, cancelRequested: true } });
				if (own.job.status === 'queued')
					this.#fail(this.rows.get(id) as Row, errors.E_JOB_CANCELLED, now);
				return this.rows.get(id)?.job;
			case 'remove': {
				if (!own) return null;
				const removedAt = own.job.status === 'in_progress' ? Math.max(now, own.at) : now;
				this.#set({ ...own, removedAt }, 'job.deleted', now);
				return own.job;
			}
			case 'list': {
				const sign = asked.order === 'asc' ? 1 : -1;
				const found = this.#jobs(owner)
					.filter((job) => !asked.pending || !isEnded(job))
					.sort((a, b) => sign * byId(a, b))
					.filter((job) => asked.after === undefined || sign * (job.id > id ? 1 : -1) > 0)
					.filter((job) => asked.after === undefined || job.id !== id);
				return { jobs: found.slice(0, asked.limit), hasMore: found.length > asked.limit };
			}
			case 'claimable':
				return [...this.rows.values()]
					.filter((found) => isClaimable(found, now))
					.map(({ job }) => ({ id: job.id, kind: job.kind, tenant: job.tenant }))
					.filter((entry) => asked.after === undefined || entry.id > id)
					.sort(byId)
					.slice(0, asked.limit);
			case 'pending':
				return this.#pending(asked.tenant === undefined ? undefined : owner);
			case 'sweep':
				return [...this.rows.values()].flatMap((found) => due(found, now)).sort(byId);
			case 'swept':
				this.#swept(asked);
				return undefined;
			case 'known':
				return asked.ids.filter((known) => this.rows.has(known)).sort();
			case 'events':
				return {
					events: this.events
						.filter(({ seq }) => seq > asked.seq)
						.filter(({ tenant }) => asked.tenant === undefined || tenant === owner)
						.filter(({ jobId }) => asked.job === undefined || jobId === id)
						.map(({ seq: _, ...event }) => event),
					missed: asked.cursor !== undefined && asked.seq < this.seq - this.events.length,
				};
		}
	}

	/** The ids of the jobs to which a worker's call can do something, oldest first. */
	open(call: string, now: number): string[] {
		return [...this.rows.values()]
			.filter((row) =>
				call === 'claim'
					? isClaimable(row, now)
					: row.job.status === 'in_progress' && row.removedAt === undefined,
			)
			.map(({ job }) => job.id);
	}

	#create(asked: Call & { call: 'create' }): unknown {
		const { id, owner, now, idempotency, maxPending, maxAttempts } = asked;
		const { key, fingerprint, retry = 0 } = idempotency ?? {};
		const newest = [...this.rows.values()]
			.filter(({ removedAt, job }) => removedAt === undefined && job.tenant === owner)
			.filter((row) => (key === undefined ? row.fingerprint === fingerprint : row.key === key))
			.filter(({ job }) => job.createdAt >= now - (key ? idempotencyKeyMs : retryWindowMs))
			.sort((a, b) => a.job.createdAt - b.job.createdAt || byId(a.job, b.job))
			.at(-1);
		if (newest && key !== undefined) {
			if (newest.fingerprint !== fingerprint) return { refused: 'E_IDEMPOTENCY_MISMATCH' };
			return { job: newest.job, replayed: true };
		}
		if (newest && idempotency && newest.received < retry) {
			this.#set({ ...newest, received: retry });
			return { job: newest.job, replayed: true };
		}
		if (maxPending !== undefined && this.#pending(owner) >= maxPending)
			return { refused: 'E_QUEUE_FULL' };
		const none = { result: null, error: null, checkpoint: null, startedAt: null };
		const open = { completedAt: null, expiresAt: null, cancelRequested: false, createdAt: now };
		const zero = { progress: 0, attempt: 0, fence: 0, status: 'queued' } as const;
		const job = { ...newJobOf(asked, maxAttempts), ...none, ...open, ...zero };
		this.rows.set(id, { job, at: now, key, fingerprint, received: retry });
		this.#set(this.rows.get(id) as Row, 'job.queued', now);
		return { job, replayed: false };
	}

	#swept({ items, now }: Call): void {
		for (const { id, due } of items) {
			const row = this.rows.get(id);
			if (!row) continue;
			if (due === 'content') this.#set({ ...row, settled: true });
			else if (isEnded(row.job) || row.removedAt !== undefined) this.rows.delete(id);
		}
		const kept = this.events.findIndex(({ at }) => at >= now - retentionMs);
		this.events = kept === -1 ? [] : this.events.slice(kept);
		for (const row of this.rows.values())
			if (row.job.status === 'in_progress' && row.removedAt === undefined)
				this.#set({ ...row, at: Math.min(row.at, now + leaseMs) });
	}

	#fail(row: Row, { code, message }: { code: string; message: string }, now: number): null {
		const job = {
			...row.job,
			status: 'failed',
			error: { code, message },
			completedAt: now,
		} as const;
		this.#set({ ...row, job }, 'job.failed', now);
		return null;
	}

	#queue(row: Row, attempt: number, at: number, now: number): void {
		this.#set({ ...row, at, job: { ...row.job, status: 'queued', attempt } }, 'job.queued', now);
	}

	#set(row: Row, type?: JobEventType, at = 0): void {
		const { id: jobId, kind, tenant, attempt, error } = row.job;
		this.rows.set(jobId, row);
		if (!type) return;
		this.seq += 1;
		const data = {
			attempt,
			...(type === 'job.failed' && error && { code: error.code }),
			...((type === 'job.completed' || type === 'job.failed') && callbackOf(jobId)),
		};
		this.events = [...this.events, { seq: this.seq, type, jobId, kind, tenant, at, data }];
	}

	#jobs(tenant: string | undefined): Job[] {
		return [...this.rows.values()]
			.filter(({ removedAt }) => removedAt === undefined)
			.map(({ job }) => job)
			.filter((job) => tenant === undefined || job.tenant === tenant);
	}

	#pending(tenant: string | undefined): number {
		return this.#jobs(tenant).filter((job) => !isEnded(job)).length;
	}
}

function isEnded({ status }: Job): boolean {
	return status === 'completed' || status === 'failed';
}

function isClaimable({ job, at, removedAt }: Row, now: number): boolean {
	return removedAt === undefined && !isEnded(job) && at <= now;
}

/** What of a job is to be deleted at `now`. */
function due({ job, removedAt, settled }: Row, now: number) {
	const { id, kind, tenant, status, completedAt, expiresAt } = job;
	const recordAt = removedAt ?? (completedAt === null ? undefined : completedAt + retentionMs);
	if (recordAt !== undefined && recordAt <= now) return [{ due: 'record', id, kind, tenant }];
	const contentAt = status === 'failed' ? completedAt : expiresAt;
	const isDue = contentAt !== null && contentAt <= now && !settled && removedAt === undefined;
	return isDue ? [{ due: 'content', id, kind, tenant }] : [];
}
