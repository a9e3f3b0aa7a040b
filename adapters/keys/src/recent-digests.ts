import { type Digest, digestOf } from './key-format.ts';

const maxDigests = 64;

/**
 * The digests of keys that were good a moment ago, so that busy clients do not cost a hash each time. Whether a key still is good
 * is asked anew at every request. What its time tells is whether a whole key was known, which the answer tells as well.
 */
export class RecentDigests {
	readonly #digests = new Map<string, Digest>();

	of(key: string): Digest {
		return this.#digests.get(key) ?? digestOf(key);
	}

	/** Remembers the digest of a good key. Wrong ones would only push those out. */
	remember(key: string, digest: Digest): void {
		if (this.#digests.has(key)) return;
		// Forgetting costs a hash more.
		if (this.#digests.size >= maxDigests) this.#digests.clear();
		this.#digests.set(key, digest);
	}
}
