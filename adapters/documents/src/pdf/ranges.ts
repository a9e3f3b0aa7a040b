import type { PageRange } from '@plinth/toolkit';

/** Ranges in order, none twice, cut to `last` pages. */
export function merged(ranges: readonly PageRange[], last: number): PageRange[] {
	const found: { first: number; last: number }[] = [];
	for (const range of ranges.toSorted((a, b) => a.first - b.first)) {
		const cut = { first: Math.max(1, range.first), last: Math.min(range.last, last) };
		const before = found.at(-1);
		if (cut.first > cut.last) continue;
		if (before && cut.first <= before.last + 1) before.last = Math.max(before.last, cut.last);
		else found.push(cut);
	}
	return found;
}

/** Lists of ranges with at most `size` pages each. */
export function portions(ranges: readonly PageRange[], size: number): PageRange[][] {
	const found: PageRange[][] = [];
	let left = 0;
	for (const { first, last } of ranges)
		for (let from = first; from <= last; ) {
			if (left === 0) {
				found.push([]);
				left = size;
			}
			const to = Math.min(last, from + left - 1);
			found.at(-1)?.push({ first: from, last: to });
			left -= to - from + 1;
			from = to + 1;
		}
	return found;
}

/** Ranges cut into two with the same number of pages, or one more in the first. */
export function halves(ranges: readonly PageRange[]): [first: PageRange[], second: PageRange[]] {
	const [first = [], second = []] = portions(ranges, Math.ceil(countOf(ranges) / 2));
	return [first, second];
}

/** How many pages ranges hold. */
export function countOf(ranges: readonly PageRange[]): number {
	return ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0);
}

/** The numbers of all pages of ranges. */
export function* numbersIn(ranges: readonly PageRange[]): Generator<number> {
	for (const { first, last } of ranges) for (let page = first; page <= last; page++) yield page;
}
