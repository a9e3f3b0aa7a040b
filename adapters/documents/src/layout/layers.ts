import { heightOf, middleOf } from './item.ts';
import type { Phrase } from './phrases.ts';

/** Texts of one line that are this many heights apart are cells, if one of them is short. */
const cellGap = 1.5;
const shortCell = 14;
const listMark = 4;
/** A blank across both sides, in heights. */
const blank = 0.35;
const blankBesideHead = 0.9;

/**
 * Cuts what lies beside a gutter, from top to bottom, where a table or a running head ends and columns begin or the other way round. A table
 * between columns need not reach across their gutter.
 */
export function layersOf(pieces: readonly Phrase[], gutter: number): Phrase[][] {
	if (pieces.some((piece) => piece.left < gutter && piece.right > gutter)) return [[...pieces]];
	const slices = slicesOf(pieces);
	if (slices.length < 2) return [[...pieces]];
	const layers: { isGrid: boolean; pieces: Phrase[] }[] = [];
	slices.forEach((slice, index) => {
		const isOuter = index === 0 || index === slices.length - 1;
		const neighbour = slices[index === 0 ? 1 : index - 1] ?? [];
		const isGrid = isTable(slice, gutter) || (isOuter && isRunningHead(slice, neighbour, pieces, gutter));
		const before = layers.at(-1);
		if (before?.isGrid === isGrid) before.pieces.push(...slice);
		else layers.push({ isGrid, pieces: slice });
	});
	return layers.map((layer) => layer.pieces);
}

/** The heading of what is `below` and reaches across is none of the column that it stands under: it is nearer to what it heads. */
export function withoutHeading(pieces: readonly Phrase[], below: readonly Phrase[] = []): Phrase[][] {
	const slices = slicesOf(pieces);
	const [heading, ...more] = slices.at(-1) ?? [];
	if (slices.length < 2 || !heading || more.length > 0) return [[...pieces]];
	const above = bottomOf(slices.at(-2) ?? []);
	const next = below.reduce((least, { top }) => Math.min(least, top), Infinity);
	const isNearer = next - heading.bottom < 0.8 * (heading.top - above);
	return isNearer ? [slices.slice(0, -1).flat(), [heading]] : [[...pieces]];
}

function bottomOf(pieces: readonly Phrase[]): number {
	return pieces.reduce((most, { bottom }) => Math.max(most, bottom), -Infinity);
}

/** Pieces between blanks that reach across both sides. */
function slicesOf(pieces: readonly Phrase[]): Phrase[][] {
	const slices: Phrase[][] = [];
	let bottom = -Infinity;
	for (const piece of pieces.toSorted((a, b) => a.top - b.top)) {
		const slice = slices.at(-1);
		if (slice && piece.top - bottom < blank * heightOf(piece)) slice.push(piece);
		else slices.push([piece]);
		bottom = Math.max(bottom, piece.bottom);
	}
	return slices;
}

/** Most of its lines hold short texts apart from others, on one side alone. */
function isTable(slice: readonly Phrase[], gutter: number): boolean {
	const [left, right] = [0, 1].map((side) => rowsIn(slice.filter((piece) => piece.left >= gutter === (side === 1))));
	if (!left || !right) return false;
	const rows = Math.max(left.rows, right.rows);
	return rows >= 1 && rows >= 0.6 * Math.max(left.all, right.all);
}

function rowsIn(pieces: readonly Phrase[]): { rows: number; all: number } {
	const sorted = pieces.toSorted((a, b) => middleOf(a) - middleOf(b) || a.left - b.left);
	let [rows, all] = [0, 0];
	for (let at = 0; at < sorted.length; ) {
		const first = sorted[at] as Phrase;
		let end = at + 1;
		while (end < sorted.length && isBeside(first, sorted[end] as Phrase)) end++;
		const line = sorted.slice(at, end).sort((a, b) => a.left - b.left);
		all += 1;
		if (hasCells(line)) rows += 1;
		at = end;
	}
	return { rows, all };
}

function isBeside(one: Phrase, other: Phrase): boolean {
	return Math.abs(middleOf(one) - middleOf(other)) < 0.5 * heightOf(one);
}

function hasCells(line: readonly Phrase[]): boolean {
	return line.some((piece, index) => {
		const before = line[index - 1];
		if (!before || piece.left - before.right < cellGap * heightOf(piece)) return false;
		return before.columns > listMark && Math.min(before.columns, piece.columns) <= shortCell;
	});
}

/** One line with a text on each side, apart from its neighbour, that begins where no column does. */
function isRunningHead(
	slice: readonly Phrase[],
	neighbour: readonly Phrase[],
	pieces: readonly Phrase[],
	gutter: number,
): boolean {
	const [first, second, ...more] = slice;
	if (!first || !second || more.length > 0 || !isBeside(first, second)) return false;
	const isBoth = first.left < gutter !== second.left < gutter;
	const isEdge = (x: number) => pieces.filter(({ left }) => Math.abs(left - x) < 2).length >= 3;
	return isBoth && isApart(first, neighbour) && !(isEdge(first.left) && isEdge(second.left));
}

function isApart(head: Phrase, neighbour: readonly Phrase[]): boolean {
	const gap = neighbour.reduce((least, { top, bottom }) => {
		const distance = top > head.top ? top - head.bottom : head.top - bottom;
		return Math.min(least, distance);
	}, Infinity);
	return gap > blankBesideHead * heightOf(head);
}
