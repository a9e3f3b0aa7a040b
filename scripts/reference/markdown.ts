/** A table row of these cells. */
export type Cells = readonly string[];

/** A table in Markdown. */
export function table(head: Cells, rows: readonly Cells[]): string {
	return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Escapes plain text for Markdown, so that none of it is HTML and no braces are attributes. */
export function escaped(text: string): string {
	return text
		.split(/(`[^`]*`)/)
		.map((part, index) => (index % 2 === 0 ? part.replaceAll('<', '&lt;').replace(/\$?\{[^}]*\}/g, '`$&`') : part))
		.join('');
}
