/** Cells beyond this column are set after each other, without places for merged ones. */
const maxColumns = 200;
/** A cell with so much text in so many lines is read down, not across. */
const manyLines = 5;
const manyCharacters = 1_000;

/** How many columns and rows a cell covers. Numbers that make no sense count as 1. */
export interface Span {
	readonly columns?: number;
	readonly rows?: number;
}

/**
 * A table as lines: `| a | b |`, one for each row, each cell once, in the first of the places that it covers. Columns without text are left out.
 * What only looks like a table is given as running text, cell by cell: tables of one column, and rows in which a cell holds a table or many
 * lines of text.
 */
export class Table {
	// Side by side instead of an object for each cell: tables of a million cells fit into memory so.
	/** The lines of each cell that has text; a single one as it is. */
	readonly #cells: (string | readonly string[])[] = [];
	/** The column in which each of them begins. */
	readonly #places: number[] = [];
	/** How many of them stand before each row. */
	readonly #rows: number[] = [];
	/** Rows that are read down, not across. */
	readonly #running = new Set<number>();
	/** Rows below in which a cell covers the column. */
	readonly #covered: number[] = [];
	/** Columns in which some text begins. The others are only there to be covered. */
	readonly #columns = new Set<number>();
	#column = 0;

	/** Begins a row. */
	row(): void {
		while (this.#column < this.#covered.length) this.#skipCovered();
		this.#rows.push(this.#cells.length);
		this.#column = 0;
	}

	/** Adds a cell to the row. `isTable` says that it holds rows of another table. */
	cell(lines: readonly string[], span: Span = {}, isTable = false): void {
		if (this.#rows.length === 0) this.row();
		while ((this.#covered[this.#column] ?? 0) > 0) this.#skipCovered();
		const column = this.#column;
		const right = Math.min(maxColumns, column + atLeastOne(span.columns));
		for (let at = column; at < right; at++) this.#covered[at] = atLeastOne(span.rows) - 1;
		this.#column = Math.max(right, column + 1);
		const [first] = lines;
		if (first === undefined) return;
		this.#columns.add(Math.min(column, maxColumns));
		this.#places.push(column);
		this.#cells.push(lines.length > 1 ? lines.slice() : first);
		if (isTable || isRunning(lines)) this.#running.add(this.#rows.length - 1);
	}

	/** It has rows with more than one cell. */
	get isGrid(): boolean {
		return this.#columns.size > 1;
	}

	/** Its lines, empty ones around what is running text. */
	*lines(): Generator<string> {
		const columns = [...this.#columns].sort((one, other) => one - other);
		for (let row = 0; row < this.#rows.length; row++) {
			const start = this.#rows[row] ?? 0;
			const end = this.#rows[row + 1] ?? this.#cells.length;
			if (end === start) continue;
			if (this.isGrid && !this.#running.has(row)) yield this.#line(start, end, columns);
			else for (const cell of this.#cells.slice(start, end)) yield* running(cell);
		}
	}

	#line(start: number, end: number, columns: readonly number[]): string {
		let text = '|';
		let next = 0;
		for (let at = start; at < end; at++) {
			const column = this.#places[at] ?? 0;
			for (; (columns[next] ?? column) < column; next++) text += ' |';
			if (columns[next] === column) next++;
			text += ` ${across(this.#cells[at] ?? '')} |`;
		}
		for (; next < columns.length; next++) text += ' |';
		return text;
	}

	#skipCovered(): void {
		const rows = this.#covered[this.#column] ?? 0;
		if (rows > 0) this.#covered[this.#column] = rows - 1;
		this.#column++;
	}
}

/** A cell on one line. */
function across(cell: string | readonly string[]): string {
	return typeof cell === 'string' ? cell.trim() : cell.map((line) => line.trim()).join(' ');
}

function running(cell: string | readonly string[]): readonly string[] {
	return typeof cell === 'string' ? [cell] : ['', ...cell, ''];
}

function isRunning(lines: readonly string[]): boolean {
	if (lines.length < manyLines) return false;
	return lines.reduce((sum, text) => sum + text.length, 0) > manyCharacters;
}

function atLeastOne(count = 1): number {
	return count >= 1 ? Math.floor(count) : 1;
}
