import type { WebhookEvent } from '../event.ts';
import { digest } from '../ids.ts';
import type { Due } from './due.ts';

/** How long a delivery is kept after its end, in milliseconds. */
export const keptMs = 7 * 24 * 60 * 60 * 1000;

/** How many attempts a delivery remembers: the latest. */
export const maxAttempts = 50;

/** `pending → delivered | failed | cancelled`; sending it again makes it pending once more. */
export type DeliveryStatus = 'pending' | 'delivered' | 'failed' | 'cancelled';

/** One request, as it went. */
export type Attempt = {
	/** When it began, in milliseconds since the Unix epoch. */
	readonly at: number;
	/** Null when no answer came. */
	readonly statusCode: number | null;
	/** Why it was no success, in plain words. */
	readonly failure: string | null;
	readonly durationMs: number;
};

/** Whom a delivery is for. */
export type Target = {
	/** Null for the callback of a job. */
	readonly endpointId: string | null;
	readonly url: string;
	/** What the requests of a callback are signed with; null: they are not signed. Endpoints keep their secrets themselves. */
	readonly secret: string | null;
	/** Requests with the same line go to the same receiver, which gets few of them at a time. */
	readonly line: string;
};

/** What the record of a delivery holds. Times are milliseconds since the Unix epoch. */
export type DeliveryRecord = Target & {
	readonly event: WebhookEvent;
	readonly status: DeliveryStatus;
	readonly createdAt: number;
	/** Failed attempts of the schedule that runs. */
	readonly tries: number;
	readonly attempts: readonly Attempt[];
	/** Who is sending it now, and until when that counts. */
	readonly claim: { readonly token: string; readonly until: number } | null;
	/** Its one live entry among those that are due. */
	readonly due: Due;
};

/** An endpoint as a target. */
export function endpointTarget(endpoint: { readonly id: string; readonly url: string }): Target {
	return { endpointId: endpoint.id, url: endpoint.url, secret: null, line: endpoint.id };
}

/** A job's callback as a target. One receiver has one line for each tenant, whatever the rest of the address is. */
export function callbackTarget(
	tenant: string,
	callback: { readonly url: string; readonly secret: string | null },
): Target {
	const { url, secret } = callback;
	const origin = URL.parse(url)?.origin ?? url;
	return { endpointId: null, url, secret, line: `${callbackLine}${digest(tenant, origin)}` };
}

/** What is slow together: an endpoint, or all callbacks of a tenant. */
export function paceGroup({ tenant, line }: { readonly tenant: string; readonly line: string }) {
	return line.startsWith(callbackLine) ? `${callbackLine}${tenant}` : line;
}

const callbackLine = 'callback_';
