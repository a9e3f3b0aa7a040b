import type { DocumentText } from '@plinth/toolkit';

/** Maximum memory of the texts that are kept, in bytes. One of the longest texts fits. */
export const textCacheLimits = { cacheBytes: 16_777_216 } as const;

/** Memory of a text or page in addition to its characters, in bytes. */
const restBytes = 200;

/** Keeps texts by key. The least recently used ones are removed first. */
export class TextCache {
	readonly #maxBytes: number;
	/** In order of use, the least recently used one first. */
	readonly #entries = new Map<string, { readonly text: DocumentText; readonly bytes: number }>();
	#bytes = 0;

	constructor({ cacheBytes }: { readonly cacheBytes: number } = textCacheLimits) {
		this.#maxBytes = cacheBytes;
	}

	get(key: string): DocumentText | undefined {
		const entry = this.#entries.get(key);
		if (!entry) return undefined;
		this.#entries.delete(key);
		this.#entries.set(key, entry);
		return entry.text;
	}

	/** Keeps a text, unless it is larger than the cache. */
	put(key: string, text: DocumentText): void {
		this.#remove(key);
		const bytes = 2 * key.length + bytesOf(text);
		if (bytes > this.#maxBytes) return;
		this.#entries.set(key, { text, bytes });
		this.#bytes += bytes;
		for (const oldest of this.#entries.keys()) {
			if (this.#bytes <= this.#maxBytes) return;
			this.#remove(oldest);
		}
	}

	#remove(key: string): void {
		this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
		this.#entries.delete(key);
	}
}

/** Two bytes per character, although some take one. */
function bytesOf({ pages = [], text = '', metadata }: DocumentText): number {
	const texts: string[] = [...pages.map((page) => page.text), text, ...Object.values(metadata)];
	return texts.reduce((sum, { length }) => sum + 2 * length + restBytes, 0);
}
