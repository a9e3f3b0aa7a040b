/** The width of a line of text in any unit. */
export type Measure = (text: string) => number;

/** Fills lines one after the other; `rest` tells whether words are left when the last of `most` lines is full. */
export function breakLines(
	words: readonly string[],
	measure: Measure,
	width: number,
	most: number,
): { lines: string[]; rest: boolean } {
	const lines: string[] = [];
	for (const word of words) {
		const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
		if (lines.length > 0 && measure(longer) <= width) lines[lines.length - 1] = longer;
		else if (lines.length === most) return { lines, rest: true };
		else lines.push(word);
	}
	return { lines, rest: false };
}

/** Narrows the lines as long as their number stays, so that no word stands alone on the last one. */
export function balanceLines(
	lines: readonly string[],
	words: readonly string[],
	measure: Measure,
	width: number,
): readonly string[] {
	let best = lines;
	for (let narrow = width * 0.94; narrow > width * 0.3; narrow *= 0.94) {
		const next = breakLines(words, measure, narrow, lines.length);
		if (next.rest) break;
		if (next.lines.every((line) => measure(line) <= narrow)) best = next.lines;
	}
	return best;
}

/** Cuts a word that is wider than a line; gives up after more than `most` pieces. */
export function splitWord(word: string, measure: Measure, width: number, most: number): readonly string[] {
	if (measure(word) <= width) return [word];
	const parts: string[] = [];
	let part = '';
	for (const char of word) {
		if (measure(part + char) > width) {
			parts.push(part);
			part = '';
			if (parts.length > most) return parts;
		}
		part += char;
	}
	return [...parts, part];
}

/** Ends a line with an ellipsis and leaves out as many characters as that needs. */
export function withEllipsis(line: string, measure: Measure, width: number): string {
	const chars = Array.from(line);
	while (chars.length > 0 && measure(`${chars.join('')}…`) > width) chars.pop();
	return `${chars.join('').replace(/[\s,;:.]+$/u, '')}…`;
}
