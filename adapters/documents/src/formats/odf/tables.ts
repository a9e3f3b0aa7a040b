import type { Attributes } from '../../markup/xml.ts';
import { Table } from '../flow/table.ts';
import type { Body, Close, Opening } from './body.ts';
import type { Cell, TableRun } from './runs.ts';

/** Equal cells or rows of a text's table are written out once for each; more of them are a mistake, or meant to do harm. */
const maxRepeats = 1_000;

/** Tables of texts, slides and charts, by the element. */
export const tables: readonly (readonly [string, Opening])[] = [
	['table:table', table],
	['table:table-row', row],
	['table:table-cell', cell],
	// Merged cells stand where they begin. What is under them is not seen.
	['table:covered-table-cell', covered],
];

function table(body: Body): Close {
	const { table: outer, list } = body;
	const run: TableRun = { table: new Table(), row: [] };
	body.flow.block(1);
	if (body.isOnPage) {
		if (body.isBreakDue) body.breakPage();
		body.isPageBegun = true;
	}
	body.table = run;
	body.list = undefined;
	return () => {
		body.table = outer;
		body.list = list;
		write(body, run);
		if (run.table.isGrid) body.hasTable = true;
	};
}

function write({ flow }: Body, { table }: TableRun): void {
	flow.lines(table.lines());
	flow.block(1);
}

function row(body: Body, attributes: Attributes): Close | undefined {
	const run = body.table;
	if (!run) return undefined;
	run.row = [];
	return () => {
		const hasText = run.row.some(({ lines }) => lines.length > 0);
		const repeats = hasText ? countOf(attributes['table:number-rows-repeated'], maxRepeats) : 1;
		body.room.take((repeats - 1) * run.row.reduce((sum, { lines }) => sum + sizeOf(lines), 0));
		for (let time = 0; time < repeats; time++) {
			run.table.row();
			for (const { lines, span, isTable } of run.row) run.table.cell(lines, span, isTable);
		}
		if (body.isBreakDue && body.isOnPage) breakWithin(body, run);
	};
}

/** A page ends between two rows. */
export function breakWithin(body: Body, run: TableRun): void {
	write(body, run);
	run.table = new Table();
	body.breakPage();
	body.isPageBegun = true;
}

function cell(body: Body, attributes: Attributes): Close | undefined {
	const run = body.table;
	if (!run) return undefined;
	const { hasTable } = body;
	body.hasTable = false;
	const end = body.apart((lines) => {
		const repeats = countOf(attributes['table:number-columns-repeated'], maxRepeats);
		const columns = countOf(attributes['table:number-columns-spanned'], maxRepeats);
		const rows = countOf(attributes['table:number-rows-spanned'], 1_048_576);
		const hasText = lines.length > 0;
		const one: Cell = {
			lines,
			span: { columns: hasText ? columns : columns * repeats, rows },
			isTable: body.hasTable,
		};
		const copies = hasText ? repeats : 1;
		body.room.take((copies - 1) * sizeOf(lines));
		for (let time = 0; time < copies; time++) run.row.push(one);
		body.hasTable = hasTable;
	});
	body.isInCell = true;
	return end;
}

/** What a copy of a cell counts for, in characters: also an empty one takes memory. */
function sizeOf(lines: readonly string[]): number {
	return lines.reduce((sum, line) => sum + line.length, 40);
}

function covered(body: Body): Close {
	return body.hide();
}

/** A count in an attribute, 1 where none is written. */
export function countOf(text: string | undefined, most: number): number {
	const count = Number.parseInt(text ?? '1', 10);
	return count >= 1 ? Math.min(count, most) : 1;
}
