import type { Span, Table } from '../flow/table.ts';
import type { ListStyle } from './list-style.ts';

/** A list that is being read. */
export interface ListRun {
	readonly level: number;
	readonly outer: ListRun | undefined;
	readonly style: ListStyle | undefined;
	/** Of the last item that was marked. */
	number: number;
	/** An item waits for its first paragraph, which is marked. Items that hold only other items are not. */
	isItemDue: boolean;
}

/** A cell whose row is not complete. */
export interface Cell {
	readonly lines: readonly string[];
	readonly span: Span;
	/** It holds rows of another table. */
	readonly isTable: boolean;
}

/** A table of a text, a slide or a chart that is being read. */
export interface TableRun {
	table: Table;
	row: Cell[];
}

/** A sheet that is being read. */
export interface SheetRun {
	/** The texts of the row, up to the last that is not empty. */
	row: string[];
	/** Empty cells after them. */
	empty: number;
	/** Lines of charts and pictures, which stand below the rows wherever they are anchored. */
	readonly below: string[];
}
