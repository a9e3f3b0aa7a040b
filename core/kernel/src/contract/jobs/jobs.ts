import type { UploadedFile } from '../http/upload.ts';
import type { Principal } from '../ports/authenticator.ts';
import type { JsonObject } from '../ports/json.ts';
import type { Logger } from '../ports/logger.ts';
import type { Idempotency, Job, JobCallback, JobListOptions, JobPage } from './job-store.ts';
import type { JobSettings } from './settings.ts';

/** The surroundings of one attempt at a job. */
export interface JobRun {
	/** Aborts when the job is cancelled, removed, lost to another worker, or the server stops. */
	readonly signal: AbortSignal;
	/** Reports the fraction done. Cheap: writes are coalesced to one a second. */
	progress(fraction: number): void;
	/** Stores a token durably for the next attempt. When the job is lost, calls `cancel` with it and rejects. */
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
	/** Milliseconds from completion until the content is gone; absent: it stays as long as the record. */
	readonly retentionMs?: number;
}

/** The job is queued again, due after a span, while attempts are left. */
export interface JobRetry {
	readonly retryInMs: number;
}

/** Settings of one kind of job in place of the config's. */
export type JobKindSettings = Partial<
	Pick<
		JobSettings,
		'concurrency' | 'perTenant' | 'maxPendingPerTenant' | 'leaseMs' | 'heartbeatMs' | 'progressMs' | 'maxRunMs'
	>
>;

/** What a worker asks about models. The `models(kind)` of a plugin has it. */
export interface JobModels {
	/**
	 * By name, how many calls may be under way now: undefined for any number. 0 where none can begin, as while another
	 * model of the group works.
	 */
	slots(): ReadonlyMap<string, number | undefined>;
	/**
	 * Waits in the line of the model's group until a call of it may begin, and keeps that slot for it for 5 seconds.
	 * False: the model has no group, and no slot is kept. Rejects with `E_MODEL_BUSY` when the line is full, and with
	 * the signal's reason.
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
	/**
	 * The models that this process has for the kind, asked at each look for jobs. Jobs of a model that has no slot free
	 * stay queued. Absent: any model.
	 */
	readonly models?: JobModels;
	/** Runs one attempt. A coded error ends the job with its wire code, any other with a neutral `model_error`. */
	run(job: Job, run: JobRun): Promise<JobOutcome | JobRetry>;
	/**
	 * After how many milliseconds a failed attempt is followed by another, while attempts are left. Undefined: the job
	 * fails, unless a store was unavailable. Not asked when the attempt was cancelled, interrupted or took too long.
	 */
	retryInMs?(error: unknown, job: Job): number | undefined;
	/** Stops what a checkpoint stands for; called once when a job that has one was cancelled or removed. */
	cancel?(job: Job): Promise<void>;
	/** The job as clients see it in feeds of its events, to be sent as JSON. */
	view?(job: Job): object;
}

/** A file that goes with a new job. It is stored durably before the record exists. */
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
	/** Built once the attachments are stored. */
	input(files: Readonly<Record<string, StoredAttachment>>): JsonObject;
	readonly attachments?: readonly JobAttachment[];
	readonly idempotency?: Idempotency;
	readonly callback?: JobCallback;
}

/** The jobs of one kind, for the plugin that owns it. Unknown ids reject with `E_JOB_NOT_FOUND`. */
export interface Jobs {
	/** Stores attachments, then the record; those of a replay are deleted again. Rejects with `E_QUEUE_FULL`. */
	submit(submission: JobSubmission): Promise<{ readonly job: Job; readonly replayed: boolean }>;
	/** Rejects with `E_QUEUE_FULL` before a body is read. A request that may repeat an earlier one passes. */
	checkQueue(principal: Principal, idempotency: Pick<Idempotency, 'key' | 'retry'>): Promise<void>;
	/**
	 * The job that this request repeats; null where there is none, or where only `submit` can tell. For routes whose
	 * input may have gone since the first request. Rejects with `E_IDEMPOTENCY_MISMATCH`.
	 */
	repeated(principal: Principal, idempotency: Idempotency): Promise<Job | null>;
	get(tenant: string, id: string): Promise<Job>;
	list(tenant: string, options: Omit<JobListOptions, 'kind'>): Promise<JobPage>;
	/** The job fails with code `cancelled`, at once when queued, else within a heartbeat. The record stays. */
	cancel(tenant: string, id: string): Promise<Job>;
	/** Cancels running work, then removes record and bytes. Nothing resurrects the job. */
	remove(tenant: string, id: string): Promise<Job>;
}

/** The kinds of job that the plugins of a deployment run. */
export interface JobKinds {
	/** Their names, once every plugin is set up, without the internal ones. */
	names(): readonly string[];
	/** The job as its plugin shows it to clients; undefined where the plugin has no view of its own. */
	view(job: Job): object | undefined;
}
