import type { Json, RecordStore, StoredRecord } from '@plinth/core';
import { plinthError } from '@plinth/core';
import { type Digest, digitsOfId } from './key-format.ts';

/**
 * The record of a key, under the hex digits of its digest; it never holds the key. Instants are
 * milliseconds since the Unix epoch.
 */
export interface KeyRecord {
	readonly tenant: string;
	readonly scopes: readonly string[];
	/** The last four characters, for people who look for a key. */
	readonly hint: string;
	readonly createdAt: number;
	/** Null or absent: the key has no name. */
	readonly name?: string | null;
	/** Expiry. Null or absent: never. */
	readonly expiresAt?: number | null;
	/** Absent until the first use. */
	readonly lastUsedAt?: number;
	readonly [key: string]: Json | undefined;
}

/** A key's record with its digest and its version. */
export type StoredKey = StoredRecord<KeyRecord & Record<string, Json>>;

const collection = { tenant: 'system', collection: 'core.keys' };

/** The records of issued keys. */
export class KeyRecords {
	readonly #store: RecordStore;

	constructor(store: RecordStore) {
		this.#store = store;
	}

	/** Rejects with `E_STORE_UNAVAILABLE` for any failure of the store, whose message is only logged. */
	async find(digest: Digest): Promise<StoredKey | null> {
		try {
			return await this.#store.get(collection, digest.hex);
		} catch (cause) {
			throw plinthError('E_STORE_UNAVAILABLE', { cause });
		}
	}

	/** The key with this public id; null when there is none, or when two share it. */
	async findById(id: string): Promise<StoredKey | null> {
		const digits = digitsOfId(id);
		if (digits === undefined) return null;
		// The id's digits sort directly before the digests that start with them.
		const { records } = await this.#page({ after: digits, limit: 2 });
		const [keys, ...others] = records.filter((record) => record.id.startsWith(digits));
		return keys && others.length === 0 ? keys : null;
	}

	/** All keys, ordered by digest. */
	async all(): Promise<readonly StoredKey[]> {
		const keys: StoredKey[] = [];
		for (;;) {
			const after = keys.at(-1)?.id;
			const page = await this.#page({ limit: 1_000, ...(after === undefined ? {} : { after }) });
			keys.push(...page.records);
			if (!page.hasMore) return keys;
		}
	}

	/** Whether no key is stored. */
	async isEmpty(): Promise<boolean> {
		return (await this.#page({ limit: 1 })).records.length === 0;
	}

	async add(digest: Digest, value: KeyRecord): Promise<void> {
		await this.#put(digest.hex, value, 0);
	}

	/** Writes the time of the last use, unless the record has changed meanwhile: this must not restore a revoked key. */
	async touch(key: StoredKey, lastUsedAt: number): Promise<void> {
		await this.#put(key.id, { ...key.value, lastUsedAt }, key.version);
	}

	/** True when the record existed. */
	remove(id: string): Promise<boolean> {
		return this.#store.delete(collection, id);
	}

	#page(options: { readonly after?: string; readonly limit: number }) {
		return this.#store.list<StoredKey['value']>(collection, options);
	}

	#put(id: string, value: KeyRecord, ifVersion: number): Promise<number | null> {
		const index = value.tenant;
		return this.#store.put(collection, id, value as StoredKey['value'], { ifVersion, index });
	}
}
