import type { DocumentPage, DocumentRun, DocumentText } from '@plinth/toolkit';
import { maxCharacters } from '../formats/budget.ts';
import type { ReadEnd, ReadNews } from './messages.ts';

/** More than any document has: the reader of PDFs stops at 20,000, and a container holds 5,000 files. */
const maxPages = 100_000;

type GrowingPage = Omit<DocumentPage, 'text'> & { text: string };

/** Puts a text together again from what a reading process tells. Throws on what such a process does not say. */
export class Gathered {
	readonly #progress: DocumentRun['progress'];
	#pages: GrowingPage[] | undefined;
	#text: string | undefined;
	#length = 0;

	constructor(progress: DocumentRun['progress']) {
		this.#progress = progress;
	}

	/** Takes the next piece, or forgets all of them when another process starts over. */
	add(news: Exclude<ReadNews, { readonly kind: 'ocr' | 'rest' }>): void {
		switch (news.kind) {
			case 'begin':
				this.#pages = undefined;
				this.#text = undefined;
				this.#length = 0;
				return;
			case 'progress':
				this.#progress?.(news.done, news.of);
				return;
			case 'pages':
				this.#pages ??= [];
				for (const page of news.pages) this.#addPage(this.#pages, page);
				return;
			case 'text':
				this.#count(news.text);
				this.#text = (this.#text ?? '') + news.text;
				return;
			default:
				throw new TypeError('It tells what nobody asked for.');
		}
	}

	/** All of it. */
	with({ mediaType, pageCount, truncated, metadata }: ReadEnd): DocumentText {
		return {
			mediaType,
			...(this.#pages ? { pages: this.#pages } : {}),
			...(this.#text === undefined ? {} : { text: this.#text }),
			...(pageCount === undefined ? {} : { pageCount }),
			truncated,
			metadata,
		};
	}

	#addPage(pages: GrowingPage[], page: DocumentPage): void {
		this.#count(page.text);
		const last = pages.at(-1);
		if (last?.page === page.page) last.text += page.text;
		else pages.push({ ...page });
		if (pages.length > maxPages) throw new RangeError('It tells of too many pages.');
	}

	#count(text: string): void {
		this.#length += text.length;
		// Also where it is no text at all.
		if (!(this.#length <= maxCharacters)) throw new RangeError('It tells too much.');
	}
}
