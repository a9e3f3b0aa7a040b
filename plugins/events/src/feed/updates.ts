import type { Job, JobStore, JsonObject } from '@plinth/core';
import type { JobUpdate } from '@plinth/toolkit';

/** An event of a job. All subscriptions share one object. */
export interface FeedEvent
	extends Pick<JobUpdate, 'type' | 'cursor' | 'at' | 'jobId' | 'kind' | 'position' | 'preview'> {
	readonly tenant: string;
}

/** Estimated bytes of an update before the first one of its kind. */
const initialEstimate = 1_024;
/** Weight of the newest size in the mean. */
const weight = 0.1;

/**
 * Creates updates from events. Concurrent requests for one event share one read, one view and one text.
 * Later requests read the record again, because it may have changed.
 */
export class Updates {
	readonly #store: Pick<JobStore, 'get'>;
	readonly #view: (job: Job) => object;
	readonly #pending = new Map<FeedEvent, Promise<JobUpdate>>();
	readonly #texts = new WeakMap<JobUpdate, string>();
	readonly #meanBytes = new Map<string, number>();

	constructor(store: Pick<JobStore, 'get'>, view: (job: Job) => object) {
		this.#store = store;
		this.#view = view;
	}

	/** The update of an event. Rejects when the store fails. */
	forEvent(event: FeedEvent): Promise<JobUpdate> {
		const pending = this.#pending.get(event);
		if (pending) return pending;
		const update = this.#make(event).finally(() => this.#pending.delete(event));
		this.#pending.set(event, update);
		return update;
	}

	/** The update as JSON. */
	text(update: JobUpdate): string {
		const cached = this.#texts.get(update);
		if (cached !== undefined) return cached;
		const { type, at, job, view, position, preview } = update;
		const text = eventText(type, at, view, { position, preview });
		this.#texts.set(update, text);
		if (job && preview === undefined) {
			const mean = this.estimateBytes(job);
			this.#meanBytes.set(keyOf(job), mean + (Buffer.byteLength(text) - mean) * weight);
		}
		return text;
	}

	/** The estimated size of an update: the moving mean of its kind and tenant. */
	estimateBytes(job: Pick<Job, 'kind' | 'tenant'>): number {
		return this.#meanBytes.get(keyOf(job)) ?? initialEstimate;
	}

	async #make({ tenant, ...event }: FeedEvent): Promise<JobUpdate> {
		const { type, jobId, kind } = event;
		if (type === 'stream.ready') return { ...event, job: null, view: {} };
		const job = await this.#store.get(tenant, jobId);
		const deleted = { id: jobId, object: `${kind}.deleted`, deleted: true };
		return { ...event, job, view: job ? this.#view(job) : deleted };
	}
}

/** Per tenant, because large jobs of one tenant must not slow the feeds of others. */
function keyOf({ kind, tenant }: Pick<Job, 'kind' | 'tenant'>): string {
	return `${kind} ${tenant}`;
}

/** The data of a frame. */
export function eventText(
	type: string,
	at: number,
	data: object,
	more: { readonly position?: number | undefined; readonly preview?: string | undefined } = {},
): string {
	return JSON.stringify({ object: 'event', type, created_at: Math.floor(at / 1000), ...more, data });
}

/** The view of a job whose plugin defines none. Instants are Unix seconds. */
export function defaultView(job: Job): JsonObject {
	const { id, kind, model, status, progress, error } = job;
	return {
		id,
		object: kind,
		model,
		status,
		progress,
		created_at: toSeconds(job.createdAt),
		completed_at: job.completedAt === null ? null : toSeconds(job.completedAt),
		expires_at: job.expiresAt === null ? null : toSeconds(job.expiresAt),
		failure: error && { code: error.code, message: error.message },
	};
}

function toSeconds(ms: number): number {
	return Math.floor(ms / 1000);
}
