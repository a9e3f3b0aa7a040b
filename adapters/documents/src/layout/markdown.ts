import { pipeTable } from '../table.ts';
import { type Block, isApartIn, type Row } from './rows.ts';

/** The lines of a block as Markdown. `body` is the usual font size of the page. */
export function markdownLines(rows: Block, body: number): string[] {
	const lines: string[] = [];
	const isApart = isApartIn(rows);
	for (let at = 0; at < rows.length; ) {
		const row = rows[at] as Row;
		const end = isApart.indexOf(true, at + 1);
		const table = row.cells.length > 1 ? tableOf(rows.slice(at, end < 0 ? rows.length : end)) : undefined;
		const level = headingLevel(row, body);
		const text = row.cells.map((cell) => cell.text).join('  ');
		if (table) lines.push('', pipeTable(table.cells), '');
		else if (level > 0) lines.push('', `${'#'.repeat(level)} ${text}`, '');
		else lines.push(...(isApart[at] ? [''] : []), text.replace(/^[•◦▪‣●○■]\s*/, '- '));
		at += table?.rows ?? 1;
	}
	return lines.filter((line, at) => line !== '' || (at > 0 && lines[at - 1] !== ''));
}

/** 0 if the row is not a heading. */
function headingLevel({ size, cells }: Row, body: number): number {
	if (cells.length > 1 || size < 1.15 * body || !/\p{L}/u.test(cells[0]?.text ?? '')) return 0;
	return size >= 1.7 * body ? 1 : size >= 1.35 * body ? 2 : 3;
}

/** The table at the start of some rows and how many of them it has, if two or more of them have several cells. */
function tableOf(rows: Block): { cells: string[][]; rows: number } | undefined {
	const first = rows[0]?.cells[0]?.right ?? 0;
	const last = rows.findLastIndex(({ cells }) => cells.length > 1 || (cells[0]?.left ?? 0) > first);
	const part = rows.slice(0, last + 1);
	const ends = columnEnds(part);
	if (part.filter(({ cells }) => cells.length > 1).length < 2 || ends.length < 2) return undefined;
	const cells: string[][] = [];
	for (const row of part) {
		const filled = ends.map((end, at) => {
			const own = row.cells.filter(({ left }) => left < end && left >= (ends[at - 1] ?? -Infinity));
			return own.map(({ text }) => text).join(' ');
		});
		const above = cells.at(-1);
		// The cell above continues.
		if (row.cells.length === 1 && filled[0] === '' && above)
			cells[cells.length - 1] = above.map((text, at) => `${text} ${filled[at]}`);
		else cells.push(filled);
	}
	return { cells, rows: part.length };
}

/** The right ends of columns. Overlapping cells are in the same column. */
function columnEnds(rows: Block): number[] {
	const ends: number[] = [];
	const cells = rows.flatMap((row) => (row.cells.length > 1 ? row.cells : []));
	for (const { left, right } of cells.sort((a, b) => a.left - b.left)) {
		const isOver = left < (ends.at(-1) ?? left);
		ends.push(isOver ? Math.max(ends.pop() ?? right, right) : right);
	}
	return ends;
}
