import { rowOf } from '../rows.ts';
import type { Block } from './blocks.ts';

/** So many columns Word has at most. */
const maxColumns = 63;

interface Cell {
	readonly blocks: Block[];
	columns: number;
	/** It belongs to the cell above or before it, whose text it does not repeat. */
	isContinued: boolean;
}

/** A table while it is read. */
export class Table {
	readonly id: number;
	#cells: Cell[] = [];
	#before = 0;
	#isDeleted = false;
	/** Within the properties of a row. */
	isRowStyle = false;
	hasBreak = false;

	constructor(id: number) {
		this.id = id;
	}

	beginRow(): void {
		this.#cells = [];
		this.#before = 0;
		this.#isDeleted = false;
		this.hasBreak = false;
	}

	/** Begins a cell. Answers where its blocks go. */
	beginCell(): Block[] {
		const cell = { blocks: [], columns: 1, isContinued: false };
		this.#cells.push(cell);
		return cell.blocks;
	}

	/** Columns without cells before the first one. */
	skip(columns: number): void {
		this.#before = columnsOf(columns);
	}

	span(columns: number): void {
		const cell = this.#cells.at(-1);
		if (cell) cell.columns = columnsOf(columns);
	}

	continueCell(): void {
		const cell = this.#cells.at(-1);
		if (cell) cell.isContinued = true;
	}

	deleteRow(): void {
		if (this.isRowStyle) this.#isDeleted = true;
	}

	/** The row that ends: one line. A row of one cell that holds a table is a frame around it. */
	endRow(): Block[] {
		if (this.#isDeleted || this.#cells.length === 0) return [];
		const all = this.#cells.flatMap(({ blocks, isContinued }) => (isContinued ? [] : blocks));
		const [only, ...others] = this.#cells;
		if (only && others.length === 0 && all.some(({ kind }) => kind === 'row')) return all;
		const texts = this.#texts();
		const isEmpty = texts.every((text) => text === '');
		const row: Block[] = isEmpty ? [] : [{ kind: 'row', text: rowOf(texts), table: this.id }];
		const after = all.filter(({ kind }) => kind === 'note' || kind === 'endnote');
		const end: Block[] = this.hasBreak ? [{ kind: 'break', isPage: true }] : [];
		return [...row, ...after, ...end];
	}

	#texts(): string[] {
		let room = Math.max(0, maxColumns - this.#cells.length);
		const empty = (columns: number) => {
			const count = Math.min(room, columns);
			room -= count;
			return Array.from({ length: count }, () => '');
		};
		return [...empty(this.#before), ...this.#cells.flatMap((cell) => [textOfCell(cell), ...empty(cell.columns - 1)])];
	}
}

function columnsOf(columns: number): number {
	return columns >= 1 && columns <= maxColumns ? Math.floor(columns) : 1;
}

function textOfCell({ blocks, isContinued }: Cell): string {
	if (isContinued) return '';
	return blocks
		.map((block) => {
			if (block.kind === 'row') return withoutBars(block.text);
			return block.kind === 'text' || block.kind === 'heading' || block.kind === 'item' ? block.text : '';
		})
		.join(' ');
}

/** Titles of charts and lines of diagrams stand among rows. */
function withoutBars(row: string): string {
	return row.startsWith('| ') ? row.slice(2, -2).replaceAll(' | ', ' ') : row;
}
