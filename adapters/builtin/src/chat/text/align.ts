import type { Cell } from './cells.ts';

type Row = readonly Cell[];

const fewestRows = 3;
const figure = /^[-−(]?[$€£]?\d[\d.,]*%?\)?$/;

/**
 * Parts cells that a narrow gap has joined, by the other rows of their table: numbers beside numbers, what stands below the start of
 * another cell, and the words of a header over as many columns.
 */
export function aligned(rows: readonly Row[]): readonly Row[] {
	if (rows.length < fewestRows) return rows;
	const parted = rows.map((row) => row.flatMap((cell) => split(cell, isBetweenFigures)));
	const starts = countStarts(parted);
	const isBelow = (_: string, right: string, at: number) => figure.test(right) && (starts.get(at) ?? 0) >= 2;
	const [header = [], ...body] = parted.map((row) => row.flatMap((cell) => split(cell, isBelow)));
	return [asWide(header, usualWidth(body)), ...body];
}

type Border = (left: string, right: string, at: number) => boolean;

function split(cell: Cell, isBorder: Border): readonly Cell[] {
	// Cells of marked columns have no places for their words.
	if (cell.to - cell.from !== cell.text.length) return [cell];
	const cells: Cell[] = [];
	for (const word of wordsOf(cell)) {
		const before = cells.at(-1);
		const last = before?.text.split(' ').at(-1) ?? '';
		if (!before || isBorder(last, word.text, word.from)) cells.push(word);
		else
			cells[cells.length - 1] = {
				text: `${before.text} ${word.text}`,
				from: before.from,
				to: word.to,
			};
	}
	return cells;
}

/** Not within `12 500`, where a blank parts the thousands. */
function isBetweenFigures(left: string, right: string): boolean {
	const isThousands = /^\d{3}(?:[.,]\d+)?$/.test(right) && /^-?\d{1,3}$/.test(left);
	return figure.test(left) && figure.test(right) && !isThousands;
}

function wordsOf({ text, from }: Cell): readonly Cell[] {
	return [...text.matchAll(/\S+/g)].map((match) => ({
		text: match[0],
		from: from + match.index,
		to: from + match.index + match[0].length,
	}));
}

function countStarts(rows: readonly Row[]): ReadonlyMap<number, number> {
	const starts = new Map<number, number>();
	for (const { from } of rows.flat()) starts.set(from, (starts.get(from) ?? 0) + 1);
	return starts;
}

function usualWidth(rows: readonly Row[]): number {
	const counts = rows.map((row) => row.length).sort((a, b) => a - b);
	return counts[Math.floor(counts.length / 2)] ?? 0;
}

function asWide(header: Row, width: number): Row {
	if (header.length >= width) return header;
	const words = header.flatMap(wordsOf);
	return words.length === width ? words : header;
}
