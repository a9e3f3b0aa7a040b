/** The tables of a Markdown page, each as rows of cells. The header row comes first; the separator row is left out. */
export function tablesOf(text: string): readonly (readonly (readonly string[])[])[] {
	return text
		.split(/\n(?!\|)/)
		.map((part) => part.split('\n').filter((line) => line.startsWith('|')))
		.filter((lines) => lines.length > 2)
		.map(([head = '', , ...rows]) => [head, ...rows].map(cellsOf));
}

/** The code blocks of a page in one language. */
export function codeBlocks(text: string, language: string): readonly string[] {
	const blocks = text.matchAll(/^```(\w*)[^\n]*\n([\s\S]*?)^```$/gm);
	return [...blocks].filter(([, name]) => name === language).map(([, , code = '']) => code);
}

function cellsOf(line: string): readonly string[] {
	return line
		.slice(1, -1)
		.split('|')
		.map((cell) => cell.trim());
}
