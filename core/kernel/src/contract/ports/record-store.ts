import type { JsonObject } from './json.ts';
import type { SelfCheck } from './self-check.ts';

/** A stored JSON object. `version` starts at 1 and rises with every write. */
export interface StoredRecord<T extends JsonObject = JsonObject> {
	readonly id: string;
	readonly value: T;
	readonly version: number;
	/** Milliseconds since the Unix epoch. */
	readonly updatedAt: number;
}

/** A collection of one tenant, with at most one declared index. */
export interface CollectionRef {
	readonly tenant: string;
	/** `<owner>.<noun>`: `core.keys`, `webhooks.endpoints`. */
	readonly collection: string;
}

/** Conditions and side data of a write. */
export interface PutOptions {
	/** 0: must not exist. n: must have this version. Absent: last writer wins. */
	readonly ifVersion?: number;
	/** The value of the collection's index for this record; it is what `list` filters by. */
	readonly index?: string;
}

/** Which records to list, ordered by id. */
export interface RecordListOptions {
	/** Only records whose index equals this. */
	readonly index?: string;
	/** An id; the list starts after it. It need not exist. */
	readonly after?: string;
	/** 1 to 1,000. */
	readonly limit: number;
}

/** A record with its collection and index. */
export interface RecordDump extends CollectionRef, StoredRecord {
	readonly index: string | null;
}

/** Small JSON documents in collections, each owned by a tenant. Writes resolve when they are durable. */
export interface RecordStore extends SelfCheck {
	get<T extends JsonObject>(ref: CollectionRef, id: string): Promise<StoredRecord<T> | null>;
	/** Writes and returns the new version; null when `ifVersion` does not match, and nothing was written. */
	put(ref: CollectionRef, id: string, value: JsonObject, options?: PutOptions): Promise<number | null>;
	/** True when the record existed. */
	delete(ref: CollectionRef, id: string): Promise<boolean>;
	list<T extends JsonObject>(
		ref: CollectionRef,
		options: RecordListOptions,
	): Promise<{ readonly records: readonly StoredRecord<T>[]; readonly hasMore: boolean }>;
	/** All records of all tenants in a fixed order, in pages. No process may write meanwhile. */
	dump(): AsyncIterable<RecordDump>;
	/**
	 * Writes records of a dump, 500 at most, in one transaction. Records that are present already stay, so a load can be
	 * repeated. Rejects with `E_STORE_DIFFERS`, and writes nothing, if one of them is present with other content.
	 */
	load(records: readonly RecordDump[]): Promise<void>;
}
