import { isPlinthError, orAbort } from '@plinth/core';
import {
	type DocumentOptions,
	type DocumentReader,
	type DocumentRun,
	type DocumentText,
	type EncodedDocument,
	mergedRanges,
	type PageRange,
	pagesWithin,
} from '@plinth/toolkit';
import { contentHash } from './content-hash.ts';
import { TextCache } from './text-cache.ts';

/** The keys of the requested pages and of the whole document. */
type Keys = Readonly<Record<'requested' | 'whole', string>>;

/** One read for all equal requests. */
interface SharedRead {
	readonly text: Promise<DocumentText>;
	readonly waiting: Set<DocumentRun>;
	/** Aborts the read if it is not done. Later requests start another one. */
	end(reason?: unknown): void;
}

/**
 * A reader that reads the same bytes with the same options once: equal requests at the same time share one read, and
 * the most recently used texts are cached. The text of a whole document also serves requests for some of its pages.
 * Failures are not cached.
 */
export class CachedReader implements DocumentReader {
	readonly #reader: DocumentReader;
	readonly #cache = new TextCache();
	readonly #reads = new Map<string, SharedRead>();

	constructor(reader: DocumentReader) {
		this.#reader = reader;
	}

	get version(): string {
		return this.#reader.version;
	}

	async read(
		document: EncodedDocument,
		{ pages = [], ocr = 'auto', format = 'text' }: DocumentOptions = {},
		run: DocumentRun = {},
	): Promise<DocumentText> {
		run.signal?.throwIfAborted();
		const ranges = mergedRanges(pages);
		const whole = { ocr, format };
		const requested = ranges.length > 0 ? { ...whole, pages: ranges } : whole;
		const hash = await contentHash(document, run.signal);
		const keyOf = (options: DocumentOptions) => JSON.stringify([hash, this.version, options]);
		const keys = { requested: keyOf(requested), whole: keyOf(whole) };
		return this.#cached(keys, ranges, ocr) ?? (await this.#share(keys, document, requested, run));
	}

	#cached(keys: Keys, ranges: readonly PageRange[], ocr: DocumentOptions['ocr']): DocumentText | undefined {
		const text = this.#cache.get(keys.requested);
		if (text || ranges.length === 0) return text;
		const whole = this.#cache.get(keys.whole);
		if (!whole?.pages) return whole;
		const pages = pagesWithin(whole.pages, ranges);
		// A read of these pages alone may have text that the whole document left out.
		const isIncomplete = whole.truncated || (ocr === 'auto' && pages.some(({ needsOcr }) => needsOcr));
		return isIncomplete ? undefined : { ...whole, pages };
	}

	async #share(keys: Keys, document: EncodedDocument, options: DocumentOptions, run: DocumentRun) {
		for (;;) {
			const shared = this.#reads.get(keys.requested);
			try {
				return await join(shared ?? this.#start(keys, document, options), run);
			} catch (error) {
				// If the other request's file was removed with that request, this request reads its own file.
				if (!shared || isPlinthError(error) || run.signal?.aborted) throw error;
			}
		}
	}

	#start({ requested, whole }: Keys, document: EncodedDocument, options: DocumentOptions): SharedRead {
		const abort = new AbortController();
		const waiting = new Set<DocumentRun>();
		const progress = (done: number, of: number) => {
			for (const run of waiting) run.progress?.(done, of);
		};
		const end = (reason?: unknown) => {
			if (this.#reads.get(requested) === read) this.#reads.delete(requested);
			abort.abort(reason);
		};
		const keep = (text: DocumentText) => {
			// A document without pages is always whole.
			this.#cache.put(text.pages ? requested : whole, text);
			return text;
		};
		const work = this.#reader.read(document, options, { signal: abort.signal, progress });
		const read = { waiting, end, text: work.then(keep).finally(() => end()) };
		// All requests may have been aborted before it fails.
		read.text.catch(() => {});
		this.#reads.set(requested, read);
		return read;
	}
}

/** Waits for a shared read, or rejects with the reason of the signal if it aborts before. */
async function join({ text, waiting, end }: SharedRead, run: DocumentRun): Promise<DocumentText> {
	const waiter = { ...run };
	waiting.add(waiter);
	try {
		return await (run.signal ? orAbort(run.signal, text) : text);
	} finally {
		waiting.delete(waiter);
		if (waiting.size === 0) end(run.signal?.reason);
	}
}
