/** Control words and symbols that stand for characters. */
export const characters: ReadonlyMap<string, string> = new Map([
	['tab', '\t'],
	['line', '\n'],
	['lbr', '\n'],
	['column', '\n'],
	['emdash', '—'],
	['endash', '–'],
	['emspace', ' '],
	['enspace', ' '],
	['qmspace', ' '],
	['bullet', '•'],
	['lquote', '‘'],
	['rquote', '’'],
	['ldblquote', '“'],
	['rdblquote', '”'],
	['zwj', '\u200D'],
	['zwnj', '\u200C'],
	['~', ' '],
	['_', '-'],
	['\\', '\\'],
	['{', '{'],
	['}', '}'],
	['\t', '\t'],
]);

/** The character sets that a document may name in its head, as code pages. */
export const headPages: ReadonlyMap<string, number> = new Map([
	['ansi', 1252],
	['mac', 10_000],
	['pc', 437],
	['pca', 850],
]);
