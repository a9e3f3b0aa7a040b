/** Rows as a Markdown table. The first row is its header. Cells are single lines; short rows are filled up. */
export function pipeTable(rows: readonly (readonly string[])[]): string {
	const width = rows.reduce((most, { length }) => Math.max(most, length), 0);
	if (width === 0) return '';
	const filled = width * rows.length > maxCells ? 0 : width;
	const line = (row: readonly string[], length: number) =>
		`| ${Array.from({ length }, (_, at) => escapeCell(row[at] ?? '')).join(' | ')} |`;
	const [head = []] = rows;
	const body = rows.slice(1).map((row) => line(row, Math.max(filled, row.length)));
	return [line(head, width), `|${' --- |'.repeat(width)}`, ...body].join('\n');
}

/** In larger tables short rows stay short, which Markdown allows. */
const maxCells = 2_000_000;

function escapeCell(text: string): string {
	return text.replace(/\s+/g, ' ').trim().replaceAll('|', '\\|');
}
