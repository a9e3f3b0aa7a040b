import { randomBytes } from 'node:crypto';
import { isPlinthError, plinthError } from '../contract/errors/coded-error.ts';
import { isUpload } from '../contract/http/upload.ts';
import type { Idempotency, Job, JobStore } from '../contract/jobs/job-store.ts';
import type { JobAttachment, JobDefinition, JobSubmission, Jobs, StoredAttachment } from '../contract/jobs/jobs.ts';
import type { JobSettings } from '../contract/jobs/settings.ts';
import type { Principal } from '../contract/ports/authenticator.ts';
import type { BlobStore } from '../contract/ports/blob-store.ts';
import type { Clock } from '../contract/ports/clock.ts';
import type { EventBus } from '../contract/ports/event-bus.ts';
import type { Logger } from '../contract/ports/logger.ts';
import { deletePrefix, jobPrefix } from './blobs.ts';

export interface JobTools {
	readonly store: JobStore;
	readonly blobs: BlobStore;
	readonly bus: EventBus;
	readonly clock: Clock;
	readonly log: Logger;
	readonly settings: JobSettings;
}

const defaultMaxAttempts = 5;

/** Creates, reads and removes jobs. It knows which plugin runs which kind. */
export class JobService {
	readonly definitions = new Map<string, JobDefinition>();
	readonly #tools: JobTools;
	#lastIdAt = 0;

	constructor(tools: JobTools) {
		this.#tools = tools;
	}

	settingsOf(kind: string): JobSettings {
		return { ...this.#tools.settings, ...this.definitions.get(kind)?.settings };
	}

	/** Registers a kind and returns the handle to its jobs. The boot has checked that the kind is unique. */
	register(kind: string, definition: JobDefinition): Jobs {
		this.definitions.set(kind, definition);
		return {
			submit: (submission) => this.#submit(kind, submission),
			checkQueue: (principal, idempotency) => this.#checkQueue(kind, principal, idempotency),
			repeated: (principal, idempotency) => this.#repeated(kind, principal, idempotency),
			get: (tenant, id) => this.#get(kind, tenant, id),
			list: (tenant, options) => this.#tools.store.list(tenant, { ...options, kind }),
			cancel: (tenant, id) => this.#cancel(kind, tenant, id),
			remove: (tenant, id) => this.#remove(kind, tenant, id),
		};
	}

	/** The ids of one process strictly increase, also within a millisecond. */
	#newId(kind: string): string {
		this.#lastIdAt = Math.max(this.#tools.clock.now(), this.#lastIdAt + 1);
		return `${kind}_${this.#lastIdAt.toString(16).padStart(12, '0')}${randomBytes(16).toString('hex')}`;
	}

	async #submit(kind: string, submission: JobSubmission): Promise<{ readonly job: Job; readonly replayed: boolean }> {
		const { principal, model, attachments = [], idempotency, callback } = submission;
		const { store, clock, settings } = this.#tools;
		const startedAt = clock.now();
		const id = this.#newId(kind);
		try {
			const files = await this.#attach(id, attachments);
			// After this time, the sweep may have deleted the attachments as orphans.
			if (clock.now() - startedAt > settings.orphanMs / 2) throw plinthError('E_DEADLINE');
			const created = await store.create(
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
				{ ...(idempotency && { idempotency }), ...this.#pendingLimit(kind) },
			);
			if (created.replayed) await this.#discard(id);
			else this.#announce('job.queued', created.job);
			return created;
		} catch (error) {
			// The record may exist: then only the response of the store was lost.
			const record = await store.get(principal.tenant, id).catch(() => undefined);
			if (record === null) await this.#discard(id);
			throw error;
		}
	}

	async #checkQueue(
		kind: string,
		{ tenant }: Principal,
		{ key, retry }: Pick<Idempotency, 'key' | 'retry'>,
	): Promise<void> {
		const { maxPending } = this.#pendingLimit(kind);
		if (maxPending === undefined || key !== undefined || retry > 0) return;
		if ((await this.#tools.store.pending(kind, tenant)) >= maxPending) throw plinthError('E_QUEUE_FULL');
	}

	/** A create with a limit of 0: the store returns the job of a repeat, and refuses everything else. */
	async #repeated(kind: string, { id: principal, tenant }: Principal, idempotency: Idempotency): Promise<Job | null> {
		if (idempotency.key === undefined && idempotency.retry === 0) return null;
		const id = this.#newId(kind);
		const job = { id, kind, tenant, principal, model: '', input: {}, maxAttempts: 1 };
		try {
			return (await this.#tools.store.create(job, { idempotency, maxPending: 0 })).job;
		} catch (error) {
			if (isPlinthError(error) && error.code === 'E_QUEUE_FULL') return null;
			throw error;
		}
	}

	#pendingLimit(kind: string): { readonly maxPending?: number } {
		const { maxPendingPerTenant } = this.settingsOf(kind);
		return maxPendingPerTenant === 0 ? {} : { maxPending: maxPendingPerTenant };
	}

	#discard(id: string): Promise<boolean> {
		return deletePrefix(this.#tools, jobPrefix(id));
	}

	async #attach(id: string, attachments: readonly JobAttachment[]): Promise<Record<string, StoredAttachment>> {
		const files: Record<string, StoredAttachment> = {};
		for (const { name, mediaType, body } of attachments) {
			const key = `${jobPrefix(id)}input/${name}`;
			const bytes = isUpload(body) ? body.stream() : body;
			const known = isUpload(body) ? { size: body.size } : {};
			const { size, sha256 } = await this.#tools.blobs.put(key, bytes, { contentType: mediaType, ...known });
			files[name] = { key, mediaType, size, sha256 };
		}
		return files;
	}

	async #get(kind: string, tenant: string, id: string): Promise<Job> {
		const job = await this.#tools.store.get(tenant, id);
		if (!job || job.kind !== kind) throw plinthError('E_JOB_NOT_FOUND');
		return job;
	}

	async #cancel(kind: string, tenant: string, id: string): Promise<Job> {
		await this.#get(kind, tenant, id);
		const job = await this.#tools.store.requestCancel(tenant, id);
		if (!job) throw plinthError('E_JOB_NOT_FOUND');
		this.#announce(job.status === 'failed' ? 'job.failed' : 'job.cancelling', job);
		if (job.status === 'failed') void cancelUpstream(this.definitions.get(kind), job, this.#tools.log);
		if (job.status === 'failed') await this.#discard(id);
		return job;
	}

	async #remove(kind: string, tenant: string, id: string): Promise<Job> {
		await this.#get(kind, tenant, id);
		const job = await this.#tools.store.remove(tenant, id);
		if (!job) throw plinthError('E_JOB_NOT_FOUND');
		// Workers of this process receive the hint at once, others are notified at their next heartbeat.
		this.#announce('job.deleted', job);
		// The record is removed, so nothing waits for the upstream work.
		if (job.status !== 'completed') void cancelUpstream(this.definitions.get(kind), job, this.#tools.log);
		// A running attempt may still write, so its bytes are left to the sweep.
		if (job.status !== 'in_progress') {
			const { store, log } = this.#tools;
			const swept = async () => (await this.#discard(id)) && store.swept([{ due: 'record', id, kind, tenant }]);
			await swept().catch((err: unknown) => log.warn({ err, job_id: id }, 'a removed job stays until the sweep'));
		}
		return job;
	}

	#announce(type: string, { id, tenant }: Job): void {
		this.#tools.bus.publish({ type, tenant, subject: id, data: null });
	}
}

/** Stops the work that the checkpoint of a job identifies. Never rejects. */
export async function cancelUpstream(definition: JobDefinition | undefined, job: Job, log: Logger): Promise<void> {
	if (job.checkpoint === null) return;
	try {
		await definition?.cancel?.(job);
	} catch (err) {
		log.warn({ err, job_id: job.id }, 'the upstream work of a job could not be stopped');
	}
}

const idPattern = /^([a-z]+)_([0-9a-f]{12})[0-9a-f]{32}$/;

/** Whether `text` has the form of a job id of this kind: `<kind>_`, 12 hex digits of milliseconds, 32 of randomness. */
export function isJobId(kind: string, text: string): boolean {
	return idPattern.exec(text)?.[1] === kind;
}

/** When an id was created, in milliseconds since the Unix epoch; undefined for any other text. */
export function timeOfId(id: string): number | undefined {
	const time = idPattern.exec(id)?.[2];
	return time === undefined ? undefined : Number.parseInt(time, 16);
}
