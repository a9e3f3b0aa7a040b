import type { JobCallback } from '@plinth/core';
import type { WebhookEvent } from '../event.ts';
import { digest } from '../ids.ts';

/** How long a delivery is kept after its end, in milliseconds. */
export const keptMs = 7 * 24 * 60 * 60 * 1000;

/** How many attempts a delivery remembers: the latest. */
export const maxAttempts = 50;

/** `pending → delivered | failed | cancelled`; sending it again makes it pending once more. */
export type DeliveryStatus = 'pending' | 'delivered' | 'failed' | 'cancelled';

/** One request and what came of it. */
export type Attempt = {
	/** When it began, in milliseconds since the Unix epoch. */
	readonly at: number;
	/** Null when no answer came. */
	readonly statusCode: number | null;
	/** Why it was no success, in plain words. */
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
	/** Null while pending. */
	readonly endedAt: number | null;
	/** When the next attempt is due, while pending. */
	readonly nextAttemptAt: number;
	/** 0, and one more each time it is sent again: each run of the schedule is a job. */
	readonly run: number;
	/** Failed attempts of this run. */
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
