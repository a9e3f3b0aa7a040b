/** The cells of a row. */
export type Cells = readonly string[];

/** A table in Markdown. */
export function table(head: Cells, rows: readonly Cells[]): string {
	return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
