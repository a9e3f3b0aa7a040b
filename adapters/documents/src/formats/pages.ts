import type { DocumentOptions } from '@plinth/toolkit';
import { tooLarge } from './budget.ts';

/** Tells whether a page, counted from 1, is one of those asked for. */
export function isAsked(page: number, { pages }: DocumentOptions): boolean {
	return !pages || pages.some(({ first, last }) => first <= page && page <= last);
}

/** The texts of all pages as content, as far as they are asked for. */
export function pagesContent(texts: readonly string[], options: DocumentOptions) {
	const pages = texts.map((text, at) => ({ page: at + 1, text }));
	return { pages: pages.filter(({ page }) => isAsked(page, options)), pageCount: texts.length };
}

/** Likewise for formats that have pages only where a document breaks them itself: a single page is just text. */
export function brokenContent(texts: readonly string[], options: DocumentOptions) {
	return texts.length === 1 ? { text: texts[0] ?? '' } : pagesContent(texts, options);
}

const maxPages = 20_000;

/** Throws `E_DOCUMENT_TOO_LARGE` for more pages than any document has that was made to be read. */
export function refuseBeyond(pages: number): void {
	if (pages > maxPages) throw tooLarge(`The document has more than ${maxPages} pages.`);
}
