import { invalidValue } from '../contract/errors/coded-error.ts';
import { errors } from '../contract/errors/errors.ts';
import type {
	Completion,
	EventPage,
	Heartbeat,
	HeartbeatUpdate,
	Idempotency,
	Job,
	JobCallback,
	JobError,
	JobEvent,
	JobEventType,
	JobStatus,
	NewJob,
} from '../contract/jobs/job-store.ts';
import { modelWaitMs } from '../contract/jobs/times.ts';
import type { JsonObject } from '../contract/ports/json.ts';

/** The calls that end an attempt. */
export type AttemptEnding = 'complete' | 'fail' | 'release';

/** A job and what a store keeps beside it. Never changed, only replaced. */
export interface JobState {
	readonly job: Job;
	readonly callback: JobCallback | undefined;
	/** From when on `take` hands the job out or ends it: 0, the retry's instant, or the lease's end; null once ended. */
	readonly dueAt: number | null;
	/** The length of the present lease. */
	readonly leaseMs: number;
	/** The call that ended the attempt with the present fence, so that a repeat is recognised; null while it runs. */
	readonly endedBy: AttemptEnding | null;
	/** When `tidy` first found that no worker offers the model; null while one does. */
	readonly unofferedSince: number | null;
	/** When the bytes are due for deletion: the expiry, or the end of a failed job; null without bytes. */
	readonly contentDueAt: number | null;
	/** When the record is due for deletion; null while the job lives. */
	readonly recordDueAt: number | null;
	readonly removed: boolean;
	readonly idempotency: Idempotency | undefined;
	/** The highest retry count that made or received the job. */
	readonly receivedRetry: number;
}

/** A state and the event that is appended with it; null: nothing has happened. */
export interface JobStep {
	readonly state: JobState;
	readonly event: JobEventType | null;
}

/** A heartbeat, and what the worker is told. */
export interface HeartbeatStep {
	readonly state: JobState;
	readonly answer: Heartbeat;
}

/** By which clock a store writes, and how long it keeps what has ended. */
export interface StoreTime {
	readonly now: number;
	readonly recordRetentionMs: number;
}

/** One line of the state machine. */
export interface JobTransition {
	readonly on: AttemptEnding | 'create' | 'take' | 'requestCancel' | 'remove' | 'tidy';
	readonly from: readonly (JobStatus | 'new')[];
	readonly to: JobStatus | 'removed';
	/** The guard, in words. */
	readonly when?: string;
	readonly event: JobEventType;
}

const pending = ['queued', 'in_progress'] as const;
const running = ['in_progress'] as const;
const isSpent = 'due, and cancelled or without attempts left';
const isUnoffered = 'due, and no worker has offered its model for an hour';

/** Every change of status that there is. Due: queued and not to be retried later, or running with a lapsed lease. */
export const jobTransitions: readonly JobTransition[] = [
	{ on: 'create', from: ['new'], to: 'queued', event: 'job.queued' },
	{ on: 'take', from: pending, to: 'in_progress', when: 'due', event: 'job.started' },
	{ on: 'complete', from: running, to: 'completed', event: 'job.completed' },
	{ on: 'fail', from: running, to: 'queued', when: 'to be retried', event: 'job.queued' },
	{ on: 'fail', from: running, to: 'failed', event: 'job.failed' },
	{ on: 'release', from: running, to: 'queued', event: 'job.queued' },
	{ on: 'requestCancel', from: ['queued'], to: 'failed', event: 'job.failed' },
	{ on: 'take', from: pending, to: 'failed', when: isSpent, event: 'job.failed' },
	{ on: 'tidy', from: pending, to: 'failed', when: isUnoffered, event: 'job.failed' },
	{ on: 'remove', from: [...pending, 'completed', 'failed'], to: 'removed', event: 'job.deleted' },
];

/** The largest progress that a job which still runs may show. */
const progressCap = 0.99;

/** A job that was just submitted. */
export function createJob({ callback, ...job }: NewJob, idempotency: Idempotency | undefined, now: number): JobStep {
	const outcome = { result: null, error: null, checkpoint: null, cancelRequested: false } as const;
	const instants = { createdAt: now, startedAt: null, completedAt: null, expiresAt: null, expired: false } as const;
	const made = { ...job, ...outcome, ...instants, status: 'queued', progress: 0, attempt: 0, fence: 0 } as const;
	const lease = { dueAt: 0, leaseMs: 0, endedBy: null, unofferedSince: null } as const;
	const kept = { contentDueAt: null, recordDueAt: null, removed: false } as const;
	const receivedRetry = idempotency?.retry ?? 0;
	return { state: { job: made, callback, ...lease, ...kept, idempotency, receivedRetry }, event: 'job.queued' };
}

/** The job as a caller sees it at `now`. */
export function jobAt({ job }: JobState, now: number): Job {
	return { ...job, expired: hasExpired(job.expiresAt, now) };
}

/** Whether the second of an expiry has begun: clients are told whole seconds. */
export function hasExpired(expiresAt: number | null, now: number): boolean {
	return expiresAt !== null && Math.floor(now / 1000) >= Math.floor(expiresAt / 1000);
}

/** Whether the job waits or runs, and was not removed. */
export function isPending({ job, removed }: JobState): boolean {
	return !removed && (job.status === 'queued' || job.status === 'in_progress');
}

/** Whether `take` may hand the job out or end it: it is queued and due, or its lease has lapsed. */
export function isDue({ dueAt }: JobState, now: number): boolean {
	return dueAt !== null && dueAt <= now;
}

/** Whether a due job ends in place of running again. */
export function mayNotRun({ job }: JobState): boolean {
	return job.cancelRequested || job.attempt >= job.maxAttempts;
}

/** Hands out a due job that may run. */
export function takeJob(state: JobState, leaseMs: number, now: number): JobStep {
	const { attempt, fence, startedAt } = state.job;
	const length = Math.round(leaseMs);
	return move(state, 'take', 'in_progress', {
		job: { attempt: attempt + 1, fence: fence + 1, startedAt: startedAt ?? now },
		dueAt: now + length,
		leaseMs: length,
		endedBy: null,
		unofferedSince: null,
	});
}

/** Ends a due job that may not run. */
export function endSpentJob(state: JobState, time: StoreTime): JobStep {
	return failed(state, 'take', state.job.cancelRequested ? errors.E_JOB_CANCELLED : errors.E_JOB_ATTEMPTS, time);
}

/** Notes whether a worker offers the model of a due job, and ends the job when none has for too long. */
export function noteOffer(state: JobState, isOffered: boolean, time: StoreTime): JobStep {
	const unofferedSince = isOffered ? null : (state.unofferedSince ?? time.now);
	if (unofferedSince === null || time.now - unofferedSince < modelWaitMs) {
		return { state: { ...state, unofferedSince }, event: null };
	}
	return failed(state, 'tidy', errors.E_JOB_NO_WORKER, time);
}

/** Extends the lease of the attempt with this fence. `lost` leaves the state as it is. */
export function heartbeatJob(state: JobState, fence: number, update: HeartbeatUpdate, now: number): HeartbeatStep {
	if (!isOwner(state, fence)) return { state, answer: 'lost' };
	const { job } = state;
	const progress = Math.max(job.progress, Math.min(update.progress ?? 0, progressCap));
	const checkpoint = update.checkpoint ?? job.checkpoint;
	return {
		state: { ...state, dueAt: now + state.leaseMs, job: { ...job, progress, checkpoint } },
		answer: job.cancelRequested ? 'cancel' : 'ok',
	};
}

/** Ends an attempt well. Null: the fence is old. */
export function completeJob(
	state: JobState,
	fence: number,
	{ result, retentionMs }: Completion,
	{ now, recordRetentionMs }: StoreTime,
): JobStep | null {
	return endAttempt(state, fence, 'complete', () => {
		const expiresAt = retentionMs === null ? null : now + Math.round(retentionMs);
		return move(state, 'complete', 'completed', {
			job: { result, progress: 1, completedAt: now, expiresAt },
			dueAt: null,
			contentDueAt: expiresAt,
			recordDueAt: now + recordRetentionMs,
		});
	});
}

/** Ends an attempt badly, or queues the job again after `retryInMs`. Null: the fence is old. */
export function failJob(
	state: JobState,
	fence: number,
	error: JobError,
	retryInMs: number | undefined,
	time: StoreTime,
): JobStep | null {
	return endAttempt(state, fence, 'fail', () => {
		const { attempt, maxAttempts, cancelRequested } = state.job;
		if (retryInMs === undefined || attempt >= maxAttempts) return failed(state, 'fail', error, time);
		// A job that only waits to be cancelled has no reason to wait for its retry.
		const dueAt = cancelRequested ? 0 : time.now + Math.round(retryInMs);
		return move(state, 'fail', 'queued', { dueAt });
	});
}

/** Gives an interrupted attempt back; it does not count. Null: the fence is old. */
export function releaseJob(state: JobState, fence: number): JobStep | null {
	return endAttempt(state, fence, 'release', () =>
		move(state, 'release', 'queued', { job: { attempt: state.job.attempt - 1 }, dueAt: 0 }),
	);
}

/** Asks for the end of a job: at once when it is queued. */
export function cancelJob(state: JobState, time: StoreTime): JobStep {
	if (!isPending(state)) return { state, event: null };
	const asked = { ...state, job: { ...state.job, cancelRequested: true } };
	if (state.job.status !== 'queued') return { state: asked, event: null };
	return failed(asked, 'requestCancel', errors.E_JOB_CANCELLED, time);
}

/** Removes a job. While a lease holds, its attempt may still write bytes: those are due when it has lapsed. */
export function removeJob(state: JobState, now: number): JobStep {
	const { job, dueAt } = state;
	const recordDueAt = job.status === 'in_progress' ? Math.max(now, dueAt ?? now) : now;
	const gone = { removed: true, recordDueAt, contentDueAt: null, dueAt: null };
	return { state: { ...state, ...gone }, event: transition('remove', job.status, 'removed').event };
}

/** What an event tells of its job. */
export function eventFacts(type: JobEventType, { job, callback }: JobState): JsonObject {
	const isEnd = type === 'job.completed' || type === 'job.failed';
	return {
		attempt: job.attempt,
		...(type === 'job.failed' && job.error && { code: job.error.code }),
		...(isEnd && callback && { callback }),
	};
}

/** The position that an event cursor stands for. Throws `E_VALUE_INVALID`. */
export function eventPosition(cursor = '0'): number {
	if (!/^\d{1,15}$/.test(cursor)) throw invalidValue('cursor', 'The event cursor is malformed.');
	return Number(cursor);
}

/** What was found behind a cursor in a log whose events are numbered; `newest` may have been trimmed, too. */
export function eventPage(
	found: readonly JobEvent[],
	cursor: string | undefined,
	oldest: number,
	newest: number,
): EventPage {
	const position = eventPosition(cursor);
	if (position > newest) return { events: [], cursor: String(newest), missed: true };
	const missed = cursor !== undefined && position < oldest - 1;
	return { events: found, cursor: found.at(-1)?.cursor ?? String(position), missed };
}

/** A lapsed lease alone takes nothing away: the attempt owns the job until another one has it. */
function isOwner({ job, removed }: JobState, fence: number): boolean {
	return !removed && job.status === 'in_progress' && job.fence === fence;
}

/** A repeat of the call that ended the attempt succeeds and changes nothing. */
function endAttempt(state: JobState, fence: number, by: AttemptEnding, end: () => JobStep): JobStep | null {
	if (isOwner(state, fence)) {
		const step = end();
		return { ...step, state: { ...step.state, endedBy: by } };
	}
	const isRepeat = !state.removed && state.job.fence === fence && state.endedBy === by;
	return isRepeat ? { state, event: null } : null;
}

function failed(
	state: JobState,
	on: JobTransition['on'],
	{ code, message, param }: JobError,
	{ now, recordRetentionMs }: StoreTime,
): JobStep {
	const error = { code, message, ...(param !== undefined && { param }) };
	return move(state, on, 'failed', {
		job: { error, completedAt: now },
		dueAt: null,
		contentDueAt: now,
		recordDueAt: now + recordRetentionMs,
	});
}

type Changes = Partial<Omit<JobState, 'job'>> & { readonly job?: Partial<Job> };

function move(state: JobState, on: JobTransition['on'], to: JobStatus, { job, ...changes }: Changes): JobStep {
	const { event } = transition(on, state.job.status, to);
	return { state: { ...state, ...changes, job: { ...state.job, ...job, status: to } }, event };
}

function transition(on: JobTransition['on'], from: JobStatus, to: JobTransition['to']): JobTransition {
	const found = jobTransitions.find((line) => line.on === on && line.to === to && line.from.includes(from));
	if (!found) throw new Error(`A job that is ${from} does not become ${to} by ${on}.`);
	return found;
}
