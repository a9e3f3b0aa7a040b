import { bandsOf, type Interval, intervalsOf, joined, parted, type Spacing, usualSpacing } from './bands.ts';
import type { Run } from './item.ts';
import type { Phrase } from './phrases.ts';
import { alignsOf, type Cell, cellOf, levelled, type Row } from './rows.ts';

/** A stretch of a region from top to bottom. */
export interface Stretch {
	readonly runs: readonly Run[];
	/** Where its columns part, in points; only a table has any. */
	readonly gutters?: readonly number[];
}

/** More bands are no page that anybody laid out. */
const maxBands = 500;
/** Stretches that only look like tables: after so many, no other is looked for. */
const maxVain = 30;
/** With more of them, no cell has room for several lines. */
const maxColumns = 30;

/**
 * Finds tables whose cells hold several lines. Free space goes across all their columns after each row, and what is shorter in a row waits for the
 * rest, always at the same height; columns of running text wait for nobody. Cells in the middle of their row are moved up to its first line.
 */
export function tablesIn(pieces: readonly Phrase[]): Stretch[] {
	const spacing = usualSpacing(pieces);
	const bands: (readonly Phrase[])[] = bandsOf(pieces, spacing.blank);
	if (bands.length > maxBands) return [{ runs: runsIn(pieces) }];
	const stretches: Stretch[] = [];
	let others: (readonly Phrase[])[] = [];
	const close = () => {
		if (others.length > 0) stretches.push({ runs: runsIn(others.flat()) });
		others = [];
	};
	let vain = 0;
	for (let at = 0; at < bands.length; at++) {
		const { rows, columns } = vain < maxVain ? stackFrom(bands, at, spacing) : noStack;
		const aligns = isTable(rows) ? alignsOf(rows, columns.length) : undefined;
		if (!aligns) {
			if (columns.length > 1) vain += 1;
			others.push(bands[at] ?? []);
			continue;
		}
		const above = parted(others.pop() ?? [], columns, 'end');
		const next = at + rows.length;
		const below = parted(bands[next] ?? [], columns, 'start');
		if (next < bands.length) bands[next] = below.rest;
		if (above.rest.length > 0) others.push(above.rest);
		close();
		const all = [
			...(above.lines.length > 0 ? [rowOf(above.lines, columns, spacing)] : []),
			...rows,
			...(below.lines.length > 0 ? [rowOf(below.lines, columns, spacing)] : []),
		];
		const runs = all.flatMap((row) => levelled(row, aligns));
		stretches.push({ runs, gutters: guttersBetween(columns) });
		at = next - 1;
	}
	close();
	return stretches;
}

interface Stack {
	readonly rows: readonly Row[];
	readonly columns: readonly Interval[];
}

const noStack: Stack = { rows: [], columns: [] };

/** Free space as narrow as that is a gutter if it is so on all lines of a table; on a single one it must be broader. In heights, on each side. */
const margin = { all: 0.1, single: 0.25 };

/** The longest stretch of bands that share gutters, from one with two columns to another. */
function stackFrom(bands: readonly (readonly Phrase[])[], start: number, spacing: Spacing): Stack {
	let columns: Interval[] = [];
	let most = 0;
	let end = start;
	for (; end < bands.length; end++) {
		const band = bands[end] ?? [];
		const count = intervalsOf(band, margin.single).length;
		const all = joined([...columns, ...intervalsOf(runsIn(band), margin.all)]);
		most = Math.max(most, count);
		if (most < 2 || all.length < 2 || all.length * 4 < most * 3) break;
		columns = all;
	}
	if (columns.length > maxColumns) return { rows: [], columns };
	const rows = bands.slice(start, end).map((band) => rowOf(band, columns, spacing));
	// A text that holds more than one paragraph is no cell to begin with.
	const isRow = (row: Row) => row.length > 1 && !row.some(({ isLoose }) => isLoose);
	if (!isRow(rows[0] ?? [])) return { rows: [], columns };
	return { rows: rows.slice(0, rows.findLastIndex(isRow) + 1), columns };
}

function rowOf(band: readonly Phrase[], columns: readonly Interval[], spacing: Spacing): Row {
	const all = runsIn(band);
	return columns.flatMap(({ from, to }, column) => {
		const runs = all.filter(({ left, right }) => isWithin((left + right) / 2, from, to));
		return runs.length === 0 ? [] : [cellOf(runs, column, spacing)];
	});
}

function isWithin(x: number, from: number, to: number): boolean {
	return x >= from && x <= to;
}

/** Texts of one or two short lines: names, dates, amounts. */
const short = { lines: 2, width: 24 };
const listMark = 4;

function isTable(rows: readonly Row[]): boolean {
	const whole = rows.filter((row) => row.length > 1);
	const waiting = whole.filter((row) => row.some(({ lines }) => lines !== row[0]?.lines)).length;
	const loose = whole.filter((row) => row.some(({ isLoose }) => isLoose)).length;
	if (waiting < 2 || loose * 3 > whole.length) return false;
	const columns = columnsOf(whole);
	const texts = columns.filter((cells) => cells.some(({ width }) => width > listMark));
	if (texts.length < 2) return false;
	return waiting >= 3 || columns.some((cells) => isShort(cells, whole.length));
}

function columnsOf(rows: readonly Row[]): Cell[][] {
	const columns = new Map<number, Cell[]>();
	for (const cell of rows.flat()) {
		const cells = columns.get(cell.column);
		if (cells) cells.push(cell);
		else columns.set(cell.column, [cell]);
	}
	return [...columns.values()];
}

function isShort(cells: readonly Cell[], rows: number): boolean {
	const all = cells.every(({ lines, width }) => lines <= short.lines && width <= short.width);
	return all && cells.length >= 0.7 * rows;
}

function guttersBetween(columns: readonly Interval[]): number[] {
	return columns.slice(1).map(({ from }, index) => ((columns[index]?.to ?? from) + from) / 2);
}

function runsIn(pieces: readonly Phrase[]): Run[] {
	return pieces.flatMap(({ runs }) => runs);
}
