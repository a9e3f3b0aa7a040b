import type { Clock, CollectionRef, JobCallback, RecordStore } from '@plinth/core';
import type { WebhookEvent } from './event.ts';
import { deliveryId, digest, hexTime, isDeliveryId } from './ids.ts';
import { changeRecord } from './records.ts';

/** How long a delivery is kept after its end, in milliseconds. */
export const keptMs = 7 * 24 * 60 * 60 * 1000;

/** How many attempts the record of a delivery keeps: the latest ones. */
export const maxAttempts = 50;

/** `pending → delivered | failed | cancelled`; sending it again makes it pending once more. */
export type DeliveryStatus = 'pending' | 'delivered' | 'failed' | 'cancelled';

/** One request and its result. */
export type Attempt = {
	readonly at: number;
	readonly statusCode: number | null;
	readonly failure: string | null;
	readonly durationMs: number;
};

/** Where a delivery goes. */
export type Target = {
	/** Null for the callback of a job. */
	readonly endpointId: string | null;
	readonly url: string;
	/** Signs the requests of a callback; null: they are not signed. The secrets of endpoints are in their records. */
	readonly secret: string | null;
	/** Requests with the same receiver share one concurrency limit. Receivers take turns. */
	readonly receiver: string;
};

/** What the record of a delivery holds. Times are milliseconds since the Unix epoch. */
export type DeliveryRecord = Target & {
	readonly event: WebhookEvent;
	readonly status: DeliveryStatus;
	readonly createdAt: number;
	readonly endedAt: number | null;
	readonly nextAttemptAt: number;
	/** How often the client has sent it again. Each run of the schedule is a job. */
	readonly run: number;
	readonly tries: number;
	readonly attempts: readonly Attempt[];
};

/** A delivery with its id. */
export interface Delivery extends DeliveryRecord {
	readonly id: string;
	readonly tenant: string;
}

/** An endpoint as a target. */
export function endpointTarget({ id, url }: { readonly id: string; readonly url: string }): Target {
	return { endpointId: id, url, secret: null, receiver: id };
}

/** A job's callback as a target. Each tenant's callbacks to one origin have one receiver. */
export function callbackTarget(tenant: string, { url, secret }: JobCallback): Target {
	const origin = URL.parse(url)?.origin ?? url;
	return { endpointId: null, url, secret, receiver: `callback_${digest(tenant, origin)}` };
}

const pageSize = 100;

/** Which delivery, and which run of its schedule. */
export type DeliveryRun = {
	readonly tenant: string;
	readonly id: string;
	readonly run: number;
};

/** The outcome of an attempt: a final status, or another attempt. */
export type Outcome = Exclude<DeliveryStatus, 'pending'> | { readonly retryAt: number };

/** The deliveries of all tenants as clients see them. Delivery jobs send them. */
export class Deliveries {
	readonly #records: RecordStore;
	readonly #clock: Clock;

	constructor(records: RecordStore, clock: Clock) {
		this.#records = records;
		this.#clock = clock;
	}

	/** Writes the delivery of an event to a target. Its id is derived from both, so a repeat changes nothing. */
	async create(tenant: string, event: WebhookEvent, target: Target): Promise<Delivery> {
		// An event has at most one callback, so the id does not depend on its URL.
		const id = deliveryId(event.at, event.id, target.endpointId ?? 'callback');
		const now = this.#clock.now();
		const value: DeliveryRecord = {
			...target,
			event,
			status: 'pending',
			createdAt: now,
			endedAt: null,
			nextAttemptAt: now,
			run: 0,
			tries: 0,
			attempts: [],
		};
		// Before the delivery is written, so that every delivery is deleted eventually.
		await this.#schedulePurge(tenant, id, now + keptMs);
		await this.#records.put(collectionOf(tenant), id, value, { ...indexOf(value), ifVersion: 0 });
		return { id, tenant, ...value };
	}

	/** The delivery; null when this tenant has none with the id. */
	async find(tenant: string, id: string): Promise<Delivery | null> {
		if (!isDeliveryId(id)) return null;
		const stored = await this.#records.get<DeliveryRecord>(collectionOf(tenant), id);
		return stored?.value.event ? { id, tenant, ...stored.value } : null;
	}

	/** A page of a tenant's deliveries, the newest event first; only those of `endpointId` if it is set. */
	async list(
		tenant: string,
		options: {
			readonly endpointId?: string | undefined;
			readonly after?: string | undefined;
			readonly limit: number;
		},
	): Promise<{ readonly deliveries: readonly Delivery[]; readonly hasMore: boolean }> {
		const { endpointId, after, limit } = options;
		const { records, hasMore } = await this.#records.list<DeliveryRecord>(collectionOf(tenant), {
			limit,
			...(after === undefined ? {} : { after }),
			...(endpointId === undefined ? {} : { index: endpointId }),
		});
		// A damaged record is treated as absent.
		const intact = records.filter(({ value }) => value.event);
		return { deliveries: intact.map(({ id, value }) => ({ id, tenant, ...value })), hasMore };
	}

	/** Makes a delivery pending, unless this run or a later one has started already. Null when it is unknown. */
	begin({ tenant, id, run }: DeliveryRun): Promise<Delivery | null> {
		return this.#change(tenant, id, (value) => {
			if (value.run >= run) return value;
			const nextAttemptAt = this.#clock.now();
			return { ...value, run, status: 'pending', endedAt: null, tries: 0, nextAttemptAt };
		});
	}

	/** Records an attempt and its outcome; only the attempt if the delivery has ended or another run has started. */
	settle(
		{ tenant, id, run }: DeliveryRun,
		attempt: Attempt | null,
		outcome: Outcome,
		url?: string,
	): Promise<Delivery | null> {
		return this.#change(tenant, id, (value) => {
			const attempts = attempt ? [...value.attempts, attempt].slice(-maxAttempts) : value.attempts;
			if (value.run !== run || value.status !== 'pending') return { ...value, attempts };
			const next = { ...value, attempts, url: url ?? value.url };
			if (typeof outcome === 'string') return { ...next, status: outcome, endedAt: this.#clock.now() };
			return { ...next, tries: value.tries + 1, nextAttemptAt: outcome.retryAt };
		});
	}

	/** Ends all pending deliveries to an endpoint. */
	async cancelAll(tenant: string, endpointId: string): Promise<void> {
		for (let after: string | undefined, isMore = true; isMore; ) {
			const page = await this.list(tenant, { endpointId, after, limit: pageSize });
			const pending = page.deliveries.filter(({ status }) => status === 'pending');
			await Promise.all(pending.map((delivery) => this.settle(delivery, null, 'cancelled')));
			after = page.deliveries.at(-1)?.id;
			isMore = page.hasMore && after !== undefined;
		}
	}

	/** Deletes deliveries that ended at least {@link keptMs} ago. */
	async purge(signal: AbortSignal): Promise<void> {
		while (!signal.aborted) {
			const { records } = await this.#records.list<ScheduledPurge>(purges, { limit: pageSize });
			const latest = hexTime(this.#clock.now());
			const due = records.filter(({ id }) => id.slice(0, latest.length) <= latest);
			await Promise.all(due.map(({ id, value }) => this.#purgeOne(id, value)));
			if (due.length < pageSize) return;
		}
	}

	async #purgeOne(purgeId: string, { tenant, delivery: id }: ScheduledPurge): Promise<void> {
		const now = this.#clock.now();
		const delivery = await this.find(tenant, id);
		if (delivery) {
			const purgeAt = (delivery.endedAt ?? now) + keptMs;
			if (purgeAt > now) await this.#schedulePurge(tenant, id, purgeAt);
			else await this.#records.delete(collectionOf(tenant), id);
		}
		await this.#records.delete(purges, purgeId);
	}

	async #schedulePurge(tenant: string, delivery: string, at: number): Promise<void> {
		await this.#records.put(purges, `${hexTime(at)}_${delivery}`, { tenant, delivery });
	}

	async #change(tenant: string, id: string, edit: (value: DeliveryRecord) => DeliveryRecord): Promise<Delivery | null> {
		const value = await changeRecord(this.#records, collectionOf(tenant), id, edit, indexOf);
		return value && { id, tenant, ...value };
	}
}

/** A delivery to delete, unless it must be kept longer. The id starts with the instant, so that ids sort by it. */
type ScheduledPurge = { readonly tenant: string; readonly delivery: string };

const purges: CollectionRef = { tenant: 'system', collection: 'webhooks.purges' };

function collectionOf(tenant: string): CollectionRef {
	return { tenant, collection: 'webhooks.deliveries' };
}

function indexOf({ endpointId }: DeliveryRecord): { readonly index?: string } {
	return endpointId === null ? {} : { index: endpointId };
}
