import { timingSafeEqual } from 'node:crypto';
import type { Authenticator, Clock, Logger, Principal } from '@plinth/core';
import { defineBackend, optional, services } from '@plinth/core';
import { z } from 'zod';
import { type Digest, digestOf, isIssuedForm, keyId } from './key-format.ts';
import { createKeyRing, isExpired, KeyRecords, keyRing, type StoredKey } from './key-ring.ts';

const config = z.strictObject({
	/**
	 * Comma-separated or a list. `tenant:key` splits at the first colon; a bare key is a tenant of its own. A key has 16
	 * to 512 characters.
	 */
	keys: z
		.union([z.string(), z.array(z.string())])
		.default('')
		.superRefine((keys, ctx) => {
			for (const message of keyProblems(keys)) ctx.addIssue({ code: 'custom', message });
		}),
});

/** API keys from the config, and issued ones, which are kept as SHA-256 hashes in the `RecordStore`. */
export const apiKeys = defineBackend({
	name: 'apiKeys',
	provides: { authenticator: services.authenticator, ring: keyRing },
	config,
	needs: { records: optional(services.records), clock: services.clock },
	create({ config, services: { records: store, clock }, log, onStop }) {
		const configured = configuredKeys(config.keys);
		const records = store && new KeyRecords(store);
		return {
			authenticator: authenticator(configured, records, { clock, log, onStop }),
			ring: createKeyRing({ store, hasConfigured: configured.size > 0, clock }),
		};
	},
});

/** Shorter keys can be guessed. */
const minLength = 16;

/** How long after boot a missing key is reported, in milliseconds: `plinth serve` creates the first key before. */
const firstKeyMs = 5_000;

const noKeys =
	'there are no API keys, so every request is refused: set keys of apiKeys ' +
	'(PLINTH_API_KEYS in the built-in composition), or create one: plinth keys create --tenant default --scopes "*".';

interface AuthenticatorTools {
	readonly clock: Clock;
	readonly log: Logger;
	onStop(task: () => void): void;
}

/** Every request reads the record of its key: a revocation applies to the next request in every process. */
function authenticator(
	configured: ReadonlyMap<string, ConfiguredKey>,
	records: KeyRecords | undefined,
	{ clock, log, onStop }: AuthenticatorTools,
): Authenticator {
	const lastUse = records && new LastUse(records, clock, log);
	/** By valid keys only, because invalid ones would displace them. */
	const digests = new Map<string, Digest>();
	let isUnchecked = configured.size === 0;

	/** Logs a warning, once, when there are no keys at all. Failures of the store are reported elsewhere. */
	async function warnIfNoKeys(): Promise<void> {
		if (!isUnchecked) return;
		isUnchecked = false;
		const isEmpty = records ? await records.isEmpty().catch(() => false) : true;
		if (isEmpty) log.warn({}, noKeys);
	}

	function remember(key: string, digest: Digest): void {
		if (digests.has(key)) return;
		// Clearing bounds the memory; it only causes additional hashes.
		if (digests.size >= maxRemembered) digests.clear();
		digests.set(key, digest);
	}

	return {
		booted: () => onStop(clock.after(firstKeyMs, () => void warnIfNoKeys())),
		async authenticate(key) {
			const digest = digests.get(key) ?? digestOf(key);
			const known = configured.get(digest.hex);
			if (known && sameDigest(known.digest, digest)) {
				remember(key, digest);
				return known.principal;
			}
			void warnIfNoKeys();
			// A wrong checksum is refused without a read of the store.
			if (!records || !isIssuedForm(key)) return null;
			const record = await records.find(digest);
			if (!record || !sameDigest(Buffer.from(record.id, 'hex'), digest)) return null;
			if (isExpired(record, clock.now())) return null;
			remember(key, digest);
			lastUse?.record(record);
			const { tenant, scopes } = record.value;
			return { id: keyId(digest.hex), tenant, scopes };
		},
	};
}

interface ConfiguredKey {
	readonly digest: Buffer;
	readonly principal: Principal;
}

/** Configured keys by digest. The lookup reveals only digests, which callers cannot choose. */
function configuredKeys(keys: string | readonly string[]): ReadonlyMap<string, ConfiguredKey> {
	return new Map(
		keyEntries(keys).map(({ tenant, key }) => {
			const { hex, bytes } = digestOf(key);
			const id = keyId(hex);
			return [hex, { digest: bytes, principal: { id, tenant: tenant ?? id, scopes: ['*'] } }];
		}),
	);
}

/** The problems of configured keys, without the keys. */
function keyProblems(keys: string | readonly string[]): readonly string[] {
	const entries = keyEntries(keys);
	if (entries.length === 0 && keys.length > 0) return ['has no key'];
	const tenants = new Map<string, string | undefined>();
	return entries.flatMap(({ tenant, key }, index) => {
		const entryName = `entry ${index + 1} of ${entries.length}`;
		if (!/^[\x21-\x2b\x2d-\x7e]{1,512}$/.test(key)) {
			return [`${entryName} has no key of ${minLength} to 512 visible ASCII characters without a comma`];
		}
		if (key.length < minLength) {
			const problem = `${entryName} has a key of ${key.length} characters; at least ${minLength} are needed`;
			return [`${problem}. Make one: openssl rand -hex 24. Or set none, and use plinth keys create`];
		}
		if (tenant === '') return [`${entryName} has an empty tenant before its colon`];
		if (tenants.has(key) && tenants.get(key) !== tenant) {
			return [`${entryName} repeats the key of another tenant`];
		}
		tenants.set(key, tenant);
		return [];
	});
}

/** Skips blank entries, for example after a trailing comma. */
function keyEntries(
	keys: string | readonly string[],
): readonly { readonly tenant: string | undefined; readonly key: string }[] {
	const entries = (typeof keys === 'string' ? keys.split(',') : keys).map((text) => text.trim());
	return entries.filter(Boolean).map((entry) => {
		const [, tenant, key = ''] = /^(?:([^:]*):)?(.*)$/s.exec(entry) ?? [];
		return { tenant, key };
	});
}

/** Interval in which the last use of a key is written, in milliseconds. */
const intervalMs = 60_000;

/** Maximum number of keys in memory. */
const maxRemembered = 10_000;

/** Records the last use of keys in the background, without delaying or failing requests. */
class LastUse {
	readonly #records: KeyRecords;
	readonly #clock: Clock;
	readonly #log: Logger;
	/** Start of the last write by digest, so that a failing store is not called by every request. */
	readonly #lastWrites = new Map<string, number>();

	constructor(records: KeyRecords, clock: Clock, log: Logger) {
		this.#records = records;
		this.#clock = clock;
		this.#log = log;
	}

	/** Records a use, with at most one write per key and minute, including writes of other processes. */
	record(key: StoredKey): void {
		const now = this.#clock.now();
		const isRecent = (at: number | undefined) => at !== undefined && Math.abs(now - at) < intervalMs;
		if (isRecent(key.value.lastUsedAt) || isRecent(this.#lastWrites.get(key.id))) return;
		// Clearing bounds the memory; it only causes additional writes.
		if (this.#lastWrites.size >= maxRemembered) this.#lastWrites.clear();
		this.#lastWrites.set(key.id, now);
		void this.#write(key, now);
	}

	async #write(key: StoredKey, now: number): Promise<void> {
		try {
			await this.#records.touch(key, now);
		} catch (err) {
			this.#log.warn({ err }, 'the last use of a key could not be recorded');
		}
	}
}

/** Compares digests in constant time. */
function sameDigest(expected: Buffer, digest: Digest): boolean {
	return expected.length === digest.bytes.length && timingSafeEqual(expected, digest.bytes);
}
