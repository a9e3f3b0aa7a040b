import { type Job, type JobEvent, type JobEventType, type JobStatus, jobState } from '@plinth/core';

/** A row of `jobs`, as far as the contract shows it. */
export interface JobRow {
	readonly id: string;
	readonly kind: string;
	readonly tenant: string;
	readonly principal: string;
	readonly model: string;
	readonly status: JobStatus;
	readonly input: string;
	readonly result: string | null;
	readonly error: string | null;
	readonly progress: number;
	readonly checkpoint: string | null;
	readonly attempt: number;
	readonly max_attempts: number;
	readonly fence: number;
	readonly cancel_requested: number;
	readonly created_at: number;
	readonly started_at: number | null;
	readonly completed_at: number | null;
	readonly expires_at: number | null;
	readonly fingerprint: string | null;
	readonly received_retry: number;
	readonly callback: string | null;
}

/** What an event tells of its job. */
export type EventSubject = Pick<JobRow, 'id' | 'kind' | 'tenant' | 'attempt' | 'error' | 'callback'>;

/** A job without names, as `readJob` gives it. */
export type JobList = readonly [
	id: string,
	kind: string,
	tenant: string,
	principal: string,
	model: string,
	status: JobStatus,
	input: string,
	result: string | null,
	error: string | null,
	progress: number,
	checkpoint: string | null,
	attempt: number,
	maxAttempts: number,
	fence: number,
	cancelRequested: number,
	createdAt: number,
	startedAt: number | null,
	completedAt: number | null,
	expiresAt: number | null,
];

/** A row of `events`. */
export interface EventRow {
	readonly seq: number;
	readonly type: JobEventType;
	readonly job_id: string;
	readonly kind: string;
	readonly tenant: string;
	readonly at: number;
	readonly data: string;
}

/**
 * Which part of the log is there: the oldest event, null when there is none, and the newest there ever was, null
 * before the first.
 */
export type LogBounds = readonly [oldest: number | null, newest: number | null];

/** The job in a row, as it is seen at `now`. */
export function toJob(row: JobRow, now: number): Job {
	return {
		id: row.id,
		kind: row.kind,
		tenant: row.tenant,
		principal: row.principal,
		model: row.model,
		status: row.status,
		input: JSON.parse(row.input),
		result: parseOrNull(row.result),
		error: parseOrNull(row.error),
		progress: row.progress,
		checkpoint: row.checkpoint,
		attempt: row.attempt,
		maxAttempts: row.max_attempts,
		fence: row.fence,
		cancelRequested: row.cancel_requested === 1,
		createdAt: row.created_at,
		startedAt: row.started_at,
		completedAt: row.completed_at,
		expiresAt: row.expires_at,
		expired: jobState.hasExpired(row.expires_at, now),
	};
}

/** The job in a row without names, as it is seen at `now`. */
export function listToJob(list: JobList, now: number): Job {
	return {
		id: list[0],
		kind: list[1],
		tenant: list[2],
		principal: list[3],
		model: list[4],
		status: list[5],
		input: JSON.parse(list[6]),
		result: parseOrNull(list[7]),
		error: parseOrNull(list[8]),
		progress: list[9],
		checkpoint: list[10],
		attempt: list[11],
		maxAttempts: list[12],
		fence: list[13],
		cancelRequested: list[14] === 1,
		createdAt: list[15],
		startedAt: list[16],
		completedAt: list[17],
		expiresAt: list[18],
		expired: jobState.hasExpired(list[18], now),
	};
}

/** The event in a row. */
export function toEvent(row: EventRow): JobEvent {
	return {
		cursor: String(row.seq),
		type: row.type,
		jobId: row.job_id,
		kind: row.kind,
		tenant: row.tenant,
		at: row.at,
		data: JSON.parse(row.data),
	};
}

function parseOrNull(text: string | null) {
	return text === null ? null : JSON.parse(text);
}
