import type { Principal } from '@plinth/core';
import { type Digest, digestOf, keyId, sameDigest } from './key-format.ts';

/** The keys of the config, by their digests. */
export class ConfiguredKeys {
	readonly #owners = new Map<string, { readonly digest: Buffer; readonly principal: Principal }>();

	/** `given` must have passed {@link keyProblems}. */
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
	 * The principal of a key. The lookup time does not depend on the number of keys; what it reveals concerns
	 * digests, which callers cannot choose.
	 */
	find(given: Digest): Principal | undefined {
		const owner = this.#owners.get(given.hex);
		return owner && sameDigest(owner.digest, given) ? owner.principal : undefined;
	}
}

/** The problems of configured keys, without the keys. */
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

/** Skips blank entries, for example after a trailing comma. */
function keyEntries(given: string | readonly string[]): readonly KeyEntry[] {
	const entries = (typeof given === 'string' ? given.split(',') : given).map((text) => text.trim());
	return entries.filter(Boolean).map((entry) => {
		const [, tenant, key = ''] = /^(?:([^:]*):)?(.*)$/s.exec(entry) ?? [];
		return { tenant, key };
	});
}
