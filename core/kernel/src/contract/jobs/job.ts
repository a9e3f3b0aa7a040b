import type { Json, JsonObject } from '../ports/json.ts';

/** `queued → in_progress → completed | failed`, and back to `queued` when an attempt is lost or retried. */
export type JobStatus = 'queued' | 'in_progress' | 'completed' | 'failed';

/** Why a job failed, for the client that owns the job. */
export interface JobError {
	/** In snake_case: `cancelled`, `attempts_exhausted`, `model_error`. */
	readonly code: string;
	readonly message: string;
	readonly param?: string;
}

/** Where the server notifies the creator of a job that the job has ended. */
export interface JobCallback {
	readonly url: string;
	/** The key that signs the request: `whsec_…`; null: it is not signed. */
	readonly secret: string | null;
	readonly [key: string]: Json;
}

/** The durable record of one asynchronous unit of work. Times are milliseconds since the Unix epoch. */
export interface Job {
	/** `<kind>_` + sortable milliseconds + 128 random bits; ids sort by creation time. */
	readonly id: string;
	readonly kind: string;
	readonly tenant: string;
	/** The id of the principal that created it. */
	readonly principal: string;
	readonly model: string;
	readonly status: JobStatus;
	/** The task: written once, by the plugin that owns the kind. */
	readonly input: JsonObject;
	readonly result: JsonObject | null;
	readonly error: JobError | null;
	/** The completed fraction. Never decreases; 1 exactly when completed. */
	readonly progress: number;
	/** The state that an earlier attempt stored, to resume from. */
	readonly checkpoint: string | null;
	/** How many attempts count so far: claims that were not released. */
	readonly attempt: number;
	readonly maxAttempts: number;
	/** Raised by every claim. A write with an older fence is refused. */
	readonly fence: number;
	readonly cancelRequested: boolean;
	readonly createdAt: number;
	/** When its first attempt began. */
	readonly startedAt: number | null;
	/** Also when it failed. */
	readonly completedAt: number | null;
	/** The content expires at this second; null until completed, and when it does not expire. */
	readonly expiresAt: number | null;
	/** Whether that second had begun, by the store's clock, when the job was read. */
	readonly expired: boolean;
}

/** The types of job events. */
export type JobEventType = 'job.queued' | 'job.started' | 'job.completed' | 'job.failed' | 'job.deleted';

/** A transition of a job, stored in the same transaction as the transition itself. */
export interface JobEvent {
	/** The cursor that continues after this event. */
	readonly cursor: string;
	readonly type: JobEventType;
	readonly jobId: string;
	readonly kind: string;
	readonly tenant: string;
	/** Milliseconds since the Unix epoch. */
	readonly at: number;
	/** `{ attempt }`; on `job.failed` also `{ code }`; on `job.completed` and `job.failed` the job's `{ callback }`. */
	readonly data: JsonObject;
}
