import type { UploadedFile } from '../http/upload.ts';
import type { Principal } from '../ports/authenticator.ts';
import type { JsonObject } from '../ports/json.ts';
import type { Logger } from '../ports/logger.ts';
import type { Idempotency, Job, JobCallback, JobListOptions, JobPage } from './job-store.ts';
import type { JobSettings } from './settings.ts';

/** The context of one attempt at a job. */
export interface JobRun {
	/** Aborts when the job is cancelled, removed or lost to another worker, or when the server stops. */
	readonly signal: AbortSignal;
	/** Reports the completed fraction. Frequent calls are cheap: it is written at most once a second. */
	progress(fraction: number): void;
	/** Stores a token durably for the next attempt. If the job is lost, calls `cancel` with the token and rejects. */
	checkpoint(token: string): Promise<void>;
	/** The token of an earlier attempt. */
	readonly resume: string | undefined;
	/** A blob key under which this attempt, and no other, may write. */
	blobKey(name: string): string;
	readonly log: Logger;
}

/** How a job completes. */
export interface JobOutcome {
	readonly result: JsonObject;
	/** Milliseconds from completion until the content expires; absent: it stays as long as the record. */
	readonly retentionMs?: number;
}

/** Requests another attempt after this time, while attempts are left. */
export interface JobRetry {
	readonly retryInMs: number;
}

/** Settings of one kind of job that replace those of the config. */
export type JobKindSettings = Partial<Omit<JobSettings, 'pollMs' | 'sweepMs' | 'orphanMs'>>;

/** The state of models that a worker needs. The `models(kind)` of a plugin implements it. */
export interface JobModels {
	/** By name, how many calls may run now. Undefined: no limit. 0: none, for example while another of the group runs. */
	slots(): ReadonlyMap<string, number | undefined>;
	/**
	 * Waits in the queue of the model's group until a call may begin, and reserves that slot for 5 seconds. False: it has
	 * no group, and no slot is reserved. Rejects with `E_MODEL_BUSY` if the queue is full, and with the signal's reason.
	 */
	reserve(
		id: string,
		caller: { readonly principal: { readonly tenant: string }; readonly signal: AbortSignal },
	): Promise<boolean>;
}

/** Does the work of one kind of job. */
export interface JobDefinition {
	/** How many attempts a job has; 5 unless set. */
	readonly maxAttempts?: number;
	readonly settings?: JobKindSettings;
	/** Work of the server itself, such as sending webhooks: `JobKinds.names` leaves the kind out. */
	readonly isInternal?: boolean;
	/** This process's models, read before each `take`. Jobs of a model without a free slot stay queued. Absent: any. */
	readonly models?: JobModels;
	/** Runs one attempt. A coded error ends the job with its own code, any other with the generic `model_error`. */
	run(job: Job, run: JobRun): Promise<JobOutcome | JobRetry>;
	/**
	 * Returns the milliseconds until the attempt after a failed one, while attempts are left. Undefined: the job fails,
	 * unless a store was unavailable. Not called when the attempt was cancelled, interrupted or took too long.
	 */
	retryInMs?(error: unknown, job: Job): number | undefined;
	/** Stops the work of a checkpoint. Called once or more when a job with a checkpoint was cancelled or removed. */
	cancel?(job: Job): Promise<void>;
	/** The job as event feeds show it to clients, to be sent as JSON. */
	view?(job: Job): object;
}

/** A file of a new job. It is stored durably before the record exists. */
export interface JobAttachment {
	/** `[a-z0-9_-]+`, unique in the job. */
	readonly name: string;
	readonly mediaType: string;
	readonly body: UploadedFile | Uint8Array | AsyncIterable<Uint8Array>;
}

/** Where an attachment was stored. */
export interface StoredAttachment {
	readonly key: string;
	readonly mediaType: string;
	readonly size: number;
	readonly sha256: string;
	readonly [key: string]: string | number;
}

/** A job to be created. */
export interface JobSubmission {
	readonly principal: Principal;
	/** The id of the model, not an alias: limits of models count jobs by it. */
	readonly model: string;
	/** Called once the attachments are stored. */
	input(files: Readonly<Record<string, StoredAttachment>>): JsonObject;
	readonly attachments?: readonly JobAttachment[];
	readonly idempotency?: Idempotency;
	readonly callback?: JobCallback;
}

/** The jobs of one kind, for the plugin that owns it. Unknown ids reject with `E_JOB_NOT_FOUND`. */
export interface Jobs {
	/** Stores attachments, then the record. Attachments of a repeat are deleted again. Rejects with `E_QUEUE_FULL`. */
	submit(submission: JobSubmission): Promise<{ readonly job: Job; readonly replayed: boolean }>;
	/** Rejects with `E_QUEUE_FULL` before a body is read. A request that may repeat an earlier one is accepted. */
	checkQueue(principal: Principal, idempotency: Pick<Idempotency, 'key' | 'retry'>): Promise<void>;
	/**
	 * The job that this request repeats; null if there is none, or if only `submit` can find it. For routes whose input
	 * may have been deleted since the first request. Rejects with `E_IDEMPOTENCY_MISMATCH`.
	 */
	repeated(principal: Principal, idempotency: Idempotency): Promise<Job | null>;
	get(tenant: string, id: string): Promise<Job>;
	list(tenant: string, options: Omit<JobListOptions, 'kind'>): Promise<JobPage>;
	/** The job fails with code `cancelled`, at once when queued, otherwise at its next heartbeat. The record stays. */
	cancel(tenant: string, id: string): Promise<Job>;
	/** Cancels running work, then removes record and bytes. No later write restores the job. */
	remove(tenant: string, id: string): Promise<Job>;
}

/** The kinds of job that the plugins of a deployment run. */
export interface JobKinds {
	/** Their names, once every plugin is set up, without the internal ones. */
	names(): readonly string[];
	/** The job as its plugin shows it to clients; undefined if the plugin defines no `view`. */
	view(job: Job): object | undefined;
}
