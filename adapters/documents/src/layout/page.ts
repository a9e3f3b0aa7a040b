import { cleanText, columnsOf, fromRightOf, isFromRight } from './characters.ts';
import { blocksOf } from './columns.ts';
import { markdownLines } from './markdown.ts';
import { type Block, isApartIn, median, type Piece, partsOf, rowsOf, textOf } from './rows.ts';

const maxColumns = 240;

/**
 * A text on a page, in points. `height` is that of its font. `x` and `y` are its left and top edge after the page was
 * rotated around its upper left corner until the text is upright. `rotation` is that of the text, clockwise in degrees.
 */
export interface TextItem {
	readonly text: string;
	readonly x: number;
	readonly y: number;
	readonly width: number;
	readonly height: number;
	readonly rotation: number;
}

/** The text of a page: columns one after the other, each row of a table on one line, rotated text last. */
export function pageText(items: readonly TextItem[], format: 'text' | 'markdown' = 'text'): string {
	const turns = Map.groupBy(items, ({ rotation }) => (Math.round(rotation / 10) + 36) % 36);
	const groups = [...turns.values()].map(piecesOf).sort((a, b) => b.length - a.length);
	const blocks = groups.flatMap((pieces) => {
		const body = median(pieces.flatMap(({ size, text }) => Array<number>(text.length).fill(size))) ?? 0;
		return blocksOf(rowsOf(pieces, body)).map((rows) =>
			format === 'text' ? gridLines(rows) : markdownLines(rows, body),
		);
	});
	return blocks.map((lines) => lines.join('\n')).join('\n\n');
}

/** Items with clean text. Text that is printed twice for boldness is kept once. */
function piecesOf(items: readonly TextItem[]): Piece[] {
	const last = new Map<string, Piece>();
	const isMirrored = isFromRight(items.map(({ text }) => text).join(''));
	return items.flatMap(({ text: raw, x: left, y, width, height: size }, order) => {
		const text = isMirrored ? fromRightOf(cleanText(raw)) : cleanText(raw);
		const piece = { text, left, right: left + width, baseline: y + 0.8 * size, size, order };
		const other = last.get(text);
		const reach = 0.2 * size;
		const isCopy = other && Math.abs(other.left - left) < reach && Math.abs(other.baseline - piece.baseline) < reach;
		last.set(text, piece);
		return text === '' || isCopy || !Number.isFinite(left + width + y + size) ? [] : [piece];
	});
}

/**
 * The lines of a block. Cells are as far from the left as on the page and at least two blanks apart. Cells with the
 * same left edge start in the same column. Blocks that are read from the right start at the right.
 */
function gridLines(rows: Block): string[] {
	const isMirrored = isFromRight(textOf(rows));
	const lines = rows.map(({ cells }) => ({ cells, written: '' }));
	const cells = lines.flatMap((line) =>
		line.cells.map(({ text, left, right, size }) => {
			return { line, text, x: isMirrored ? -right : left, width: right - left, size };
		}),
	);
	cells.sort((a, b) => a.x - b.x);
	const start = cells[0]?.x ?? 0;
	const end = cells.reduce((most, { x, width }) => Math.max(most, x + width), start);
	const widths = cells.filter(({ text }) => text.length > 2).map(({ text, width }) => width / columnsOf(text));
	const unit = Math.max(1, median(widths) ?? 5, (end - start) / maxColumns);
	for (const below of partsOf(cells, ({ x }, _, first) => x <= first.x + 0.25 * first.size)) {
		const ends = below.map(({ line: { written } }) => (written === '' ? 0 : columnsOf(written) + 2));
		const from = ends.reduce((most, end) => Math.max(most, end), Math.round((below[0].x - start) / unit));
		for (const { line, text } of below) line.written += ' '.repeat(Math.max(0, from - columnsOf(line.written))) + text;
	}
	const isApart = isApartIn(rows);
	return lines.flatMap(({ written }, at) => (at > 0 && isApart[at] ? ['', written] : [written]));
}
