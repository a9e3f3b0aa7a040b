import type { Principal } from '@plinth/core';
import { type Digest, digestOf, keyId, sameDigest } from './key-format.ts';

/** The keys that a config names, by their digests. */
export class ConfiguredKeys {
	readonly #owners = new Map<string, { readonly digest: Buffer; readonly principal: Principal }>();

	/** `given` has passed {@link keyProblems}. */
	constructor(given: string | readonly string[]) {
		for (const { tenant, key } of keyEntries(given)) {
			const { hex, bytes } = digestOf(key);
			const id = keyId(hex);
			const principal = { id, tenant: tenant ?? id, scopes: ['*'] };
			this.#owners.set(hex, { digest: bytes, principal });
		}
	}

	get size(): number {
		return this.#owners.size;
	}

	/**
	 * Whom a key speaks for. It costs the same for one key and for thousands; what the lookup may tell by its time concerns
	 * digests, which nobody can choose.
	 */
	find(given: Digest): Principal | undefined {
		const owner = this.#owners.get(given.hex);
		return owner && sameDigest(owner.digest, given) ? owner.principal : undefined;
	}
}

/** What is wrong with configured keys, without showing them. */
export function keyProblems(given: string | readonly string[]): readonly string[] {
	const entries = keyEntries(given);
	if (entries.length === 0 && given.length > 0) return ['holds no key'];
	const tenants = new Map<string, string | undefined>();
	return entries.flatMap(({ tenant, key }, index) => {
		const place = `entry ${index + 1} of ${entries.length}`;
		if (!/^[\x21-\x2b\x2d-\x7e]{1,512}$/.test(key)) {
			return [`${place} has no key of 1 to 512 visible ASCII characters without a comma`];
		}
		if (tenant === '') return [`${place} has an empty tenant before its colon`];
		if (tenants.has(key) && tenants.get(key) !== tenant) {
			return [`${place} repeats the key of another tenant`];
		}
		tenants.set(key, tenant);
		return [];
	});
}

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
