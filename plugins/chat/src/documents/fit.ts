import type { DocumentText } from '@plinth/toolkit';

/** One page of a document; formats without pages have one. */
export interface TextPage {
	readonly page: number;
	readonly text: string;
}

/** The part of a document that the model receives. */
export interface FittedDocument {
	readonly pages: readonly TextPage[];
	/** Whether text was left out. */
	readonly isTruncated: boolean;
}

/**
 * Limits documents to `max` characters in all. Short documents stay complete; the others share the rest.
 * Each is cut after a page, or within its first page when that alone is too long.
 */
export function fit(documents: readonly DocumentText[], max: number): readonly FittedDocument[] {
	const all = documents.map(pagesOf);
	const shares = sharesOf(all.map(lengthOf), max);
	return all.map((pages, index) => {
		const { pages: kept, isCut } = takeFirst(pages, shares[index] ?? 0);
		return { pages: kept, isTruncated: isCut || (documents[index]?.truncated ?? false) };
	});
}

/** Drops the pages that no share of `max` characters can reach. The result of {@link fit} stays the same. */
export function limitPages(document: DocumentText, max: number): DocumentText {
	let start = 0;
	const pages = document.pages?.filter(({ text }) => {
		const isReached = start <= max;
		start += text.length;
		return isReached;
	});
	return pages && pages.length < (document.pages?.length ?? 0) ? { ...document, pages } : document;
}

/** The text length of a document, in UTF-16 units. */
export function charactersOf(document: DocumentText): number {
	return lengthOf(pagesOf(document));
}

function pagesOf({ pages, text = '' }: DocumentText): readonly TextPage[] {
	return pages ?? [{ page: 1, text }];
}

function lengthOf(pages: readonly TextPage[]): number {
	return pages.reduce((sum, { text }) => sum + text.length, 0);
}

/** Splits `max` fairly: no document gets less than another unless it needs less. */
function sharesOf(lengths: readonly number[], max: number): readonly number[] {
	const shares = lengths.map(() => 0);
	const order = lengths.map((length, index) => ({ length, index })).sort((a, b) => a.length - b.length);
	let remaining = max;
	order.forEach(({ length, index }, position) => {
		const share = Math.min(length, Math.floor(remaining / (order.length - position)));
		shares[index] = share;
		remaining -= share;
	});
	return shares;
}

function takeFirst(pages: readonly TextPage[], max: number) {
	const kept: TextPage[] = [];
	let remaining = max;
	for (const page of pages) {
		if (page.text.length > remaining) {
			if (kept.length === 0 && remaining > 0) kept.push({ ...page, text: cutAtWord(page.text, remaining) });
			return { pages: kept, isCut: true };
		}
		kept.push(page);
		remaining -= page.text.length;
	}
	return { pages: kept, isCut: false };
}

function cutAtWord(text: string, max: number): string {
	const part = text.slice(0, max);
	const end = Math.max(part.lastIndexOf(' '), part.lastIndexOf('\n'));
	return part.slice(0, end > max / 2 ? end : max).replace(/[\ud800-\udbff]$/, '');
}
