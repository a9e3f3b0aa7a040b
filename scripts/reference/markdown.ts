/** The cells of a row. */
export type Cells = readonly string[];

/** A table in Markdown. */
export function table(head: Cells, rows: readonly Cells[]): string {
	return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Plain text as it can stand in Markdown: nothing in it is taken for HTML, nor what is in braces for attributes. */
export function escaped(text: string): string {
	return text
		.split(/(`[^`]*`)/)
		.map((part, index) => (index % 2 === 0 ? part.replaceAll('<', '&lt;').replace(/\$?\{[^}]*\}/g, '`$&`') : part))
		.join('');
}
