import { invalidValue } from '../contract/errors/coded-error.ts';
import { errors } from '../contract/errors/errors.ts';
import type { AttemptEnding, JobUpkeep } from '../contract/jobs/dump.ts';
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

/** A job and the other fields that a store keeps of it. Never changed, only replaced. */
export interface JobState extends JobUpkeep {
	readonly job: Job;
	readonly callback: JobCallback | undefined;
	readonly idempotency: Idempotency | undefined;
}

/** A state and the event that is appended with it; null: no transition. */
export interface JobStep {
	readonly state: JobState;
	readonly event: JobEventType | null;
}

/** The current time of a store, and how long it keeps records after their end. */
export interface StoreTime {
	readonly now: number;
	readonly recordRetentionMs: number;
}

/** One transition of the state machine. */
export interface JobTransition {
	readonly on: AttemptEnding | 'create' | 'take' | 'requestCancel' | 'remove' | 'tidy';
	readonly from: readonly (JobStatus | 'new')[];
	readonly to: JobStatus | 'removed';
	/** A description of the guard. */
	readonly when?: string;
	readonly event: JobEventType;
}

const pending = ['queued', 'in_progress'] as const;
const running = ['in_progress'] as const;
const isSpent = 'due, and cancelled or without attempts left';
const isUnoffered = 'due, and no worker has offered its model for an hour';

/** All changes of status. Due: queued and the time of its retry has come, or running with a lapsed lease. */
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

/** The maximum progress of a job that still runs. */
const progressCap = 0.99;

/** A job that was just submitted. */
export function createJob({ callback, ...job }: NewJob, idempotency: Idempotency | undefined, now: number): JobStep {
	const outcome = { result: null, error: null, checkpoint: null, cancelRequested: false } as const;
	const instants = { createdAt: now, startedAt: null, completedAt: null, expiresAt: null, expired: false } as const;
	const created = { ...job, ...outcome, ...instants, status: 'queued', progress: 0, attempt: 0, fence: 0 } as const;
	const lease = { dueAt: 0, leaseMs: 0, endedBy: null, unofferedSince: null } as const;
	const retention = { contentDueAt: null, recordDueAt: null, removed: false } as const;
	const receivedRetry = idempotency?.retry ?? 0;
	return { state: { job: created, callback, ...lease, ...retention, idempotency, receivedRetry }, event: 'job.queued' };
}

/** The job as a caller sees it at `now`. */
export function jobAt({ job }: JobState, now: number): Job {
	return { ...job, expired: hasExpired(job.expiresAt, now) };
}

/** Whether the second of an expiry has begun: clients receive whole seconds. */
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

/** Whether a due job ends instead of running again. */
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

/** Records whether a worker offers the model of a due job, and ends the job if none has for too long. */
export function noteOffer(state: JobState, isOffered: boolean, time: StoreTime): JobStep {
	const unofferedSince = isOffered ? null : (state.unofferedSince ?? time.now);
	if (unofferedSince === null || time.now - unofferedSince < modelWaitMs) {
		return { state: { ...state, unofferedSince }, event: null };
	}
	return failed(state, 'tidy', errors.E_JOB_NO_WORKER, time);
}

/** Renews the lease of the attempt with this fence, and returns the response. `lost` does not change the state. */
export function heartbeatJob(
	state: JobState,
	fence: number,
	update: HeartbeatUpdate,
	now: number,
): { readonly state: JobState; readonly answer: Heartbeat } {
	if (!isOwner(state, fence)) return { state, answer: 'lost' };
	const { job } = state;
	const progress = Math.max(job.progress, Math.min(update.progress ?? 0, progressCap));
	const checkpoint = update.checkpoint ?? job.checkpoint;
	return {
		state: { ...state, dueAt: now + state.leaseMs, job: { ...job, progress, checkpoint } },
		answer: job.cancelRequested ? 'cancel' : 'ok',
	};
}

/** Ends an attempt with success. Null: the fence is old. */
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

/** Ends an attempt with a failure, or queues the job again after `retryInMs`. Null: the fence is old. */
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
		// A job whose cancel was requested need not wait for its retry.
		const dueAt = cancelRequested ? 0 : time.now + Math.round(retryInMs);
		return move(state, 'fail', 'queued', { dueAt });
	});
}

/** Releases an interrupted attempt, which does not count. Null: the fence is old. */
export function releaseJob(state: JobState, fence: number): JobStep | null {
	return endAttempt(state, fence, 'release', () =>
		move(state, 'release', 'queued', { job: { attempt: state.job.attempt - 1 }, dueAt: 0 }),
	);
}

/** Requests the cancel of a job. A queued job ends at once. */
export function cancelJob(state: JobState, time: StoreTime): JobStep {
	if (!isPending(state)) return { state, event: null };
	const cancelling = { ...state, job: { ...state.job, cancelRequested: true } };
	if (state.job.status !== 'queued') return { state: cancelling, event: null };
	return failed(cancelling, 'requestCancel', errors.E_JOB_CANCELLED, time);
}

/** Removes a job. While its lease holds, the attempt may still write bytes, so that they are due when it has lapsed. */
export function removeJob(state: JobState, now: number): JobStep {
	const { job, dueAt } = state;
	const recordDueAt = job.status === 'in_progress' ? Math.max(now, dueAt ?? now) : now;
	const changes = { removed: true, recordDueAt, contentDueAt: null, dueAt: null };
	return { state: { ...state, ...changes }, event: transition('remove', job.status, 'removed').event };
}

/** The data of an event about its job. */
export function eventFacts(type: JobEventType, { job, callback }: JobState): JsonObject {
	const isEnd = type === 'job.completed' || type === 'job.failed';
	return {
		attempt: job.attempt,
		...(type === 'job.failed' && job.error && { code: job.error.code }),
		...(isEnd && callback && { callback }),
	};
}

/** The position of an event cursor. Throws `E_VALUE_INVALID`. */
export function eventPosition(cursor = '0'): number {
	if (!/^\d{1,15}$/.test(cursor)) throw invalidValue('cursor', 'The event cursor is malformed.');
	return Number(cursor);
}

/** The page of the events after a cursor, in a log with numbered events. `newest` may have been trimmed, too. */
export function eventPage(
	events: readonly JobEvent[],
	cursor: string | undefined,
	oldest: number,
	newest: number,
): EventPage {
	const position = eventPosition(cursor);
	if (position > newest) return { events: [], cursor: String(newest), missed: true };
	const missed = cursor !== undefined && position < oldest - 1;
	return { events, cursor: events.at(-1)?.cursor ?? String(position), missed };
}

/** The attempt owns the job until another one has it, even when its lease has lapsed. */
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
	const match = jobTransitions.find((each) => each.on === on && each.to === to && each.from.includes(from));
	if (!match) throw new Error(`There is no transition ${on} from ${from} to ${to}.`);
	return match;
}
