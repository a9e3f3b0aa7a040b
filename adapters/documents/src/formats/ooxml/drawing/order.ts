import type { Box } from './place.ts';

/** Something that has a place, or none. */
export interface Placed {
	readonly box: Box | undefined;
}

interface Extent {
	readonly start: number;
	readonly end: number;
}

interface Cut<T> {
	readonly parts: readonly (readonly T[])[];
	/** The widest gap between two parts. */
	readonly gap: number;
}

type Known<T> = T & { readonly box: Box };

const deepest = 24;
/** Slides with more shapes than this are drawings. */
const mostHeads = 50;
/** Boxes reach into each other by their margins; their text does not. */
const margin = 0.08;

/**
 * Puts things in the order in which they are read: from top to bottom and from left to right, side by side columns one after the other. Things without a
 * place come last. The page is cut along its gaps, again and again.
 */
export function readingOrder<T extends Placed>(items: readonly T[]): T[] {
	const known = items.filter((item): item is Known<T> => item.box !== undefined);
	return [...ordered(known, 0), ...items.filter(({ box }) => box === undefined)];
}

function ordered<T>(items: readonly Known<T>[], depth: number): readonly Known<T>[] {
	if (items.length < 2) return items;
	const { rows, columns, isColumns } = cuts(items);
	const parts = isColumns || rows.parts.length < 2 ? columns.parts : withoutHeads(rows.parts);
	if (parts.length < 2 || depth === deepest) return [...items].sort(byPlace);
	return parts.flatMap((part) => ordered(part, depth + 1));
}

function cuts<T>(items: readonly Known<T>[]) {
	const rows = cut(items, ({ box }) => ({ start: box.y, end: box.y + box.height }));
	const columns = cut(items, ({ box }) => ({ start: box.x, end: box.x + box.width }));
	return { rows, columns, isColumns: columns.parts.length > 1 && rows.gap < columns.gap / 2 };
}

/** Rows, but those right above each other that are columns together as one: the heads of columns with the columns below them. */
function withoutHeads<T>(rows: readonly (readonly Known<T>[])[]): (readonly Known<T>[])[] {
	const parts: (readonly Known<T>[])[] = [];
	for (const row of rows) {
		const above = parts.at(-1);
		const both = above && above.length + row.length <= mostHeads ? [...above, ...row] : [];
		if (both.length > 0 && row.length > 1 && cuts(both).isColumns) parts[parts.length - 1] = both;
		else parts.push(row);
	}
	return parts;
}

function cut<T>(items: readonly Known<T>[], extentOf: (item: Known<T>) => Extent): Cut<Known<T>> {
	const sorted = items
		.map((item) => ({ item, ...inner(extentOf(item)) }))
		.sort((one, other) => one.start - other.start);
	const gaps: number[] = [];
	let end = -Infinity;
	for (const { start, end: itsEnd } of sorted) {
		gaps.push(start - end);
		end = Math.max(end, itsEnd);
	}
	const gap = gaps.slice(1).reduce((widest, one) => Math.max(widest, one), -Infinity);
	const parts: Known<T>[][] = [[]];
	sorted.forEach(({ item }, index) => {
		// The widest gaps first: a narrow one may be no gap any more within a part.
		if (index > 0 && gap >= 0 && (gaps[index] ?? 0) >= gap / 2) parts.push([]);
		parts.at(-1)?.push(item);
	});
	return { parts, gap };
}

function inner({ start, end }: Extent): Extent {
	const size = end - start;
	return { start: start + margin * size, end: end - margin * size };
}

function byPlace({ box: one }: { readonly box: Box }, { box: other }: { readonly box: Box }): number {
	return one.y - other.y || one.x - other.x;
}
