import { Table } from '../flow/table.ts';
import type { Opening, Page } from './page.ts';
import { both } from './page.ts';
import type { Attributes, Close } from './tags.ts';

/** Tables deeper in each other are no tables: their lines would be handed on from each to the one around it. */
const maxTables = 8;

/** Tables: a row is a line. */
export const tables: readonly (readonly [string, Opening])[] = [
	['table', table],
	['caption', caption],
	['tr', row],
	['td', cell],
	['th', cell],
];

function table(page: Page): Close {
	const { flow, table: outer, tables: depth } = page;
	flow.block(1);
	const own = depth < maxTables ? new Table() : undefined;
	page.table = own;
	page.tables++;
	return () => {
		page.table = outer;
		page.tables = depth;
		flow.block(1);
		if (!own) return;
		flow.lines(own.lines());
		flow.block(1);
		if (own.isGrid) page.hasTable = true;
	};
}

function caption({ flow }: Page): Close {
	flow.block();
	return () => flow.block();
}

function row({ flow, table }: Page): Close | undefined {
	if (table) table.row();
	else flow.block();
	return () => {};
}

function cell(page: Page, attributes: Attributes): Close {
	const { table, list, hasTable, flow: outer } = page;
	if (!table) {
		outer.blank();
		return () => outer.blank();
	}
	const flow = page.scratch();
	page.list = undefined;
	page.hasTable = false;
	return both(page.divert(flow), () => {
		const span = {
			columns: Number.parseInt(attributes.get('colspan') ?? '', 10),
			rows: Number.parseInt(attributes.get('rowspan') ?? '', 10),
		};
		table.cell(flow.finish(), span, page.hasTable);
		page.list = list;
		page.hasTable = hasTable;
	});
}
