import type { DocumentPage, PageRange } from '../ports/document-reader.ts';

/**
 * Merges page ranges into ascending ranges that neither touch nor overlap. Invalid ranges (from 0,
 * reversed, not integers) are dropped.
 */
export function mergedRanges(ranges: readonly PageRange[]): readonly PageRange[] {
	const merged: PageRange[] = [];
	for (const { first, last } of ranges.filter(isRange).sort((a, b) => a.first - b.first)) {
		const previous = merged.at(-1);
		if (!previous || first > previous.last + 1) merged.push({ first, last });
		else merged[merged.length - 1] = { ...previous, last: Math.max(previous.last, last) };
	}
	return merged;
}

/** The pages within ranges from {@link mergedRanges}. */
export function pagesWithin(pages: readonly DocumentPage[], ranges: readonly PageRange[]): readonly DocumentPage[] {
	let index = 0;
	return pages.filter(({ page }) => {
		while (index < ranges.length && page > (ranges[index]?.last ?? 0)) index++;
		const range = ranges[index];
		return range !== undefined && page >= range.first;
	});
}

function isRange({ first, last }: PageRange): boolean {
	return Number.isSafeInteger(first) && Number.isSafeInteger(last) && first >= 1 && last >= first;
}
