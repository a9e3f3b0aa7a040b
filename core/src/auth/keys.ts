import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { defineBackend } from '../backend.ts';
import type { Authenticator, Principal } from '../ports/authenticator.ts';
import type { RecordStore } from '../ports/record-store.ts';
import { defineService, optional } from '../service.ts';
import { services } from '../services.ts';

/** A key as it is stored: never the key itself. */
interface KeyRecord {
	readonly tenant: string;
	readonly scopes: readonly string[];
	/** The last four characters, for people who look for a key. */
	readonly hint: string;
	/** Milliseconds since the Unix epoch. */
	readonly createdAt: number;
	readonly [key: string]: string | number | readonly string[];
}

/** Issues keys. A key is shown once, by the call that made it. */
export interface KeyRing {
	/** Makes a key, stores its hash and returns the key. */
	issue(owner: { readonly tenant: string; readonly scopes: readonly string[] }): Promise<string>;
	/** Makes a first key with every scope for tenant `default` when none is configured and none was ever issued; else null. */
	issueFirst(): Promise<string | null>;
	/** Forgets an issued key: from now on it is refused. False: it was not one of ours. */
	revoke(key: string): Promise<boolean>;
}

/** The service under which a {@link KeyRing} is provided. */
export const keyRing = defineService<KeyRing>('core.keys');

const prefix = 'plinth_live_';
const keys = { tenant: 'system', collection: 'core.keys' };
const marks = { tenant: 'system', collection: 'core.keyMarks' };
const firstKey = 'first';

const config = z.strictObject({
	/** Comma-separated or a list. `tenant:key` splits at the first colon; a bare key is a tenant of its own. */
	keys: z
		.union([z.string(), z.array(z.string())])
		.default('')
		.superRefine((given, ctx) => {
			for (const message of wrongKeys(given)) ctx.addIssue({ code: 'custom', message });
		}),
});

/** API keys from the config, and issued ones, which are kept as SHA-256 hashes in the `RecordStore`. */
export const apiKeys = defineBackend({
	name: 'apiKeys',
	provides: { authenticator: services.authenticator, ring: keyRing },
	config,
	needs: { records: optional(services.records), clock: services.clock },
	create({ config, services: { records, clock } }) {
		const configured = parseKeys(config.keys);
		return {
			authenticator: authenticator(configured, records),
			ring: ring(configured.size > 0, records, () => clock.now()),
		};
	},
});

/** A key and its tenant; undefined for a bare key. */
interface KeyEntry {
	readonly tenant: string | undefined;
	readonly key: string;
}

/** Blank entries, as a trailing comma leaves them, are passed over. */
function keyEntries(given: string | readonly string[]): readonly KeyEntry[] {
	const entries = (typeof given === 'string' ? given.split(',') : given).map((text) => text.trim());
	return entries.filter(Boolean).map((entry) => {
		const [, tenant, key = ''] = /^(?:([^:]*):)?(.*)$/s.exec(entry) ?? [];
		return { tenant, key };
	});
}

/** What is wrong with configured keys, without showing them. */
function wrongKeys(given: string | readonly string[]): readonly string[] {
	const entries = keyEntries(given);
	if (entries.length === 0 && given.length > 0) return ['holds no key'];
	const place = (index: number) => `entry ${index + 1} of ${entries.length}`;
	return entries.flatMap(({ tenant, key }, index) => {
		if (!/^[\x21-\x2b\x2d-\x7e]{1,512}$/.test(key)) {
			return [`${place(index)} has no key of 1 to 512 visible ASCII characters without a comma`];
		}
		if (tenant === '') return [`${place(index)} has an empty tenant before its colon`];
		const other = entries.findIndex((entry) => entry.key === key && entry.tenant !== tenant);
		return other >= 0 && other < index ? [`${place(index)} repeats the key of another tenant`] : [];
	});
}

/** Reads `PLINTH_API_KEYS`: a map from the key's hash to whom it speaks for. */
function parseKeys(given: string | readonly string[]): ReadonlyMap<string, Principal> {
	return new Map(
		keyEntries(given).map(({ tenant, key }) => {
			const digest = hash(key);
			const id = `key_${digest.slice(0, 12)}`;
			return [digest, { id, tenant: tenant ?? id, scopes: ['*'] }];
		}),
	);
}

/**
 * Keys are looked up by their hash, and the hashes compared in constant time: the time says nothing about how close a guess was.
 */
function authenticator(
	configured: ReadonlyMap<string, Principal>,
	records: RecordStore | undefined,
): Authenticator {
	return {
		async authenticate(key) {
			const digest = hash(key);
			for (const [known, principal] of configured) {
				if (timingSafeEqual(Buffer.from(known), Buffer.from(digest))) return principal;
			}
			// A guess with a wrong checksum is refused without a look at the store.
			if (!records || !isIssued(key)) return null;
			const found = await records.get<KeyRecord>(keys, digest);
			if (!found) return null;
			const { tenant, scopes } = found.value;
			return { id: `key_${digest.slice(0, 12)}`, tenant, scopes };
		},
	};
}

function ring(
	hasConfigured: boolean,
	records: RecordStore | undefined,
	now: () => number,
): KeyRing {
	const issue: KeyRing['issue'] = async ({ tenant, scopes }) => {
		if (!records)
			throw new Error('apiKeys needs a RecordStore to issue keys: add one under backends.records.');
		const key = makeKey();
		const value: KeyRecord = { tenant, scopes, hint: key.slice(-4), createdAt: now() };
		await records.put(keys, hash(key), value, { index: tenant });
		return key;
	};
	return {
		issue,
		async issueFirst() {
			if (hasConfigured || !records) return null;
			const { records: issued } = await records.list(keys, { limit: 1 });
			if (issued.length > 0) return null;
			// Of two processes that start on one store, the one whose mark is written makes the key.
			const mark = await records.get(marks, firstKey);
			const isOurs = await records.put(marks, firstKey, {}, { ifVersion: mark?.version ?? 0 });
			return isOurs === null ? null : issue({ tenant: 'default', scopes: ['*'] });
		},
		async revoke(key) {
			return (await records?.delete(keys, hash(key))) ?? false;
		},
	};
}

/** `plinth_live_` + 32 random bytes in base64url + CRC-32 of both in hex, so that scanners can tell a key from noise. */
function makeKey(): string {
	const body = `${prefix}${randomBytes(32).toString('base64url')}`;
	return `${body}${checksum(body)}`;
}

function isIssued(key: string): boolean {
	return key.startsWith(prefix) && key.slice(-8) === checksum(key.slice(0, -8));
}

function checksum(text: string): string {
	return crc32(text).toString(16).padStart(8, '0');
}

function hash(key: string): string {
	return createHash('sha256').update(key).digest('hex');
}
