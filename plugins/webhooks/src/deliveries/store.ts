import { randomBytes } from 'node:crypto';
import type { Clock, CollectionRef, RecordStore, StoredRecord } from '@plinth/core';
import type { WebhookEvent } from '../event.ts';
import { deliveryId, isDeliveryId } from '../ids.ts';
import { type Due, type DueEntry, type DueList, dueId } from './due.ts';
import {
	type Attempt,
	type DeliveryRecord,
	type DeliveryStatus,
	keptMs,
	maxAttempts,
	type Target,
} from './record.ts';

/** How long the right to send a delivery lasts, in milliseconds: an attempt of 15 seconds and some room. */
export const claimMs = 30_000;
/** By how much the clocks of processes may differ without one taking another's claim for one of the future, in milliseconds. */
const skewMs = 60_000;

/** A delivery with its id. */
export interface Delivery extends DeliveryRecord {
	readonly id: string;
	readonly tenant: string;
}

/** A delivery as it was read or written last. */
interface Known {
	readonly id: string;
	readonly value: DeliveryRecord;
	readonly version: number;
}

/** A delivery that its holder may send. */
export interface Held extends Known {
	readonly tenant: string;
	readonly token: string;
}

/** What follows from an attempt: an end, or another one. */
export type Verdict = Exclude<DeliveryStatus, 'pending'> | { readonly retryAt: number };

/** How sending went. */
export interface Outcome {
	/** Null when nothing was sent. */
	readonly attempt: Attempt | null;
	readonly verdict: Verdict;
	/** Where it was sent to. */
	readonly url: string;
}

interface Change {
	readonly value: Partial<Omit<DeliveryRecord, 'due'>>;
	readonly due?: Pick<Due, 'sort' | 'at'>;
}

/**
 * The deliveries of all tenants, and the entries that say when something is due for them. Several processes may work on the same ones, and each
 * of them may end between any two writes. What holds at all times:
 *
 * 1. A delivery names its one live entry (`due`). New: the delivery is written first, then its entry; whoever plans it repeats that until it has
 *    got through. From then on the live entry exists until the delivery has gone.
 * 2. Moving on writes the new entry, then the delivery, if its version is still the one that was read, and deletes the old entry last. An end
 *    in between leaves an entry too many, never one too few.
 * 3. An entry carries the version that its writer had read (`generation`). One that its delivery does not name is stale once the delivery has a
 *    later version: its writer can no longer succeed, so it may be deleted. With the same version the writer may be about to: it stays. An entry
 *    without a delivery is stale.
 * 4. Whoever sends holds a claim, written by comparing versions. A claim that has run out is anybody's; what its holder then finds out is only
 *    added to the attempts.
 */
export class Deliveries {
	readonly #records: RecordStore;
	readonly #due: DueList;
	readonly #clock: Clock;

	constructor(records: RecordStore, due: DueList, clock: Clock) {
		this.#records = records;
		this.#due = due;
		this.#clock = clock;
	}

	/** Makes the delivery of an event to a target, due at once. Again changes nothing. */
	async plan(tenant: string, event: WebhookEvent, target: Target): Promise<void> {
		// One callback per event: where it leads is no part of the id.
		const id = deliveryId(event.at, event.id, target.endpointId ?? 'callback');
		const now = this.#clock.now();
		const value: DeliveryRecord = {
			...target,
			event,
			status: 'pending',
			createdAt: now,
			tries: 0,
			attempts: [],
			claim: null,
			due: { sort: 'send', at: now, generation: 0 },
		};
		const written = await this.#put(tenant, id, value, 0);
		const planned = written === null ? (await this.#read(tenant, id))?.value : value;
		// Written by a process that may have ended before its entry was. Later generations have had theirs.
		if (planned?.due.generation === 0) await this.#due.put(entryOf(tenant, id, planned));
	}

	/** Reads one; null when it is unknown to this tenant. */
	async find(tenant: string, id: string): Promise<Delivery | null> {
		if (!isDeliveryId(id)) return null;
		const stored = await this.#read(tenant, id);
		return stored && toDelivery(tenant, stored);
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
		return { deliveries: records.map((stored) => toDelivery(tenant, stored)), hasMore };
	}

	/** Takes the right to send what an entry is about. Null when there is nothing to send now: a stale entry is deleted, others are left alone. */
	async claim(entry: DueEntry): Promise<Held | null> {
		const stored = await this.#live(entry);
		if (!stored) return null;
		const token = randomBytes(8).toString('hex');
		const claimed = await this.#change(entry.tenant, entry.delivery, stored, (value) => {
			const now = this.#clock.now();
			if (value.status !== 'pending' || value.due.at > now) return null;
			if (isHeld(value, now)) return null;
			return { value: { claim: { token, until: now + claimMs } } };
		});
		if (claimed?.value.claim?.token !== token) return null;
		return { ...claimed, tenant: entry.tenant, token };
	}

	/** Writes down an attempt and what follows from it. Without the claim any more, only the attempt. */
	async settle(held: Held, { attempt, verdict, url }: Outcome): Promise<void> {
		await this.#change(held.tenant, held.id, held, (value) => {
			const attempts = attempt ? [...value.attempts, attempt].slice(-maxAttempts) : value.attempts;
			if (value.claim?.token !== held.token) return attempt ? { value: { attempts } } : null;
			const common = { attempts, url, claim: null };
			if (typeof verdict === 'string') {
				return { value: { ...common, status: verdict }, due: this.#purgeDue() };
			}
			return {
				value: { ...common, tries: value.tries + 1 },
				due: { sort: 'send', at: verdict.retryAt },
			};
		});
	}

	/** Gives a claim back without an attempt: anybody may send at once. */
	async release(held: Held): Promise<void> {
		await this.#change(held.tenant, held.id, held, ({ claim }) =>
			claim?.token === held.token ? { value: { claim: null } } : null,
		);
	}

	/** Ends a pending delivery without sending it. */
	async cancel(entry: DueEntry): Promise<void> {
		const stored = await this.#live(entry);
		if (!stored) return;
		await this.#change(entry.tenant, entry.delivery, stored, ({ status }) => {
			if (status !== 'pending') return null;
			return { value: { status: 'cancelled', claim: null }, due: this.#purgeDue() };
		});
	}

	/** Makes a delivery due now, with the whole schedule before it; null when it is unknown. Who is sending it meanwhile has lost the claim. */
	async resend(tenant: string, id: string): Promise<Delivery | null> {
		const stored = isDeliveryId(id) ? await this.#read(tenant, id) : null;
		if (!stored) return null;
		const changed = await this.#change(tenant, id, stored, () => ({
			value: { status: 'pending', tries: 0, claim: null },
			due: { sort: 'send', at: this.#clock.now() },
		}));
		return changed && toDelivery(tenant, changed);
	}

	/** Deletes the delivery that has ended long enough ago. */
	async purge(entry: DueEntry): Promise<void> {
		if (!(await this.#live(entry))) return;
		await this.#records.delete(collectionOf(entry.tenant), entry.delivery);
		await this.#due.remove(entry.delivery, entry);
	}

	/** The delivery whose live entry this is; a stale entry is deleted. */
	async #live(entry: DueEntry): Promise<StoredRecord<DeliveryRecord> | null> {
		const stored = await this.#read(entry.tenant, entry.delivery);
		if (stored && dueId(stored.id, stored.value.due) === dueId(entry.delivery, entry))
			return stored;
		const isStale = stored === null || stored.version > entry.generation;
		if (isStale) await this.#due.remove(entry.delivery, entry);
		return null;
	}

	/** Changes a delivery as `edit` says, again when somebody else was faster. What was read or written last; null when it has gone. */
	async #change(
		tenant: string,
		id: string,
		known: Known,
		edit: (value: DeliveryRecord) => Change | null,
	): Promise<Known | null> {
		let stored: Known | null = known;
		while (stored) {
			const change = edit(stored.value);
			if (!change) return stored;
			const written = await this.#write(tenant, stored, change);
			if (written) return written;
			stored = await this.#read(tenant, id);
		}
		return null;
	}

	/** Null: somebody else was faster, and the entry that was written, if any, is stale. */
	async #write(tenant: string, { id, value, version }: Known, change: Change) {
		const due = change.due ? { ...change.due, generation: version } : value.due;
		const next: DeliveryRecord = { ...value, ...change.value, due };
		if (change.due) await this.#due.put(entryOf(tenant, id, next));
		const written = await this.#put(tenant, id, next, version);
		if (written === null) return null;
		if (change.due) await this.#due.remove(id, value.due);
		return { id, value: next, version: written };
	}

	#purgeDue(): Pick<Due, 'sort' | 'at'> {
		return { sort: 'purge', at: this.#clock.now() + keptMs };
	}

	#read(tenant: string, id: string): Promise<StoredRecord<DeliveryRecord> | null> {
		return this.#records.get<DeliveryRecord>(collectionOf(tenant), id);
	}

	#put(tenant: string, id: string, value: DeliveryRecord, ifVersion: number) {
		const index = value.endpointId === null ? {} : { index: value.endpointId };
		return this.#records.put(collectionOf(tenant), id, value, { ifVersion, ...index });
	}
}

function collectionOf(tenant: string): CollectionRef {
	return { tenant, collection: 'webhooks.deliveries' };
}

function entryOf(tenant: string, delivery: string, { due, line }: DeliveryRecord): DueEntry {
	return { ...due, tenant, delivery, line };
}

function toDelivery(tenant: string, { id, value }: Known): Delivery {
	return { id, tenant, ...value };
}

/** A claim that ends much later than any that is made now was made before the clock was set back: it no longer counts. */
function isHeld({ claim }: DeliveryRecord, now: number): boolean {
	return claim !== null && now < claim.until && claim.until <= now + claimMs + skewMs;
}
