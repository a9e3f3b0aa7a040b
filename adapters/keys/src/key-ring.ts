import type { Clock, RecordStore } from '@plinth/core';
import { defineService, invalidValue, plinthError } from '@plinth/core';
import { digestOf, keyId, makeKey } from './key-format.ts';
import { KeyRecords, type StoredKey } from './key-records.ts';

/** For whom a key is made, and what it may do. */
export interface KeyRequest {
	/** 1 to 128 printable characters. */
	readonly tenant: string;
	/** At least one: `videos:read`, …; `*` is every scope. Whether a route asks for them is for the caller to know. */
	readonly scopes: readonly string[];
	/** A label for people: at most 128 printable characters. */
	readonly name?: string;
	/** Milliseconds since the Unix epoch, in the future: from that instant on the key is refused. Absent: it stays. */
	readonly expiresAt?: number;
}

/** A key that was made just now. It is shown here and never again. */
export interface IssuedKey {
	readonly id: string;
	readonly key: string;
}

/** What is known of an issued key. Instants are milliseconds since the Unix epoch. */
export interface KeyInfo {
	/** Also the id of the principal that the key speaks for. */
	readonly id: string;
	readonly tenant: string;
	readonly scopes: readonly string[];
	readonly name: string | null;
	/** The last four characters. */
	readonly hint: string;
	readonly createdAt: number;
	readonly expiresAt: number | null;
	/** To the minute. */
	readonly lastUsedAt: number | null;
	readonly state: 'active' | 'expired';
}

/** Issues keys, of which a tenant may have several at once. Keys that the config names are not among them. */
export interface KeyRing {
	/** Makes a key and stores its hash. Rejects with `E_VALUE_INVALID` and the name of what is wrong. */
	issue(request: KeyRequest): Promise<IssuedKey>;
	/**
	 * Makes a key with every scope for tenant `default` when none is configured, none is stored and none was ever made so; else null:
	 * whoever has revoked every key does not get one by a restart.
	 */
	issueFirst(): Promise<string | null>;
	/** Every issued key, the oldest first; expired ones stay until they are revoked. */
	list(): Promise<readonly KeyInfo[]>;
	/** Forgets a key, named by itself or by its id: from now on it is refused. Null: there is no such key. */
	revoke(keyOrId: string): Promise<KeyInfo | null>;
}

/** The service under which a {@link KeyRing} is provided. */
export const keyRing = defineService<KeyRing>('core.keys');

/** Whether a stored key is no longer good. */
export function isExpired({ value }: StoredKey, now: number): boolean {
	return typeof value.expiresAt === 'number' && now >= value.expiresAt;
}

const firstKeyMarks = { tenant: 'system', collection: 'core.keyMarks' };
const firstKey = 'first';

/** What a ring stands on. */
export interface KeyRingOptions {
	/** Undefined: nothing can be issued. */
	readonly store: RecordStore | undefined;
	readonly hasConfigured: boolean;
	readonly clock: Clock;
}

/** Makes a ring on a store. */
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
			await records.add(digest, {
				tenant,
				scopes: [...new Set(scopes)],
				hint,
				createdAt,
				name,
				expiresAt,
			});
			return { id: keyId(digest.hex), key };
		},
		async issueFirst() {
			if (hasConfigured || !store || !records) return null;
			if (!(await records.isEmpty())) return null;
			// Of two processes that start on one store, the one whose mark is written makes the key.
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
			const record =
				(await records?.findById(keyOrId)) ?? (await records?.find(digestOf(keyOrId))) ?? null;
			if (!record || !(await records?.remove(record.id))) return null;
			return describe(record, clock.now());
		},
	};
	return ring;
}

const noStore = 'apiKeys has no RecordStore to keep keys in: add one under backends.records.';

function describe(key: StoredKey, now: number): KeyInfo {
	const { tenant, scopes, hint, createdAt } = key.value;
	const { name = null, expiresAt = null, lastUsedAt = null } = key.value;
	const state = isExpired(key, now) ? 'expired' : 'active';
	const id = keyId(key.id);
	return { id, tenant, scopes, name, hint, createdAt, expiresAt, lastUsedAt, state };
}

// Neither controls nor what turns the direction of writing: both are printed to terminals.
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
