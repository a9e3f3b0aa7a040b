/** A row of a table on one line: `| a | b |`. */
export function rowOf(cells: readonly string[]): string {
	return `| ${cells.map(oneLine).join(' | ')} |`;
}

/** A text without line breaks and without blanks around it. */
export function oneLine(text: string): string {
	return text.replace(/\s+/g, ' ').trim();
}
