import { readingOrder } from './bidi.ts';
import { cellsIn } from './cells.ts';
import { isRightToLeft } from './characters.ts';
import { heightOf, type Run } from './item.ts';
import { type Line, linesOf } from './lines.ts';
import { isBlankBetween, type Phrase } from './phrases.ts';
import { pitchOf } from './prose.ts';
import type { Region } from './regions.ts';
import { type Cell, place } from './tabs.ts';

/** One region as lines of text: cells of a row on one line, columns below each other, one empty line between paragraphs. */
export function gridOf({ runs, gutters }: Region): string[] {
	const lines = linesOf(runs);
	if (lines.length === 0) return [];
	const extent = extentOf(runs);
	const phrases = cellsIn(lines, gutters);
	const rows = lines.map((line, index) => cellsOf(line, phrases[index] ?? [], extent));
	place(rows, widthOfColumn(runs));
	const pitch = Math.min(2.2, Math.max(1, pitchOf(lines)));
	return lines.flatMap((line, index) => {
		const text = write(rows[index] as readonly Cell[]);
		const above = lines[index - 1];
		return above && isApart(above, line, pitch) ? ['', text] : [text];
	});
}

interface Extent {
	readonly left: number;
	readonly right: number;
}

function extentOf(runs: readonly Run[]): Extent {
	let [left, right] = [Infinity, -Infinity];
	for (const run of runs) {
		left = Math.min(left, run.left);
		right = Math.max(right, run.right);
	}
	return { left, right };
}

/** The cells of a line, measured from the side where reading begins. */
function cellsOf(line: Line, phrases: readonly Phrase[], { left, right }: Extent): Cell[] {
	const mirrored = isRightToLeft(line.runs.map(({ text }) => text).join(''));
	const cells = phrases.map((phrase) => ({
		text: textOf(phrase, mirrored),
		columns: phrase.columns,
		from: mirrored ? right - phrase.right : phrase.left - left,
		to: mirrored ? right - phrase.left : phrase.right - left,
		height: heightOf(line),
		at: 0,
	}));
	return mirrored ? cells.reverse() : cells;
}

function textOf(phrase: Phrase, mirrored: boolean): string {
	const ordered = readingOrder(phrase.runs, mirrored);
	if (ordered === phrase.runs) return phrase.text;
	return ordered
		.map((run, index) => {
			const before = ordered[index - 1];
			if (!before) return run.text;
			const [left, right] = before.left < run.left ? [before, run] : [run, before];
			return isBlankBetween(left, right) ? ` ${run.text}` : run.text;
		})
		.join('');
}

/** Points per column: the middle width of characters, each counted. */
function widthOfColumn(runs: readonly Run[]): number {
	const widths = runs
		.filter(({ columns }) => columns > 0)
		.map(({ left, right, columns }) => ({ width: (right - left) / columns, columns }))
		.sort((a, b) => a.width - b.width);
	const half = widths.reduce((sum, { columns }) => sum + columns, 0) / 2;
	let sum = 0;
	for (const { width, columns } of widths) {
		sum += columns;
		if (sum >= half) return Math.max(0.1, width);
	}
	return 5;
}

function isApart(above: Line, line: Line, pitch: number): boolean {
	const height = Math.min(heightOf(above), heightOf(line) * 1.5);
	const distance = line.top + line.bottom - above.top - above.bottom;
	return distance / 2 > 1.35 * pitch * height && line.top - above.bottom > 0.4 * height;
}

function write(cells: readonly Cell[]): string {
	let text = '';
	let column = 0;
	for (const cell of cells) {
		text += ' '.repeat(cell.at - column) + cell.text;
		column = cell.at + cell.columns;
	}
	return text;
}
