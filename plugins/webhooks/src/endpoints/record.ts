import { maxOldSecrets, oldSecretMs } from '../secrets.ts';

/** How long an endpoint may only fail until it is disabled, in milliseconds. */
export const failingMs = 5 * 24 * 60 * 60 * 1000;

/** Why the server stopped sending: the receiver said 410, or it failed for five days. */
export type DisabledReason = 'gone' | 'failing';

/** What the record of an endpoint holds. Times are milliseconds since the Unix epoch. */
export type EndpointRecord = {
	readonly name: string;
	readonly url: string;
	readonly eventTypes: readonly string[];
	readonly createdAt: number;
	/** The last change of the configuration or of the secret. */
	readonly updatedAt: number;
	readonly secret: string;
	/** Secrets that still sign, the newest first, each until its instant. */
	readonly oldSecrets: readonly { readonly secret: string; readonly until: number }[];
	/** Null: enabled. */
	readonly disabled: { readonly reason: DisabledReason; readonly at: number } | null;
	/** The first failure since the last success. */
	readonly failingSince: number | null;
};

/** The secrets that sign at an instant, the newest first. */
export function activeSecrets(record: EndpointRecord, now: number): readonly string[] {
	const old = record.oldSecrets.filter(({ until }) => now < until);
	return [record.secret, ...old.map(({ secret }) => secret)];
}

/** Replaces the secret. The one before either goes on signing for 24 hours, or is over with all older ones. */
export function rotated(record: EndpointRecord, secret: string, now: number, keepsOld: boolean): EndpointRecord {
	const living = record.oldSecrets.filter(({ until }) => now < until);
	const old = [{ secret: record.secret, until: now + oldSecretMs }, ...living];
	const oldSecrets = keepsOld ? old.slice(0, maxOldSecrets) : [];
	return { ...record, secret, oldSecrets, updatedAt: now };
}

/** What a client may change of an endpoint. */
export interface EndpointChanges {
	readonly name?: string | undefined;
	readonly url?: string | undefined;
	readonly eventTypes?: readonly string[] | undefined;
	readonly status?: 'enabled' | undefined;
}

/**
 * Applies a client's changes. Another address or `enabled` makes a disabled endpoint a new start. The same record when
 * nothing changes.
 */
export function changed(record: EndpointRecord, changes: EndpointChanges, now: number): EndpointRecord {
	const { name = record.name, url = record.url, eventTypes = record.eventTypes } = changes;
	const isEnabled = record.disabled !== null && changes.status === 'enabled';
	const isFresh = isEnabled || url !== record.url;
	const isSame =
		name === record.name &&
		!isFresh &&
		eventTypes.length === record.eventTypes.length &&
		eventTypes.every((type) => record.eventTypes.includes(type));
	if (isSame) return record;
	const start = isFresh ? { disabled: null, failingSince: null } : {};
	return { ...record, name, url, eventTypes, updatedAt: now, ...start };
}
