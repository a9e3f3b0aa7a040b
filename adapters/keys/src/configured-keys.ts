import type { Principal } from '@plinth/core';
import { type Digest, digestOf, keyId, sameDigest } from './key-format.ts';

/** The keys of the config, by their digests. */
export class ConfiguredKeys {
	readonly #owners = new Map<string, { readonly digest: Buffer; readonly principal: Principal }>();

	/** `given` must have passed {@link keyProblems}. */
	constructor(keys: string | readonly string[]) {
		for (const { tenant, key } of keyEntries(keys)) {
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
	find(keys: Digest): Principal | undefined {
		const owner = this.#owners.get(keys.hex);
		return owner && sameDigest(owner.digest, keys) ? owner.principal : undefined;
	}
}

/** The problems of configured keys, without the keys. */
export function keyProblems(keys: string | readonly string[]): readonly string[] {
	const entries = keyEntries(keys);
	if (entries.length === 0 && keys.length > 0) return ['holds no key'];
	const tenants = new Map<string, string | undefined>();
	return entries.flatMap(({ tenant, key }, index) => {
		const entryName = `entry ${index + 1} of ${entries.length}`;
		if (!/^[\x21-\x2b\x2d-\x7e]{1,512}$/.test(key)) {
			return [`${entryName} has no key of 1 to 512 visible ASCII characters without a comma`];
		}
		if (tenant === '') return [`${entryName} has an empty tenant before its colon`];
		if (tenants.has(key) && tenants.get(key) !== tenant) {
			return [`${entryName} repeats the key of another tenant`];
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
function keyEntries(keys: string | readonly string[]): readonly KeyEntry[] {
	const entries = (typeof keys === 'string' ? keys.split(',') : keys).map((text) => text.trim());
	return entries.filter(Boolean).map((entry) => {
		const [, tenant, key = ''] = /^(?:([^:]*):)?(.*)$/s.exec(entry) ?? [];
		return { tenant, key };
	});
}
