import type { Authenticator, Clock, Logger } from '@plinth/core';
import { defineBackend, optional, services } from '@plinth/core';
import { z } from 'zod';
import { ConfiguredKeys, keyProblems } from './configured-keys.ts';
import { isIssuedForm, keyId, sameDigest } from './key-format.ts';
import { KeyRecords } from './key-records.ts';
import { createKeyRing, isExpired, keyRing } from './key-ring.ts';
import { LastUse } from './last-use.ts';
import { RecentDigests } from './recent-digests.ts';

const config = z.strictObject({
	/** Comma-separated or a list. `tenant:key` splits at the first colon; a bare key is a tenant of its own. */
	keys: z
		.union([z.string(), z.array(z.string())])
		.default('')
		.superRefine((given, ctx) => {
			for (const message of keyProblems(given)) ctx.addIssue({ code: 'custom', message });
		}),
});

/** API keys from the config, and issued ones, which are kept as SHA-256 hashes in the `RecordStore`. */
export const apiKeys = defineBackend({
	name: 'apiKeys',
	provides: { authenticator: services.authenticator, ring: keyRing },
	config,
	needs: { records: optional(services.records), clock: services.clock },
	create({ config, services: { records: store, clock }, log }) {
		const configured = new ConfiguredKeys(config.keys);
		const records = store && new KeyRecords(store);
		const lastUse = records && new LastUse(records, clock, log);
		return {
			authenticator: authenticator({ configured, records, lastUse, clock, log }),
			ring: createKeyRing({ store, hasConfigured: configured.size > 0, clock }),
		};
	},
});

interface Sources {
	readonly configured: ConfiguredKeys;
	readonly records: KeyRecords | undefined;
	readonly lastUse: LastUse | undefined;
	readonly clock: Clock;
	readonly log: Logger;
}

const remedy = 'give apiKeys some (PLINTH_API_KEYS in the built-in composition), or create one: plinth keys create.';

/**
 * Authenticates by configured and issued keys. Every request reads the record of its key, so that a
 * revocation applies to the next request in every process.
 */
function authenticator({ configured, records, lastUse, clock, log }: Sources): Authenticator {
	const digests = new RecentDigests();
	let isUnchecked = configured.size === 0;

	/** Logs a warning, once, when there are no keys at all and so every request is refused. */
	async function warnIfNoKeys(): Promise<void> {
		isUnchecked = false;
		if (records && !(await records.isEmpty())) return;
		log.warn({}, `a request was refused, because there are no API keys: ${remedy}`);
	}

	return {
		async authenticate(key) {
			const digest = digests.of(key);
			const principal = configured.find(digest);
			if (principal) {
				digests.remember(key, digest);
				return principal;
			}
			// Not awaited; failures of the store are reported elsewhere.
			if (isUnchecked) warnIfNoKeys().catch(() => {});
			// A wrong checksum is refused without a read of the store.
			if (!records || !isIssuedForm(key)) return null;
			const record = await records.find(digest);
			if (!record || !sameDigest(Buffer.from(record.id, 'hex'), digest)) return null;
			if (isExpired(record, clock.now())) return null;
			digests.remember(key, digest);
			lastUse?.record(record);
			const { tenant, scopes } = record.value;
			return { id: keyId(digest.hex), tenant, scopes };
		},
	};
}
