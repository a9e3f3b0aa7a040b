import { type Digest, digestOf } from './key-format.ts';

const maxDigests = 64;

/**
 * Caches the digests of recently valid keys, to save a hash per request. Validity is checked at every
 * request. Its timing only reveals whether a complete key was known, which the response reveals as well.
 */
export class RecentDigests {
	readonly #digests = new Map<string, Digest>();

	of(key: string): Digest {
		return this.#digests.get(key) ?? digestOf(key);
	}

	/** Caches the digest of a valid key. Invalid keys would only evict others. */
	remember(key: string, digest: Digest): void {
		if (this.#digests.has(key)) return;
		// Clearing only causes additional hashes.
		if (this.#digests.size >= maxDigests) this.#digests.clear();
		this.#digests.set(key, digest);
	}
}
