import { type Clock, type CollectionRef, errorFrom, type RecordStore } from '@plinth/core';
import { Semaphore } from '@plinth/toolkit';
import { webhookErrors } from './errors.ts';
import { EndpointIds, isEndpointId } from './ids.ts';
import { changeRecord } from './records.ts';
import { makeSecret, maxOldSecrets, oldSecretMs } from './secrets.ts';

/** An endpoint whose attempts have all failed for this long is disabled. In milliseconds. */
export const failingMs = 5 * 24 * 60 * 60 * 1000;

/** Why the server stopped sending: the receiver responded with 410, or failed for five days. */
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
	/** Replaced secrets, the newest first. Each signs until `until`. */
	readonly oldSecrets: readonly { readonly secret: string; readonly until: number }[];
	readonly disabled: { readonly reason: DisabledReason; readonly at: number } | null;
	readonly failingSince: number | null;
};

/** The secrets that sign at an instant, the newest first. */
export function activeSecrets(record: EndpointRecord, now: number): readonly string[] {
	const old = record.oldSecrets.filter(({ until }) => now < until);
	return [record.secret, ...old.map(({ secret }) => secret)];
}

/** Replaces the secret. With `keepsOld` the previous one signs for 24 hours more; otherwise all old ones expire. */
export function rotated(record: EndpointRecord, secret: string, now: number, keepsOld: boolean): EndpointRecord {
	const unexpired = record.oldSecrets.filter(({ until }) => now < until);
	const old = [{ secret: record.secret, until: now + oldSecretMs }, ...unexpired];
	const oldSecrets = keepsOld ? old.slice(0, maxOldSecrets) : [];
	return { ...record, secret, oldSecrets, updatedAt: now };
}

/** The properties of an endpoint that a client may change. */
export interface EndpointChanges {
	readonly name?: string | undefined;
	readonly url?: string | undefined;
	readonly eventTypes?: readonly string[] | undefined;
	readonly status?: 'enabled' | undefined;
}

/** Applies changes. A new URL or `enabled` enables a disabled endpoint. Returns `record` when nothing changes. */
export function changed(record: EndpointRecord, changes: EndpointChanges, now: number): EndpointRecord {
	const { name = record.name, url = record.url, eventTypes = record.eventTypes } = changes;
	const isEnabled = record.disabled !== null && changes.status === 'enabled';
	const isReset = isEnabled || url !== record.url;
	const isSame =
		name === record.name &&
		!isReset &&
		eventTypes.length === record.eventTypes.length &&
		eventTypes.every((type) => record.eventTypes.includes(type));
	if (isSame) return record;
	const health = isReset ? { disabled: null, failingSince: null } : {};
	return { ...record, name, url, eventTypes, updatedAt: now, ...health };
}

/** How many endpoints a tenant may have. */
export const maxEndpoints = 100;

/** An endpoint with its id. */
export interface Endpoint extends EndpointRecord {
	readonly id: string;
}

/** The webhook endpoints of all tenants. */
export class Endpoints {
	readonly #records: RecordStore;
	readonly #clock: Clock;
	readonly #ids = new EndpointIds();
	/** Serialises counting and adding in this process. Other processes may add in between: a few more then exist. */
	readonly #creation = new Semaphore(1);

	constructor(records: RecordStore, clock: Clock) {
		this.#records = records;
		this.#clock = clock;
	}

	/** Creates an endpoint with a new secret. Rejects with `E_WEBHOOK_ENDPOINTS_FULL` when the tenant has 100. */
	create(tenant: string, settings: Pick<EndpointRecord, 'name' | 'url' | 'eventTypes'>): Promise<Endpoint> {
		return this.#creation.run(async () => {
			const { length } = await this.list(tenant);
			if (length >= maxEndpoints) throw errorFrom(webhookErrors, 'E_WEBHOOK_ENDPOINTS_FULL');
			const now = this.#clock.now();
			const id = this.#ids.next(now);
			const record: EndpointRecord = {
				...settings,
				createdAt: now,
				updatedAt: now,
				secret: makeSecret(),
				oldSecrets: [],
				disabled: null,
				failingSince: null,
			};
			await this.#records.put(collectionOf(tenant), id, record, { ifVersion: 0 });
			return { id, ...record };
		});
	}

	async find(tenant: string, id: string): Promise<Endpoint | null> {
		if (!isEndpointId(id)) return null;
		const stored = await this.#records.get<EndpointRecord>(collectionOf(tenant), id);
		return stored && isIntact(stored.value) ? { id, ...stored.value } : null;
	}

	/** All endpoints of a tenant, the newest first. */
	async list(tenant: string): Promise<readonly Endpoint[]> {
		const { records } = await this.#records.list<EndpointRecord>(collectionOf(tenant), { limit: 1_000 });
		const intact = records.filter(({ value }) => isIntact(value));
		return intact.map(({ id, value }) => ({ id, ...value })).reverse();
	}

	/** Applies `edit`, which may be called more than once. Null when the endpoint is unknown. */
	async change(tenant: string, id: string, edit: (record: EndpointRecord) => EndpointRecord): Promise<Endpoint | null> {
		if (!isEndpointId(id)) return null;
		const value = await changeRecord(this.#records, collectionOf(tenant), id, edit);
		return value && { id, ...value };
	}

	async remove(tenant: string, id: string): Promise<boolean> {
		return isEndpointId(id) && this.#records.delete(collectionOf(tenant), id);
	}
}

function collectionOf(tenant: string): CollectionRef {
	return { tenant, collection: 'webhooks.endpoints' };
}

/** The result of an attempt, as far as it affects the endpoint. */
export interface AttemptResult {
	readonly at: number;
	readonly isSuccess: boolean;
	/** The receiver responded with 410: it accepts no more events. */
	readonly isGone: boolean;
}

/** Records failures of the URL. After a 410 or five days, disables the endpoint and returns the reason. */
export async function recordHealth(
	endpoints: Endpoints,
	tenant: string,
	endpoint: Endpoint,
	result: AttemptResult,
): Promise<DisabledReason | undefined> {
	if (result.isSuccess && endpoint.failingSince === null) return undefined;
	const changed = await endpoints.change(tenant, endpoint.id, (record) => {
		if (record.url !== endpoint.url || record.disabled) return record;
		const { failingSince } = record;
		if (result.isSuccess) return failingSince === null ? record : { ...record, failingSince: null };
		if (result.isGone) return { ...record, disabled: { reason: 'gone', at: result.at } };
		if (failingSince === null) return { ...record, failingSince: result.at };
		if (result.at - failingSince < failingMs) return record;
		return { ...record, disabled: { reason: 'failing', at: result.at } };
	});
	const { disabled = null } = changed ?? {};
	return disabled?.at === result.at ? disabled.reason : undefined;
}

/** A damaged record is treated as absent: it must not delay the events of other tenants. */
const isIntact = ({ eventTypes, oldSecrets }: EndpointRecord) => Array.isArray(eventTypes) && Array.isArray(oldSecrets);
