import type { Job, JobStore } from '@plinth/core';
import type { JobUpdate } from '@plinth/toolkit';

/** Something to tell of a job. It is one object for all who hear of it. */
export interface FeedEvent extends Pick<JobUpdate, 'type' | 'cursor' | 'at' | 'jobId' | 'kind'> {
	readonly tenant: string;
}

/** What an update takes before one of its kind was written, in bytes. */
const firstEstimate = 1_024;
/** How much the newest size counts in the mean. */
const weight = 0.1;

/**
 * Makes updates of what has happened: one read of the record, one view and one text for all who tell it at the same moment. Later the
 * record is read anew, for it may have changed.
 */
export class Updates {
	readonly #store: Pick<JobStore, 'get'>;
	readonly #view: (job: Job) => object;
	readonly #underWay = new Map<FeedEvent, Promise<JobUpdate>>();
	readonly #texts = new WeakMap<JobUpdate, string>();
	readonly #means = new Map<string, number>();

	constructor(store: Pick<JobStore, 'get'>, view: (job: Job) => object) {
		this.#store = store;
		this.#view = view;
	}

	/** Reads the job and shows it. Rejects when the store does not answer. */
	of(happening: FeedEvent): Promise<JobUpdate> {
		const underWay = this.#underWay.get(happening);
		if (underWay) return underWay;
		const made = this.#make(happening).finally(() => this.#underWay.delete(happening));
		this.#underWay.set(happening, made);
		return made;
	}

	/** The update as JSON, for the wire. */
	text(update: JobUpdate): string {
		const known = this.#texts.get(update);
		if (known !== undefined) return known;
		const { type, at, job, view } = update;
		const text = eventText(type, at, view);
		this.#texts.set(update, text);
		if (job) {
			const mean = this.bytesOf(job);
			this.#means.set(keyOf(job), mean + (Buffer.byteLength(text) - mean) * weight);
		}
		return text;
	}

	/** How many bytes an update of this kind is likely to become: the mean of those of the same tenant that were written of late. */
	bytesOf(job: Pick<Job, 'kind' | 'tenant'>): number {
		return this.#means.get(keyOf(job)) ?? firstEstimate;
	}

	async #make({ tenant, ...happening }: FeedEvent): Promise<JobUpdate> {
		const { type, jobId, kind } = happening;
		if (type === 'stream.ready') return { ...happening, job: null, view: {} };
		const job = await this.#store.get(tenant, jobId);
		const gone = { id: jobId, object: `${kind}.deleted`, deleted: true };
		return { ...happening, job, view: job ? this.#view(job) : gone };
	}
}

/** What another tenant writes says nothing of this one's: nobody is slow because somebody else is long-winded. */
function keyOf({ kind, tenant }: Pick<Job, 'kind' | 'tenant'>): string {
	return `${kind} ${tenant}`;
}

/** The data of an event stream's frame. */
export function eventText(type: string, at: number, data: object): string {
	return JSON.stringify({ object: 'event', type, created_at: Math.floor(at / 1000), data });
}
