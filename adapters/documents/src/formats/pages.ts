import type { DocumentOptions } from '@plinth/toolkit';
import { tooLarge } from './budget.ts';

/** Whether a page, counted from 1, is one of the requested pages. */
export function isRequested(page: number, { pages }: DocumentOptions): boolean {
	return !pages || pages.some(({ first, last }) => first <= page && page <= last);
}

/** The texts of the requested pages as content. */
export function pagesContent(texts: readonly string[], options: DocumentOptions) {
	const pages = texts.map((text, at) => ({ page: at + 1, text }));
	return { pages: pages.filter(({ page }) => isRequested(page, options)), pageCount: texts.length };
}

/** The same for formats with explicit page breaks only: a single page is plain text. */
export function brokenContent(texts: readonly string[], options: DocumentOptions) {
	return texts.length === 1 ? { text: texts[0] ?? '' } : pagesContent(texts, options);
}

const maxPages = 20_000;

/** Throws `E_DOCUMENT_TOO_LARGE` for more pages than real documents have. */
export function refuseBeyond(pages: number): void {
	if (pages > maxPages) throw tooLarge(`The document has more than ${maxPages} pages.`);
}
