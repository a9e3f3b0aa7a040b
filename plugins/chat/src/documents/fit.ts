import type { DocumentText } from '@plinth/toolkit';

/** One page of a document; formats without pages have one. */
export interface TextPage {
	readonly page: number;
	readonly text: string;
}

/** The part of a document that a model gets. */
export interface Fitted {
	readonly pages: readonly TextPage[];
	/** Text was left out. */
	readonly isTruncated: boolean;
}

/**
 * Brings documents to the characters that a model takes. Short ones stay whole, the others share what is left; each is cut behind a page, or
 * within its first one where that alone is too long.
 */
export function fit(documents: readonly DocumentText[], most: number): readonly Fitted[] {
	const all = documents.map(pagesOf);
	const shares = sharesOf(all.map(lengthOf), most);
	return all.map((pages, index) => {
		const { pages: kept, isCut } = beginningOf(pages, shares[index] ?? 0);
		return { pages: kept, isTruncated: isCut || (documents[index]?.truncated ?? false) };
	});
}

/** The same text without the pages that no share of `most` characters reaches. What {@link fit} makes of it stays the same. */
export function within(read: DocumentText, most: number): DocumentText {
	let begin = 0;
	const pages = read.pages?.filter(({ text }) => {
		const isReached = begin <= most;
		begin += text.length;
		return isReached;
	});
	return pages && pages.length < (read.pages?.length ?? 0) ? { ...read, pages } : read;
}

/** The length of all texts of a document, in UTF-16 units. */
export function charactersOf(read: DocumentText): number {
	return lengthOf(pagesOf(read));
}

function pagesOf({ pages, text = '' }: DocumentText): readonly TextPage[] {
	return pages ?? [{ page: 1, text }];
}

function lengthOf(pages: readonly TextPage[]): number {
	return pages.reduce((sum, { text }) => sum + text.length, 0);
}

/** How many characters each may have, so that none has less than the others unless it needs less. */
function sharesOf(lengths: readonly number[], most: number): readonly number[] {
	const shares = lengths.map(() => 0);
	const order = lengths
		.map((length, index) => ({ length, index }))
		.sort((a, b) => a.length - b.length);
	let left = most;
	order.forEach(({ length, index }, place) => {
		const share = Math.min(length, Math.floor(left / (order.length - place)));
		shares[index] = share;
		left -= share;
	});
	return shares;
}

function beginningOf(pages: readonly TextPage[], most: number) {
	const kept: TextPage[] = [];
	let left = most;
	for (const page of pages) {
		if (page.text.length > left) {
			if (kept.length === 0 && left > 0) kept.push({ ...page, text: cutAtWord(page.text, left) });
			return { pages: kept, isCut: true };
		}
		kept.push(page);
		left -= page.text.length;
	}
	return { pages: kept, isCut: false };
}

function cutAtWord(text: string, most: number): string {
	const part = text.slice(0, most);
	const end = Math.max(part.lastIndexOf(' '), part.lastIndexOf('\n'));
	return part.slice(0, end > most / 2 ? end : most).replace(/[\ud800-\udbff]$/, '');
}
