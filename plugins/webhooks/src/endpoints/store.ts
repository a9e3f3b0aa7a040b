import { type Clock, type CollectionRef, errorFrom, type RecordStore, type StoredRecord } from '@plinth/core';
import { Semaphore } from '@plinth/toolkit';
import { webhookErrors } from '../errors.ts';
import { EndpointIds, isEndpointId } from '../ids.ts';
import { changeRecord } from '../records.ts';
import { makeSecret } from '../secrets.ts';
import type { EndpointRecord } from './record.ts';

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
	/** Counting and adding are two steps. Other processes may step in between: then a tenant has a few more. */
	readonly #creation = new Semaphore(1);

	constructor(records: RecordStore, clock: Clock) {
		this.#records = records;
		this.#clock = clock;
	}

	/** Makes an endpoint with a new secret. Rejects with `E_WEBHOOK_ENDPOINTS_FULL` when the tenant has a hundred. */
	create(tenant: string, given: Pick<EndpointRecord, 'name' | 'url' | 'eventTypes'>): Promise<Endpoint> {
		return this.#creation.run(async () => {
			const { length } = await this.list(tenant);
			if (length >= maxEndpoints) throw errorFrom(webhookErrors, 'E_WEBHOOK_ENDPOINTS_FULL');
			const now = this.#clock.now();
			const id = this.#ids.next(now);
			const record: EndpointRecord = {
				...given,
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

	/** Reads one; null when it is unknown to this tenant. */
	async find(tenant: string, id: string): Promise<Endpoint | null> {
		return toEndpoint(await this.#read(tenant, id));
	}

	/** All of a tenant, the newest first. */
	async list(tenant: string): Promise<readonly Endpoint[]> {
		const { records } = await this.#records.list<EndpointRecord>(collectionOf(tenant), {
			limit: 1_000,
		});
		return records
			.map(toEndpoint)
			.filter((endpoint) => endpoint !== null)
			.reverse();
	}

	/** Changes one as `edit` says, which may be asked again; null when it is unknown. */
	async change(tenant: string, id: string, edit: (record: EndpointRecord) => EndpointRecord): Promise<Endpoint | null> {
		if (!isEndpointId(id)) return null;
		const value = await changeRecord(this.#records, collectionOf(tenant), id, edit);
		return value && { id, ...value };
	}

	/** Deletes one. True when it was there. */
	async remove(tenant: string, id: string): Promise<boolean> {
		return isEndpointId(id) && this.#records.delete(collectionOf(tenant), id);
	}

	async #read(tenant: string, id: string): Promise<StoredRecord<EndpointRecord> | null> {
		return isEndpointId(id) ? this.#records.get(collectionOf(tenant), id) : null;
	}
}

function collectionOf(tenant: string): CollectionRef {
	return { tenant, collection: 'webhooks.endpoints' };
}

/** Null also for a record that is none of ours: it must not keep the events of all tenants waiting. */
function toEndpoint(stored: StoredRecord<EndpointRecord> | null): Endpoint | null {
	return stored && isIntact(stored.value) ? { id: stored.id, ...stored.value } : null;
}

function isIntact({ url, eventTypes, secret, oldSecrets }: Partial<EndpointRecord>): boolean {
	const isText = typeof url === 'string' && typeof secret === 'string';
	return isText && Array.isArray(eventTypes) && Array.isArray(oldSecrets);
}
