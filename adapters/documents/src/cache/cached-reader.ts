import { isPlinthError } from '@plinth/core';
import type {
	DocumentOptions,
	DocumentReader,
	DocumentRun,
	DocumentText,
	EncodedDocument,
	PageRange,
} from '@plinth/toolkit';
import { mergedRanges, pagesWithin } from '@plinth/toolkit';
import { contentHash } from './content-hash.ts';
import { SharedRead } from './shared-read.ts';
import { TextCache } from './text-cache.ts';

interface Asked {
	readonly ocr: 'auto' | 'off';
	readonly pages?: readonly PageRange[];
}

/**
 * A reader that reads the same bytes with the same options once: equal requests at the same time share one read, and what was read is kept
 * as long as there is room. A whole document answers requests for some of its pages. Failures are not kept.
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
		{ pages = [], ocr = 'auto' }: DocumentOptions = {},
		run: DocumentRun = {},
	): Promise<DocumentText> {
		run.signal?.throwIfAborted();
		const ranges = mergedRanges(pages);
		const asked: Asked = ranges.length > 0 ? { ocr, pages: ranges } : { ocr };
		const hash = await contentHash(document, run.signal);
		const keyFor = (options: Asked) => JSON.stringify([hash, this.version, options.ocr, options.pages]);
		const keys = { asked: keyFor(asked), whole: keyFor({ ocr }) };
		const known = await this.#known(keys, asked);
		run.signal?.throwIfAborted();
		return known ?? (await this.#shared(keys, document, asked, run));
	}

	async #known(keys: Keys, { pages, ocr }: Asked): Promise<DocumentText | undefined> {
		const text = await this.#cache.get(keys.asked);
		if (text || !pages) return text;
		const whole = await this.#cache.get(keys.whole);
		return whole && partOf(whole, pages, ocr);
	}

	async #shared(keys: Keys, document: EncodedDocument, asked: Asked, run: DocumentRun): Promise<DocumentText> {
		const underWay = this.#reads.get(keys.asked);
		if (!underWay || underWay.isAbandoned) return this.#started(keys, document, asked).join(run);
		try {
			return await underWay.join(run);
		} catch (error) {
			if (isPlinthError(error) || run.signal?.aborted) throw error;
			// The file that is read was another one's, and may have gone with its request: ours is still there.
			return await this.#shared(keys, document, asked, run);
		}
	}

	#started(keys: Keys, document: EncodedDocument, asked: Asked): SharedRead {
		const read = new SharedRead(async (run) => {
			try {
				const text = await this.#reader.read(document, asked, run);
				// What has no pages is whole, whichever were asked for.
				this.#cache.put(text.pages ? keys.asked : keys.whole, text);
				return text;
			} finally {
				if (this.#reads.get(keys.asked) === read) this.#reads.delete(keys.asked);
			}
		});
		this.#reads.set(keys.asked, read);
		return read;
	}
}

interface Keys {
	/** Of what is asked for. */
	readonly asked: string;
	/** Of the whole document. */
	readonly whole: string;
}

/** Some pages of a whole document, unless reading them alone may bring more. */
function partOf(whole: DocumentText, ranges: readonly PageRange[], ocr: Asked['ocr']): DocumentText | undefined {
	if (!whole.pages) return whole;
	const pages = pagesWithin(whole.pages, ranges);
	const mayBringMore = whole.truncated || (ocr === 'auto' && pages.some((page) => page.needsOcr));
	return mayBringMore ? undefined : { ...whole, pages };
}
