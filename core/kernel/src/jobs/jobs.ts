import { isPlinthError, plinthError } from '../contract/errors/coded-error.ts';
import { isUpload } from '../contract/http/upload.ts';
import type { JobQueue } from '../contract/jobs/job-queue.ts';
import type {
	Idempotency,
	Job,
	JobListOptions,
	JobPage,
	JobStore,
} from '../contract/jobs/job-store.ts';
import type {
	JobAttachment,
	JobDefinition,
	JobSubmission,
	Jobs,
	StoredAttachment,
} from '../contract/jobs/jobs.ts';
import type { JobSettings } from '../contract/jobs/settings.ts';
import type { Principal } from '../contract/ports/authenticator.ts';
import type { BlobStore } from '../contract/ports/blob-store.ts';
import type { Clock } from '../contract/ports/clock.ts';
import type { EventBus } from '../contract/ports/event-bus.ts';
import type { Logger } from '../contract/ports/logger.ts';
import { deletePrefix, jobPrefix } from './blobs.ts';
import { JobIds, timeOfId } from './ids.ts';

const defaultMaxAttempts = 5;

/** Creates, reads and removes jobs; knows which plugin runs which kind. */
export class JobService {
	readonly definitions = new Map<string, JobDefinition>();
	readonly #store: JobStore;
	readonly #queue: JobQueue;
	readonly #blobs: BlobStore;
	readonly #bus: EventBus;
	readonly #clock: Clock;
	readonly #log: Logger;
	readonly #settings: JobSettings;
	readonly #ids = new JobIds();

	constructor(
		store: JobStore,
		queue: JobQueue,
		blobs: BlobStore,
		bus: EventBus,
		clock: Clock,
		log: Logger,
		settings: JobSettings,
	) {
		this.#store = store;
		this.#queue = queue;
		this.#blobs = blobs;
		this.#bus = bus;
		this.#clock = clock;
		this.#log = log;
		this.#settings = settings;
	}

	/** Registers a kind and returns the handle to its jobs. Kinds are unique: the boot report has checked that. */
	register(kind: string, definition: JobDefinition): Jobs {
		this.definitions.set(kind, definition);
		return {
			submit: (submission) => this.#submit(kind, submission),
			checkQueue: (principal, idempotency) => this.#checkQueue(kind, principal, idempotency),
			repeated: (principal, idempotency) => this.#repeated(kind, principal, idempotency),
			get: (tenant, id) => this.#get(kind, tenant, id),
			list: (tenant, options) => this.#list(kind, tenant, options),
			cancel: (tenant, id) => this.#cancel(kind, tenant, id),
			remove: (tenant, id) => this.#remove(kind, tenant, id),
		};
	}

	async #submit(
		kind: string,
		submission: JobSubmission,
	): Promise<{ readonly job: Job; readonly replayed: boolean }> {
		const { principal, model, attachments = [], idempotency, callback } = submission;
		const id = this.#ids.next(kind, this.#clock.now());
		try {
			const files = await this.#attach(id, attachments);
			this.#refuseLate(id);
			const created = await this.#store.create(
				{
					id,
					kind,
					tenant: principal.tenant,
					principal: principal.id,
					model,
					input: submission.input(files),
					maxAttempts: this.definitions.get(kind)?.maxAttempts ?? defaultMaxAttempts,
					...(callback && { callback }),
				},
				{ ...(idempotency && { idempotency }), ...this.#limit() },
			);
			if (created.replayed) await this.#discard(id);
			else this.#ring(created.job);
			return created;
		} catch (error) {
			if (await this.#isAbsent(principal.tenant, id)) await this.#discard(id);
			throw error;
		}
	}

	async #checkQueue(
		kind: string,
		{ tenant }: Principal,
		{ key, retry }: Pick<Idempotency, 'key' | 'retry'>,
	): Promise<void> {
		const { maxPending } = this.#limit();
		if (maxPending === undefined || key !== undefined || retry > 0) return;
		if ((await this.#store.pending(kind, tenant)) >= maxPending) throw plinthError('E_QUEUE_FULL');
	}

	/** A create that may take no place: the store answers a repeat, and refuses everything else. */
	async #repeated(
		kind: string,
		{ id: principal, tenant }: Principal,
		idempotency: Idempotency,
	): Promise<Job | null> {
		if (idempotency.key === undefined && idempotency.retry === 0) return null;
		const id = this.#ids.next(kind, this.#clock.now());
		const job = { id, kind, tenant, principal, model: '', input: {}, maxAttempts: 1 };
		try {
			return (await this.#store.create(job, { idempotency, maxPending: 0 })).job;
		} catch (error) {
			if (isPlinthError(error) && error.code === 'E_QUEUE_FULL') return null;
			throw error;
		}
	}

	#limit(): { readonly maxPending?: number } {
		const { maxPendingPerTenant } = this.#settings;
		return maxPendingPerTenant === 0 ? {} : { maxPending: maxPendingPerTenant };
	}

	/** The sweep may have taken the attachments of a create that was under way for so long for left over. */
	#refuseLate(id: string): void {
		const age = this.#clock.now() - (timeOfId(id) ?? 0);
		if (age > this.#settings.orphanMs / 2) throw plinthError('E_DEADLINE');
	}

	/** After a failed create the record may stand all the same: only the answer was lost. True when it certainly does not. */
	async #isAbsent(tenant: string, id: string): Promise<boolean> {
		return this.#store.get(tenant, id).then(
			(job) => job === null,
			() => false,
		);
	}

	/** Deletes everything under a job's prefix. What cannot be deleted now costs space, not the answer. */
	async #discard(id: string): Promise<void> {
		await deletePrefix(this.#blobs, jobPrefix(id)).catch((err: unknown) =>
			this.#log.warn({ err, job_id: id }, 'bytes of a job could not be deleted yet'),
		);
	}

	async #attach(
		id: string,
		attachments: readonly JobAttachment[],
	): Promise<Readonly<Record<string, StoredAttachment>>> {
		const files: Record<string, StoredAttachment> = {};
		for (const { name, mediaType, body } of attachments) {
			const key = `${jobPrefix(id)}input/${name}`;
			const bytes = isUpload(body) ? body.stream() : body;
			const { size, sha256 } = await this.#blobs.put(key, bytes, { contentType: mediaType });
			files[name] = { key, mediaType, size, sha256 };
		}
		return files;
	}

	/** The record is committed: a doorbell that fails costs at most one reconciler round, so nobody waits for it. */
	#ring({ id, kind, tenant }: Job): void {
		this.#bus.publish({ type: 'job.queued', tenant, subject: id, data: null });
		this.#queue
			.enqueue({ jobId: id, kind, tenant })
			.catch((err: unknown) => this.#log.warn({ err, job_id: id }, 'could not ring for a job'));
	}

	async #get(kind: string, tenant: string, id: string): Promise<Job> {
		const job = await this.#store.get(tenant, id);
		if (!job || job.kind !== kind) throw plinthError('E_JOB_NOT_FOUND');
		return job;
	}

	#list(kind: string, tenant: string, options: Omit<JobListOptions, 'kind'>): Promise<JobPage> {
		return this.#store.list(tenant, { ...options, kind });
	}

	async #cancel(kind: string, tenant: string, id: string): Promise<Job> {
		const before = await this.#get(kind, tenant, id);
		const job = await this.#store.requestCancel(tenant, id);
		if (!job) throw plinthError('E_JOB_NOT_FOUND');
		// No attempt will do it: an earlier one that was interrupted has left its upstream work running.
		if (job.status === 'failed' && before.status === 'queued') void this.#cancelUpstream(job);
		const type = job.status === 'failed' ? 'job.failed' : 'job.cancelling';
		this.#bus.publish({ type, tenant, subject: id, data: null });
		if (job.status === 'failed') await this.#discard(id);
		return job;
	}

	async #remove(kind: string, tenant: string, id: string): Promise<Job> {
		await this.#get(kind, tenant, id);
		const job = await this.#store.remove(tenant, id);
		if (!job) throw plinthError('E_JOB_NOT_FOUND');
		// Workers of this process hear the hint at once, others at their next heartbeat.
		this.#bus.publish({ type: 'job.deleted', tenant, subject: id, data: null });
		// The record is gone: nobody waits for an upstream, and what fails here is the sweeper's.
		if (job.status === 'queued' || job.status === 'in_progress') void this.#cancelUpstream(job);
		// A running attempt may still write: then the bytes wait for the sweeper.
		if (job.status !== 'in_progress') {
			await deletePrefix(this.#blobs, jobPrefix(id))
				.then(() => this.#store.swept([{ due: 'record', id, kind, tenant }]))
				.catch((err: unknown) =>
					this.#log.warn({ err, job_id: id }, 'bytes of a removed job stay until the sweep'),
				);
		}
		return job;
	}

	async #cancelUpstream(job: Job): Promise<void> {
		if (job.checkpoint === null) return;
		try {
			await this.definitions.get(job.kind)?.cancel?.(job);
		} catch (err) {
			this.#log.warn({ err, job_id: job.id }, 'the upstream work of a job could not be stopped');
		}
	}
}
