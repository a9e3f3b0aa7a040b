import type { OfficeContentNode as Node, OfficeAttachment } from 'officeparser';
import { pipeTable } from '../../table.ts';

export type ChartData = NonNullable<OfficeAttachment['chartData']>;

/** Maximum cells of a table, including those that merged cells cover. Further spans are ignored. */
const maxCells = 1_000_000;

/** The texts of a table's cells, row by row. A merged cell has its text in its first position; the others are empty. */
export function* cellsOf(rows: readonly Node[], textOf: (cell: Node) => string): Generator<string[]> {
	/** For each column, how many of the next rows a merged cell covers. */
	const covered: number[] = [];
	let cellCount = 0;
	const span = (count = 1) => (cellCount < maxCells ? Math.max(1, Math.min(count, 1_000)) : 1);
	for (const { children = [] } of rows) {
		const row: string[] = [];
		for (const cell of children) {
			for (; (covered[row.length] ?? 0) > 0; row.push('')) covered[row.length] = (covered[row.length] ?? 0) - 1;
			const { rowSpan, colSpan } = cell.type === 'cell' ? (cell.metadata ?? {}) : {};
			covered.splice(row.length, span(colSpan), ...Array(span(colSpan)).fill(span(rowSpan) - 1));
			row.push(textOf(cell), ...Array(span(colSpan) - 1).fill(''));
		}
		for (let at = row.length; at < covered.length; at++) covered[at] = Math.max(0, (covered[at] ?? 0) - 1);
		cellCount += row.length;
		yield row;
	}
}

/** Whether a table is only layout: it has one column, or contains another table of several rows. */
export function isLayout(rows: readonly Node[]): boolean {
	const isTable = ({ type, children = [] }: Node) => type === 'table' && children.length > 1;
	const isFrame = rows.some((row) => row.children?.some((cell) => cell.children?.some(isTable)));
	return isFrame || rows.every(({ children = [] }) => children.length < 2);
}

/** Rows as lines, or as a table of Markdown. Rows and columns without any text are left out. */
export function tableText(all: readonly (readonly string[])[], isMarkdown: boolean): string {
	const filled = new Set(all.flatMap((row) => row.flatMap((text, at) => (text.trim() === '' ? [] : [at]))));
	const rows = all.map((row) => row.filter((_, at) => filled.has(at))).filter((row) => row.some((text) => text !== ''));
	return isMarkdown ? pipeTable(rows) : rows.map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** The data of a chart: a column for each series, a row for each category. */
export function chartRows({ dataSets, labels }: ChartData): string[][] {
	const length = Math.max(labels.length, ...dataSets.map(({ values }) => values.length));
	if (length * dataSets.length > maxCells) return [[...labels]];
	// Programs write 4.3 as 4.2999999999999998.
	const rounded = (value: string) =>
		value.replace(/^-?\d+\.\d{13,}$/, (long) => `${Number(Number(long).toPrecision(12))}`);
	const valuesAt = (at: number) => dataSets.map(({ values }) => rounded(values[at] ?? ''));
	const points = Array.from({ length }, (_, at) => [labels[at] ?? '', ...valuesAt(at)]);
	return [['', ...dataSets.map(({ name = '' }) => name)], ...points];
}
