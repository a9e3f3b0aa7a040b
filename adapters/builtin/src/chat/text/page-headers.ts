/** What repeats at the top or foot of pages counts as theirs from so many pages on. */
const fewestPages = 3;
/** Of more pages as many are looked at, evenly spread. */
const mostPages = 400;
const edge = 2;
const edgeCharacters = 2_000;

/** A page of a document, as the reader of documents made it. */
export interface Page {
	readonly page: number;
	readonly text: string;
}

/** The lines that repeat at the top or foot of most pages, in the spelling of `shapeOf`. */
export function runningLines(pages: readonly Page[]): ReadonlySet<string> {
	const counts = new Map<string, number>();
	const step = Math.ceil(pages.length / mostPages);
	const filled = pages.filter((page, at) => at % step === 0 && page.text.trim() !== '');
	for (const page of filled)
		for (const shape of new Set(edgeLines(page.text).map(shapeOf))) counts.set(shape, (counts.get(shape) ?? 0) + 1);
	const least = Math.max(fewestPages, filled.length * 0.4);
	return new Set([...counts].filter(([, count]) => count >= least).map(([shape]) => shape));
}

/** A line without its numbers and blanks: `Page 3 of 9` and `Page 4 of 9` are one. */
export function shapeOf(line: string): string {
	return line.replace(/\d+/g, '#').replace(/\s+/g, ' ').trim().toLowerCase();
}

/** Takes away the numbers of numbered lines, as transcripts have them: 1 to the last line without a gap. */
export function withoutLineNumbers(lines: readonly string[]): readonly string[] {
	const numbers = lines.map((line) => /^\s*(\d{1,3})(?=\s|$)/.exec(line)?.[1]);
	const counted = numbers.filter((number) => number !== undefined);
	const inOrder = counted.every((number, at) => Number(number) === at + 1);
	const first = numbers.findIndex((number) => number !== undefined);
	const last = numbers.findLastIndex((number) => number !== undefined);
	const between = lines.slice(first, last + 1).filter((line) => line.trim() !== '').length;
	if (!inOrder || counted.length < 10 || counted.length < between) return lines;
	return lines.map((line) => line.replace(/^\s*\d{1,3}(?=\s|$)/, (number) => ' '.repeat(number.length)));
}

/** Takes away the `>` with which mails mark what they quote. One line alone keeps it: `> 5 mg` is no quote. */
export function withoutQuoteMarks(lines: readonly string[]): readonly string[] {
	const isMarked = lines.map((line) => /^\s*>(?:[\s>]|$)/.test(line));
	return lines.map((line, at) =>
		isMarked[at] && (isMarked[at - 1] || isMarked[at + 1]) ? line.replace(/^(?:\s*>)+ ?/, '') : line,
	);
}

function edgeLines(text: string): readonly string[] {
	return [
		...filledLines(text.slice(0, edgeCharacters)).slice(0, edge),
		...filledLines(text.slice(-edgeCharacters)).slice(-edge),
	];
}

function filledLines(text: string): readonly string[] {
	return text.split('\n').filter((line) => line.trim() !== '');
}
