import { type Job, type JobEvent, type JobEventType, type JobStatus, jobState, type SweepItem } from '@plinth/core';

/** A job by the columns of the view `shown`. */
export type JobRow = readonly [
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
	cancelRequested: boolean,
	createdAt: number,
	startedAt: number | null,
	completedAt: number | null,
	expiresAt: number | null,
	...rest: unknown[],
];

/** The result of a command of `run`, and its time: one row for each job that it returns. */
export type AnswerRow = readonly [n: number, at: number, outcome: string | null, ...JobRow];

export type EventRow = readonly [
	place: number,
	type: JobEventType,
	jobId: string,
	kind: string,
	tenant: string,
	at: number,
	data: string,
];

export type SweepRow = readonly [due: SweepItem['due'], id: string, kind: string, tenant: string];

/** The job in a row. `now` decides whether it has expired. */
export function toJob(row: JobRow, now: number): Job {
	return {
		id: row[0],
		kind: row[1],
		tenant: row[2],
		principal: row[3],
		model: row[4],
		status: row[5],
		input: JSON.parse(row[6]),
		result: parseOrNull(row[7]),
		error: parseOrNull(row[8]),
		progress: row[9],
		checkpoint: parseOrNull(row[10]),
		attempt: row[11],
		maxAttempts: row[12],
		fence: row[13],
		cancelRequested: row[14],
		createdAt: row[15],
		startedAt: row[16],
		completedAt: row[17],
		expiresAt: row[18],
		expired: jobState.hasExpired(row[18], now),
	};
}

/** The event in a row. */
export function toEvent([place, type, jobId, kind, tenant, at, data]: EventRow): JobEvent {
	return { cursor: String(place), type, jobId, kind, tenant, at, data: JSON.parse(data) };
}

function parseOrNull(text: string | null) {
	return text === null ? null : JSON.parse(text);
}
