/** A piece of a line that stands apart from the others. */
export interface Cell {
	readonly text: string;
	/** Where it stands: characters from the left, or, in tables that mark their columns, the number of the column. */
	readonly from: number;
	readonly to: number;
}

const bars = /^\s*\|.*\|\s*$/;

/** The cells of a line: between bars or tabs, else what two or more blanks keep apart. One cell: a line of prose. */
export function cellsOf(line: string): readonly Cell[] {
	if (bars.test(line)) return numbered(line.trim().slice(1, -1).split('|'));
	if (line.includes('\t')) return numbered(line.split('\t'));
	const cells = apart(line);
	return isJustified(cells) ? [joined(cells)] : cells;
}

function numbered(parts: readonly string[]): readonly Cell[] {
	return parts
		.map((part, at) => ({ text: squeeze(part), from: at, to: at + 1 }))
		.filter((cell) => cell.text !== '' && !/^:?-{2,}:?$/.test(cell.text));
}

function apart(line: string): readonly Cell[] {
	const cells: Cell[] = [];
	for (const match of line.matchAll(/\S+(?: \S+)*/g)) {
		const cell = { text: match[0], from: match.index, to: match.index + match[0].length };
		const before = cells.at(-1);
		// Typists put two blanks behind a sentence.
		if (before && /[.!?:;,]["”')]?$/.test(before.text) && cell.from - before.to === 2)
			cells[cells.length - 1] = joined([before, cell]);
		else cells.push(cell);
	}
	return cells;
}

/** Words that were spread to fill a line are no cells. */
function isJustified(cells: readonly Cell[]): boolean {
	if (cells.length < 3) return false;
	const words = cells.reduce((sum, cell) => sum + cell.text.split(' ').length, 0);
	const gaps = cells.slice(1).map((cell, at) => cell.from - (cells[at]?.to ?? 0));
	// Wide gaps all over part the names of columns.
	const isNarrow = Math.max(...gaps) <= 4 && Math.min(...gaps) <= 3;
	return isNarrow && words / cells.length < 2 && cells.every((cell) => /\p{L}/u.test(cell.text));
}

function joined(cells: readonly Cell[]): Cell {
	return {
		text: cells.map((cell) => cell.text).join(' '),
		from: cells[0]?.from ?? 0,
		to: cells.at(-1)?.to ?? 0,
	};
}

function squeeze(text: string): string {
	return text.trim().replace(/\s+/g, ' ');
}
