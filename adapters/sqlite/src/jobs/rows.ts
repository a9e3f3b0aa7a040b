import { type Job, type JobEvent, type JobEventType, type JobStatus, jobState, type SweepItem } from '@plinth/core';

/** A job and its callback, by the columns that `statements.ts` lists. */
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
	cancelRequested: number,
	createdAt: number,
	startedAt: number | null,
	completedAt: number | null,
	expiresAt: number | null,
	callback: string | null,
];

/** The columns of a job that its events need. */
export type SubjectRow = readonly [
	id: string,
	kind: string,
	tenant: string,
	attempt: number,
	error: string | null,
	callback: string | null,
];

export type EventRow = readonly [
	seq: number,
	type: JobEventType,
	jobId: string,
	kind: string,
	tenant: string,
	at: number,
	data: string,
];

export type SweepRow = readonly [due: SweepItem['due'], id: string, kind: string, tenant: string];

/** The oldest event in the log (null if the log is empty) and the newest ever appended (null before the first). */
export type LogBounds = readonly [oldest: number | null, newest: number | null];

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
		checkpoint: row[10],
		attempt: row[11],
		maxAttempts: row[12],
		fence: row[13],
		cancelRequested: row[14] === 1,
		createdAt: row[15],
		startedAt: row[16],
		completedAt: row[17],
		expiresAt: row[18],
		expired: jobState.hasExpired(row[18], now),
	};
}

/** The event in a row. */
export function toEvent([seq, type, jobId, kind, tenant, at, data]: EventRow): JobEvent {
	return { cursor: String(seq), type, jobId, kind, tenant, at, data: JSON.parse(data) };
}

/** The row of an event, with its position in the log. */
export function toEventRow({ cursor, type, jobId, kind, tenant, at, data }: JobEvent): EventRow {
	return [jobState.eventPosition(cursor), type, jobId, kind, tenant, at, JSON.stringify(data)];
}

function parseOrNull(text: string | null) {
	return text === null ? null : JSON.parse(text);
}
