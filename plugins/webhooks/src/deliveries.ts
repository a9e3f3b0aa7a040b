import type { Clock, CollectionRef, JobCallback, RecordStore } from '@plinth/core';
import type { WebhookEvent } from './event.ts';
import { deliveryId, digest, hexTime, isDeliveryId } from './ids.ts';
import { changeRecord } from './records.ts';

/** How long a delivery is kept after its end, in milliseconds. */
export const keptMs = 7 * 24 * 60 * 60 * 1000;

/** How many attempts a delivery remembers: the latest. */
export const maxAttempts = 50;

/** `pending → delivered | failed | cancelled`; sending it again makes it pending once more. */
export type DeliveryStatus = 'pending' | 'delivered' | 'failed' | 'cancelled';

/** One request and what came of it. */
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
	/** Signs the requests of a callback; null: they are not signed. Endpoints keep their secrets themselves. */
	readonly secret: string | null;
	/** Requests with an equal receiver share one limit and one turn. */
	readonly receiver: string;
};

/** What the record of a delivery holds. Times are milliseconds since the Unix epoch. */
export type DeliveryRecord = Target & {
	readonly event: WebhookEvent;
	readonly status: DeliveryStatus;
	readonly createdAt: number;
	readonly endedAt: number | null;
	readonly nextAttemptAt: number;
	/** 0, and one more each time it is sent again: each run of the schedule is a job. */
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

/** What an attempt leads to: an end, or another attempt. */
export type Outcome = Exclude<DeliveryStatus, 'pending'> | { readonly retryAt: number };

/** The deliveries of all tenants as clients see them. When they are sent is the matter of jobs. */
export class Deliveries {
	readonly #records: RecordStore;
	readonly #clock: Clock;

	constructor(records: RecordStore, clock: Clock) {
		this.#records = records;
		this.#clock = clock;
	}

	/** Writes the delivery of an event to a target. Its id follows from both: a repeat changes nothing. */
	async create(tenant: string, event: WebhookEvent, target: Target): Promise<Delivery> {
		// One callback per event: its address is no part of the id.
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
		// First, so that every delivery is deleted some day.
		await this.#notePurge(tenant, id, now + keptMs);
		await this.#records.put(collectionOf(tenant), id, value, { ...indexOf(value), ifVersion: 0 });
		return { id, tenant, ...value };
	}

	/** Reads one; null when it is unknown to this tenant. */
	async find(tenant: string, id: string): Promise<Delivery | null> {
		if (!isDeliveryId(id)) return null;
		const stored = await this.#records.get<DeliveryRecord>(collectionOf(tenant), id);
		return stored?.value.event ? { id, tenant, ...stored.value } : null;
	}

	/** A page of a tenant's deliveries, the newest event first; of one endpoint where it is given. */
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

	/** Makes a delivery pending for this run, unless it has come to it already. Null when it is unknown. */
	begin({ tenant, id, run }: DeliveryRun): Promise<Delivery | null> {
		return this.#change(tenant, id, (value) => {
			if (value.run >= run) return value;
			const nextAttemptAt = this.#clock.now();
			return { ...value, run, status: 'pending', endedAt: null, tries: 0, nextAttemptAt };
		});
	}

	/** Notes an attempt and what it leads to; only the attempt when the delivery has ended or another run has begun. */
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

	/** Deletes deliveries that have ended long enough ago. */
	async purge(signal: AbortSignal): Promise<void> {
		while (!signal.aborted) {
			const { records } = await this.#records.list<PurgeNote>(purges, { limit: pageSize });
			const latest = hexTime(this.#clock.now());
			const due = records.filter(({ id }) => id.slice(0, latest.length) <= latest);
			await Promise.all(due.map(({ id, value }) => this.#purgeOne(id, value)));
			if (due.length < pageSize) return;
		}
	}

	async #purgeOne(noteId: string, { tenant, delivery }: PurgeNote): Promise<void> {
		const now = this.#clock.now();
		const found = await this.find(tenant, delivery);
		if (found) {
			const at = (found.endedAt ?? now) + keptMs;
			if (at > now) await this.#notePurge(tenant, delivery, at);
			else await this.#records.delete(collectionOf(tenant), delivery);
		}
		await this.#records.delete(purges, noteId);
	}

	async #notePurge(tenant: string, delivery: string, at: number): Promise<void> {
		await this.#records.put(purges, `${hexTime(at)}_${delivery}`, { tenant, delivery });
	}

	async #change(tenant: string, id: string, edit: (value: DeliveryRecord) => DeliveryRecord): Promise<Delivery | null> {
		const value = await changeRecord(this.#records, collectionOf(tenant), id, edit, indexOf);
		return value && { id, tenant, ...value };
	}
}

/** When a delivery is looked at, to be deleted or looked at later: ids sort by that instant. */
type PurgeNote = { readonly tenant: string; readonly delivery: string };

const purges: CollectionRef = { tenant: 'system', collection: 'webhooks.purges' };

function collectionOf(tenant: string): CollectionRef {
	return { tenant, collection: 'webhooks.deliveries' };
}

function indexOf({ endpointId }: DeliveryRecord): { readonly index?: string } {
	return endpointId === null ? {} : { index: endpointId };
}
