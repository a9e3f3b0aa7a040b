import type { DocumentText } from '@plinth/toolkit';
import { bytesOf, type PackedText, packedBytesOf, packText, unpackText } from './packed-text.ts';

/** What is kept of texts that were read, in bytes. */
export const textCacheLimits = {
	/** All of them together. */
	cacheBytes: 67_108_864,
	/** Those that are at hand as they are; others are compressed. One of the longest texts has room in it. */
	openBytes: 50_331_648,
	/** Smaller ones are never compressed. */
	smallBytes: 8_192,
} as const;

interface Entry {
	/** As it is, or packed. */
	text: DocumentText | PackedText;
	bytes: number;
}

/** Keeps texts by key: those that were used last as they are, older ones compressed, as long as all together fit. */
export class TextCache {
	readonly #limits: Readonly<Record<keyof typeof textCacheLimits, number>>;
	/** From the one that nobody has used for longest to the one that was used last. */
	readonly #entries = new Map<string, Entry>();
	#bytes = 0;
	#openBytes = 0;
	#isMakingRoom = false;

	constructor(limits: Readonly<Record<keyof typeof textCacheLimits, number>> = textCacheLimits) {
		this.#limits = limits;
	}

	/** The text, which is then the last to go. */
	async get(key: string): Promise<DocumentText | undefined> {
		const entry = this.#entries.get(key);
		if (!entry) return undefined;
		this.#entries.delete(key);
		this.#entries.set(key, entry);
		const { text } = entry;
		if (!isPacked(text)) return text;
		const open = await unpackText(text);
		// Somebody else may have opened it meanwhile.
		if (entry.text === text) this.#change(key, entry, open);
		return open;
	}

	/** Keeps a text, in place of what others need least. */
	put(key: string, text: DocumentText): void {
		this.#drop(key);
		const entry = { text, bytes: 0 };
		this.#entries.set(key, entry);
		this.#change(key, entry, text);
	}

	#change(key: string, entry: Entry, text: DocumentText | PackedText): void {
		if (this.#entries.get(key) !== entry) return;
		this.#count(entry, -1);
		entry.text = text;
		entry.bytes = key.length + (isPacked(text) ? packedBytesOf(text) : bytesOf(text));
		this.#count(entry, 1);
		void this.#makeRoom();
	}

	#drop(key: string): void {
		const entry = this.#entries.get(key);
		if (entry) this.#count(entry, -1);
		this.#entries.delete(key);
	}

	#count({ text, bytes }: Entry, sign: 1 | -1): void {
		this.#bytes += sign * bytes;
		if (!isPacked(text)) this.#openBytes += sign * bytes;
	}

	/** Packs the oldest texts that are open, one at a time, and forgets the oldest of all only where that is not enough. */
	async #makeRoom(): Promise<void> {
		if (this.#isMakingRoom) return;
		this.#isMakingRoom = true;
		try {
			for (let next = this.#nextToPack(); next; next = this.#nextToPack()) {
				const [key, entry] = next;
				const packed = await packText(entry.text as DocumentText).catch(() => undefined);
				if (packed) this.#change(key, entry, packed);
				// For want of memory: it is read again when somebody asks for it.
				else if (this.#entries.get(key) === entry) this.#drop(key);
			}
			for (const oldest of this.#entries.keys()) {
				if (this.#bytes <= this.#limits.cacheBytes) break;
				this.#drop(oldest);
			}
		} finally {
			this.#isMakingRoom = false;
		}
	}

	#nextToPack(): [string, Entry] | undefined {
		if (this.#openBytes <= this.#limits.openBytes) return undefined;
		for (const [key, entry] of this.#entries) {
			if (!isPacked(entry.text) && entry.bytes > this.#limits.smallBytes) return [key, entry];
		}
		return undefined;
	}
}

function isPacked(text: DocumentText | PackedText): text is PackedText {
	return 'packed' in text;
}
