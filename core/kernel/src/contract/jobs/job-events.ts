import type { JsonObject } from '../ports/json.ts';

/** The types of job events. */
export type JobEventType = 'job.queued' | 'job.started' | 'job.completed' | 'job.failed' | 'job.deleted';

/** A transition, appended in the same transaction as the transition itself. */
export interface JobEvent {
	/** The cursor that continues after this event. */
	readonly cursor: string;
	readonly type: JobEventType;
	readonly jobId: string;
	readonly kind: string;
	readonly tenant: string;
	/** Milliseconds since the Unix epoch. */
	readonly at: number;
	/**
	 * Facts about the transition: `{ attempt }`, `{ code }` beside it on `job.failed`, and the `JobCallback` of the
	 * job as `callback` on both ends.
	 */
	readonly data: JsonObject;
}

/** Which events `JobStore.events` gives. */
export interface EventQuery {
	readonly tenant?: string;
	readonly jobId?: string;
	readonly limit: number;
}

/** What `JobStore.events` gives: events behind a cursor, in their order. */
export interface EventPage {
	readonly events: readonly JobEvent[];
	/**
	 * Continues behind the last of them; the given cursor when there is nothing new, `JobStore.head` when it is
	 * beyond the log.
	 */
	readonly cursor: string;
	/**
	 * Whether events behind the given cursor, of whatever tenant, have been trimmed, or the cursor is beyond the
	 * log, as after a restored backup: what happened meanwhile is only in the records. Never so without a cursor.
	 */
	readonly missed: boolean;
}
