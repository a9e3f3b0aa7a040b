import type { Clock, Json, RecordStore, StoredRecord } from '@plinth/core';
import { defineService, invalidValue, plinthError } from '@plinth/core';
import { type Digest, digestOf, digitsOfId, keyId, makeKey } from './key-format.ts';

/** The options of a new key. */
export interface KeyRequest {
	/** 1 to 128 printable characters. */
	readonly tenant: string;
	/** At least one: `videos:read`, …; `*` is every scope. Unknown scopes are not detected. */
	readonly scopes: readonly string[];
	/** A label for people: at most 128 printable characters. */
	readonly name?: string;
	/** Expiry in milliseconds since the Unix epoch, in the future. Absent: never. */
	readonly expiresAt?: number;
}

/** A new key, which is returned only here. */
export interface IssuedKey {
	readonly id: string;
	readonly key: string;
}

/** The metadata of an issued key. Instants are milliseconds since the Unix epoch. */
export interface KeyInfo {
	/** Also the id of the key's principal. */
	readonly id: string;
	readonly tenant: string;
	readonly scopes: readonly string[];
	readonly name: string | null;
	readonly hint: string;
	readonly createdAt: number;
	readonly expiresAt: number | null;
	/** Precise to a minute. */
	readonly lastUsedAt: number | null;
	readonly state: 'active' | 'expired';
}

/** Issues and revokes keys. A tenant may have several. Keys of the config are not included. */
export interface KeyRing {
	/** Creates a key and stores its hash. Rejects with `E_VALUE_INVALID` that names the invalid option. */
	issue(request: KeyRequest): Promise<IssuedKey>;
	/**
	 * Creates a key with every scope for the tenant `default`, when no key is configured or stored and none was created
	 * this way before; otherwise returns null. A restart after the revocation of every key creates none.
	 */
	issueFirst(): Promise<string | null>;
	/** All issued keys, oldest first; expired ones are kept until they are revoked. */
	list(): Promise<readonly KeyInfo[]>;
	/** Revokes a key, given as the key or its id, from the next request on. Returns null for an unknown key. */
	revoke(keyOrId: string): Promise<KeyInfo | null>;
}

/** The service under which a {@link KeyRing} is provided. */
export const keyRing = defineService<KeyRing>('core.keys');

/** The record of a key, under the hex digest; it never holds the key. Instants are milliseconds since the epoch. */
export interface KeyRecord {
	readonly tenant: string;
	readonly scopes: readonly string[];
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

/** Whether a stored key has expired. */
export function isExpired({ value }: StoredKey, now: number): boolean {
	return typeof value.expiresAt === 'number' && now >= value.expiresAt;
}

const firstKeyMarks = { tenant: 'system', collection: 'core.keyMarks' };
const firstKey = 'first';

/** Dependencies of a key ring. */
export interface KeyRingOptions {
	/** Undefined: keys cannot be issued. */
	readonly store: RecordStore | undefined;
	readonly hasConfigured: boolean;
	readonly clock: Clock;
}

/** Creates a key ring on a store. */
export function createKeyRing({ store, hasConfigured, clock }: KeyRingOptions): KeyRing {
	const records = store && new KeyRecords(store);
	const ring: KeyRing = {
		async issue(request) {
			check(request, clock.now());
			if (!records) throw plinthError('E_STORE_UNAVAILABLE', { message: noStore });
			const { tenant, scopes, name = null, expiresAt = null } = request;
			const key = makeKey();
			const digest = digestOf(key);
			const [hint, createdAt] = [key.slice(-4), clock.now()];
			await records.add(digest, { tenant, scopes: [...new Set(scopes)], hint, createdAt, name, expiresAt });
			return { id: keyId(digest.hex), key };
		},
		async issueFirst() {
			if (hasConfigured || !store || !records) return null;
			if (!(await records.isEmpty())) return null;
			// Of several processes that start on one store, the first writer of this record creates the key.
			const version = await store.put(firstKeyMarks, firstKey, {}, { ifVersion: 0 });
			if (version === null) return null;
			return (await ring.issue({ tenant: 'default', scopes: ['*'], name: 'first' })).key;
		},
		async list() {
			const keys = (await records?.all()) ?? [];
			return keys
				.map((key) => describe(key, clock.now()))
				.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
		},
		async revoke(keyOrId) {
			const record = (await records?.findById(keyOrId)) ?? (await records?.find(digestOf(keyOrId))) ?? null;
			if (!record || !(await records?.remove(record.id))) return null;
			return describe(record, clock.now());
		},
	};
	return ring;
}

const noStore = 'apiKeys has no RecordStore for keys: add one under backends.records.';

function describe(key: StoredKey, now: number): KeyInfo {
	const { tenant, scopes, hint, createdAt } = key.value;
	const { name = null, expiresAt = null, lastUsedAt = null } = key.value;
	const state = isExpired(key, now) ? 'expired' : 'active';
	const id = keyId(key.id);
	return { id, tenant, scopes, name, hint, createdAt, expiresAt, lastUsedAt, state };
}

// Excludes control and bidi characters, because both are printed to terminals.
const printable = /^(?! )[^\p{C}\p{Zl}\p{Zp}]{1,128}(?<! )$/u;
const scopePattern = /^[\x21-\x2b\x2d-\x7e]{1,64}$/;

function check({ tenant, scopes, name, expiresAt }: KeyRequest, now: number): void {
	if (!printable.test(tenant)) throw invalidValue('tenant', text('The tenant'));
	if (name !== undefined && !printable.test(name)) throw invalidValue('name', text('The name'));
	if (scopes.length === 0 || !scopes.every((scope) => scopePattern.test(scope))) {
		throw invalidValue('scopes', 'A key needs scopes, each without blanks and commas.');
	}
	if (expiresAt === undefined) return;
	if (!Number.isSafeInteger(expiresAt) || expiresAt <= now) {
		throw invalidValue('expiresAt', 'A key can only expire in the future.');
	}
}

function text(subject: string): string {
	return `${subject} has 1 to 128 printable characters, without blanks at its ends.`;
}
