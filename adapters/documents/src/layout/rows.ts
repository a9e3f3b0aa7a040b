import { isLoose, type Spacing } from './bands.ts';
import { heightOf, middleOf, type Run } from './item.ts';

/** What stands in one column of a row of a table. */
export interface Cell {
	readonly column: number;
	readonly runs: readonly Run[];
	readonly lines: number;
	/** Of its lines, in columns of a terminal. */
	readonly width: number;
	/** Free space inside it is as high as that between rows. */
	readonly isLoose: boolean;
	/** Middles of its first and last line, and the height of the first, in points. */
	readonly first: number;
	readonly last: number;
	readonly height: number;
}

/** The cells of a row, from left to right; empty ones are left out. */
export type Row = readonly Cell[];

/** How the cells of a column stand in their rows. */
export type Align = 'top' | 'middle' | 'bottom';

/** A cell of the texts that stand in a column of a row. */
export function cellOf(runs: readonly Run[], column: number, spacing: Spacing): Cell {
	const sorted = runs.toSorted((a, b) => middleOf(a) - middleOf(b));
	const [top, end] = [sorted[0] as Run, sorted.at(-1) as Run];
	let lines = 0;
	let middle = -Infinity;
	for (const run of sorted) {
		if (middleOf(run) - middle > 0.5 * heightOf(run)) lines += 1;
		middle = middleOf(run);
	}
	return {
		column,
		runs,
		lines,
		width: runs.reduce((sum, { columns }) => sum + columns, 0) / lines,
		isLoose: isLoose(runs, spacing),
		first: middleOf(top),
		last: middleOf(end),
		height: heightOf(top),
	};
}

const alignments = ['top', 'middle', 'bottom'] as const;
/** The share of its short cells that stand as the others do. */
const most = 0.8;

/** How each column stands, told by its cells that are shorter than their rows. Undefined if one stands now here, now there: that is no table. */
export function alignsOf(rows: readonly Row[], columns: number): readonly Align[] | undefined {
	const counts = Array.from({ length: columns }, () => ({ all: 0, top: 0, middle: 0, bottom: 0 }));
	for (const row of rows)
		for (const cell of row) {
			const count = counts[cell.column];
			if (!count || cell.lines === Math.max(...row.map(({ lines }) => lines))) continue;
			count.all += 1;
			for (const align of alignments) if (stands(cell, row, align)) count[align] += 1;
		}
	const found = counts.map((count) => alignments.find((align) => count[align] >= most * count.all));
	return found.every((align) => align !== undefined) ? found : undefined;
}

function stands(cell: Cell, row: Row, align: Align): boolean {
	const away = placeOf([cell], align) - placeOf(row, align);
	return Math.abs(away) < 0.35 * cell.height;
}

function placeOf(cells: Row, align: Align): number {
	const first = Math.min(...cells.map((cell) => cell.first));
	const last = Math.max(...cells.map((cell) => cell.last));
	return align === 'top' ? first : align === 'bottom' ? last : (first + last) / 2;
}

/** The runs of a row. Cells of columns that stand in the middle begin on its first line, too. */
export function levelled(row: Row, aligns: readonly Align[]): Run[] {
	const top = placeOf(row, 'top');
	const isLoose = row.some((cell) => cell.isLoose);
	return row.flatMap((cell) => {
		const up = aligns[cell.column] === 'middle' && !isLoose ? cell.first - top : 0;
		return cell.runs.map((run) => ({ ...run, top: run.top - up, bottom: run.bottom - up }));
	});
}
