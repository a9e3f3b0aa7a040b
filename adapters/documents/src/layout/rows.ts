import { isFromRight } from './characters.ts';

/** An upright text. */
export interface Piece {
	readonly text: string;
	readonly left: number;
	readonly right: number;
	readonly baseline: number;
	/** Of the font, in points. */
	readonly size: number;
	/** The position in the page's content. */
	readonly order: number;
}

/** Cells of one baseline, from left to right. */
export interface Row {
	readonly cells: Piece[];
	readonly baseline: number;
	readonly size: number;
}

/** Rows that belong together: a column, or a part of the page without columns. */
export type Block = readonly Row[];

/** Gaps in font sizes: pieces with a smaller gap are one word, pieces with a larger gap are separate cells. */
const wordGap = 0.12;
const cellGap = 0.9;

/** The rows of a page, from top to bottom, whose usual font size is `body`. */
export function rowsOf(pieces: readonly Piece[], body: number): Row[] {
	const lines: Row[] = [];
	const isSmall = ({ size }: Piece) => size < 0.8 * body;
	const sorted = pieces.toSorted((a, b) => Number(isSmall(a)) - Number(isSmall(b)) || a.baseline - b.baseline);
	for (const piece of sorted) {
		const gapTo = ({ baseline }: Row) => Math.abs(baseline - piece.baseline);
		const [line] = lines.filter((row) => isOneLine(row, piece, gapTo(row))).sort((a, b) => gapTo(a) - gapTo(b));
		if (line) line.cells.push(piece);
		else lines.push({ baseline: piece.baseline, size: piece.size, cells: [piece] });
	}
	// Amounts may be as close as words. They are recognized by other amounts that end at the same position.
	const ends = lines.flatMap((line) => rowOf(line, new Set()).cells.slice(1).map(endOf)).sort((a, b) => a - b);
	const shared = new Set(ends.filter((end, at) => ends[at - 1] === end));
	return lines.map((line) => rowOf(line, shared)).sort((a, b) => a.baseline - b.baseline);
}

/** For each row of a block, whether the gap above it is as high as an empty line. */
export function isApartIn(rows: Block): boolean[] {
	const gaps = rows.map(({ baseline }, at) => baseline - (rows[at - 1]?.baseline ?? -Infinity));
	const pitch = median(gaps.slice(1)) ?? 0;
	return rows.map(
		({ size }, at) => (gaps[at] ?? 0) > Math.max(1.9 * size, 1.9 * (rows[at - 1]?.size ?? 0), 1.5 * pitch),
	);
}

/** The text of a block. */
export function textOf(rows: Block): string {
	return rows.flatMap(({ cells }) => cells.map(({ text }) => text)).join('');
}

/** Of an even count, the lower of the two middle numbers. */
export function median(numbers: readonly number[]): number | undefined {
	return numbers.toSorted((a, b) => a - b)[(numbers.length - 1) >> 1];
}

/** Splits items into parts. An item starts the next part unless it `continues` the current one. */
export function partsOf<T>(items: Iterable<T>, continues: (item: T, before: T, first: T) => boolean): [T, ...T[]][] {
	const parts: [T, ...T[]][] = [];
	for (const item of items) {
		const part = parts.at(-1);
		if (part && continues(item, part.at(-1) as T, part[0])) part.push(item);
		else parts.push([item]);
	}
	return parts;
}

function isOneLine({ size, cells }: Row, piece: Piece, distance: number): boolean {
	const least = Math.min(size, piece.size);
	if (distance <= 0.25 * least) return true;
	if (distance > 0.5 * size) return false;
	// A superscript follows a word directly.
	if (piece.size < 0.8 * size && cells.some(({ right }) => Math.abs(piece.left - right) < 0.25 * size)) return true;
	return distance <= 0.45 * least && cells.every(({ left, right }) => right <= piece.left || left >= piece.right);
}

function endOf({ right }: Piece): number {
	return Math.round(right / 3);
}

function rowOf({ baseline, size, cells }: Row, ends: ReadonlySet<number>): Row {
	const sorted = cells.toSorted((a, b) => a.left - b.left);
	const fromRight = isFromRight(cells.map(({ text }) => text).join(''));
	const groups = partsOf(sorted, (piece, before) => {
		const isAmount = ends.has(endOf(piece)) && /^[-+(]?[$€£]?\d/.test(piece.text);
		return piece.left - before.right < (isAmount ? wordGap : cellGap) * Math.min(piece.size, before.size);
	});
	return { baseline, size, cells: groups.map((group) => joined(group, fromRight)) };
}

function joined(pieces: readonly [Piece, ...Piece[]], fromRight: boolean): Piece {
	const texts = inReadingOrder(pieces, fromRight).map((piece, at, all) => {
		const { left, right, size } = all[at - 1] ?? piece;
		const isWord = Math.max(piece.left - right, left - piece.right) >= wordGap * Math.max(size, piece.size);
		return (isWord ? ' ' : '') + piece.text;
	});
	const most = (of: 'right' | 'size') => Math.max(...pieces.map((piece) => piece[of]));
	const order = Math.min(...pieces.map((piece) => piece.order));
	return { ...pieces[0], text: texts.join(''), right: most('right'), size: most('size'), order };
}

/** Puts neighbours, which are sorted from left to right, in reading order: runs of one direction stay together. */
function inReadingOrder(pieces: readonly Piece[], fromRight: boolean): readonly Piece[] {
	const runs = partsOf(pieces, (piece, before) => isFromRight(piece.text) === isFromRight(before.text));
	const read = runs.map((run) => (isFromRight(run[0].text) ? run.reverse() : run));
	return (fromRight ? read.reverse() : read).flat();
}
