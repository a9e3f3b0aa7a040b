import { isFromRight } from './characters.ts';
import { type Block, isApartIn, median, type Piece, partsOf, type Row, textOf } from './rows.ts';

type Range = readonly [from: number, to: number];

/** Minimum long lines on each side of a gutter to make columns. Fewer are enough if they are most of the lines. */
const minLines = 6;
const fewLines = 3;
/** In font sizes. */
const longLine = 7;

/** Splits a page at columns of long lines: the part above, each column, the part below. */
export function blocksOf(rows: Block): Block[] {
	const split = bestSplit(rows);
	if (!split) return rows.length > 0 ? [rows] : [];
	const [from, to, gutter] = split;
	const run = rows.slice(from, to);
	const sides = [true, false].map((isLeft) => {
		const side = run.map((row) => ({ ...row, cells: row.cells.filter(({ left }) => left < gutter === isLeft) }));
		return side.filter(({ cells }) => cells.length > 0);
	});
	if (isFromRight(textOf(run))) sides.reverse();
	return [rows.slice(0, from), ...sides, rows.slice(to)].flatMap(blocksOf);
}

/** The columns with the most lines. */
function bestSplit(rows: Block): readonly [...Range, gutter: number] | undefined {
	let best: readonly [...Range, gutter: number] | undefined;
	let most = Math.min(minLines, Math.max(fewLines, Math.floor(0.5 * rows.length) + 1)) - 1;
	for (const gutter of guttersOf(rows, most))
		for (const isInOrder of [true, false])
			for (const [from, to] of runsBeside(rows, gutter, isInOrder)) {
				const lines = linesBeside(rows.slice(from, to), gutter, isInOrder);
				if (lines <= most) continue;
				best = [from, to, gutter];
				most = lines;
			}
	return best;
}

/** Positions where more than `least` long lines start, or end if they are read from the right. */
function guttersOf(rows: Block, least: number): number[] {
	const long = rows.flatMap(({ cells }) => cells.filter(isLong));
	const starts = Map.groupBy(long, ({ text, left, right, size }) =>
		Math.round((isFromRight(text) ? right + size / 2 : left - 2) / 2),
	);
	const count = (start: number) => starts.get(start)?.length ?? 0;
	return [...starts.keys()].filter((start) => count(start) + count(start + 1) > least).map((start) => 2 * start);
}

/** Whether a text has several words, or a script without spaces between words, and is wide enough. */
function isLong({ left, right, size, text }: Piece): boolean {
	return right - left >= longLine * size && /\S+\s+\S+\s+\S|[\u3040-\ud7ff]{4}/.test(text);
}

/**
 * Runs of rows without a cell across the gutter. If the page's content is ordered by columns, a run has no rows of a
 * table, and ends where the content returns from the right column.
 */
function runsBeside(rows: Block, gutter: number, isInOrder: boolean): Range[] {
	const isOver = rows.map((row) => isAcross(row, gutter, isInOrder));
	const returns = new Set(isInOrder ? returnsIn(rows, gutter) : []);
	const runs = partsOf(rows.keys(), (at) => !isOver[at] && !isOver[at - 1] && !returns.has(at));
	return runs.map((run) => trimmed(rows, run[0], run[0] + run.length));
}

/** Whether a cell crosses the gutter, or the cells beside the gutter follow each other in the page's content. */
function isAcross({ cells }: Row, gutter: number, isInOrder: boolean): boolean {
	const [before, after] = besideOf(cells, gutter);
	if (isInOrder && before && after && Math.abs(after.order - before.order) <= 2) return true;
	return cells.some(({ left, right, size }) => left < gutter - 0.1 * size && right > gutter - 0.3 * size);
}

/** The cells next to the gutter. */
function besideOf(cells: readonly Piece[], gutter: number): [Piece | undefined, Piece | undefined] {
	return [cells.findLast(({ left }) => left < gutter), cells.find(({ left }) => left >= gutter)];
}

/** The rows in which the page's content returns from the right side of a gutter, below all its previous rows. */
function returnsIn(rows: Block, gutter: number): number[] {
	const cells = rows.flatMap((row, at) => row.cells.map(({ left, order }) => ({ isRight: left >= gutter, order, at })));
	cells.sort((a, b) => a.order - b.order);
	let lowest = -1;
	return cells.flatMap(({ isRight, at }, index) => {
		const isReturn = !isRight && cells[index - 1]?.isRight && at > lowest;
		lowest = Math.max(lowest, at);
		return isReturn ? [at] : [];
	});
}

/** Removes detached rows at both ends, such as titles and page numbers. Keeps long lines at the end of a column. */
function trimmed(rows: Block, start: number, end: number): Range {
	let [from, to] = [start, end];
	const isApart = isApartIn(rows.slice(from, to));
	while (from < to && isApart[from + 1 - start]) from++;
	while (from < to && isApart[to - 1 - start] && !rows[to - 1]?.cells.some(isLong)) to--;
	return [from, to];
}

/** The number of long lines on the side with fewer of them; 0 if the rows are not columns. */
function linesBeside(rows: Block, gutter: number, isInOrder: boolean): number {
	const beside = rows.map(({ cells }) => besideOf(cells, gutter));
	const sides = [0, 1].map((side) => beside.flatMap((cells) => cells[side] ?? []).filter(isLong));
	const lines = Math.min(...sides.map(({ length }) => length));
	if (isInOrder) return lines;
	// Content that alternates between the columns can still be wrapped text, whose lines mostly fill their column.
	return returnsIn(rows, gutter).length > 0.6 * rows.length && sides.every(isFilled) ? lines : 0;
}

function isFilled(lines: readonly Piece[]): boolean {
	const widths = lines.map(({ left, right }) => right - left);
	return (median(widths) ?? 0) > 0.8 * widths.reduce((most, width) => Math.max(most, width), 0);
}
