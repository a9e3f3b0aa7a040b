import { Lines } from './lines.ts';

/** The rows of a table of text with TAB between their values, whatever the delimiter was. */
export function tableText(text: string, delimiter: string): string {
	const body = text.replace(/^sep=.\r?\n/i, '');
	const lines = new Lines();
	for (const row of rowsOf(body, delimiter)) lines.add(line(row));
	return lines.toString();
}

/** The delimiter of a table of text, undefined when the text is none: its rows have equally many values, at least two. */
export function delimiterOf(text: string): string | undefined {
	const told = /^sep=([,;\t|])\r?\n/i.exec(text.slice(0, 20))?.[1];
	if (told) return told;
	const start = text.slice(0, sampleCharacters);
	const sample = start.length < text.length ? start.slice(0, start.lastIndexOf('\n')) : start;
	const [best] = ['\t', ';', ',', '|']
		.map((delimiter) => candidateOf(sample, delimiter))
		.filter(({ columns }) => columns > 1)
		.sort(
			(a, b) =>
				Number(b.isHeaded) - Number(a.isHeaded) || Number(a.isWithin) - Number(b.isWithin) || b.columns - a.columns,
		);
	return best?.delimiter;
}

const sampleCharacters = 65_536;
const sampleRows = 100;

interface Candidate {
	readonly delimiter: string;
	/** How many values most rows have, 0 when they do not agree or look like something else. */
	readonly columns: number;
	/** The first row has as many. */
	readonly isHeaded: boolean;
	/** It stands where commas of numbers and names do: other delimiters go before. */
	readonly isWithin: boolean;
}

function candidateOf(sample: string, delimiter: string): Candidate {
	const rows: string[][] = [];
	for (const row of rowsOf(sample, delimiter)) {
		if (row.some((value) => value.trim())) rows.push(row);
		if (rows.length === sampleRows) break;
	}
	const agreed = agreedLength(rows);
	const isTable = rows.length > 1 && agreed > 1 && !looksWritten(rows, delimiter, agreed);
	return {
		delimiter,
		columns: isTable ? agreed : 0,
		isHeaded: rows[0]?.length === agreed,
		isWithin: delimiter === ',' && isMost(rows, isPunctuated),
	};
}

function agreedLength(rows: readonly Row[]): number {
	const lengths = new Map<number, number>();
	for (const { length } of rows) lengths.set(length, (lengths.get(length) ?? 0) + 1);
	const [columns = 0, count = 0] = [...lengths].sort((a, b) => b[1] - a[1])[0] ?? [];
	return count >= rows.length * 0.9 ? columns : raggedColumns(rows);
}

/** Some programs leave out values at the end of a row: no row has more than the first one then. */
function raggedColumns(rows: readonly Row[]): number {
	const most = rows[0]?.length ?? 0;
	const isRagged = most > 3 && rows.every(({ length }) => length > 2 && length <= most);
	return isRagged ? most : 0;
}

type Row = readonly string[];

/** Prose, source code, logs and Markdown have their commas and bars at regular places, too. */
function looksWritten(rows: readonly Row[], delimiter: string, columns: number): boolean {
	if (columns === 2 && isMost(rows, isOpenEnded)) return true;
	if (isMost(rows, (row) => /[;{}]\s*$/.test(row.at(-1) ?? '') || isBracketed(row))) return true;
	if (delimiter === '\t') return isMost(rows, isIndented);
	if (delimiter === '|') {
		const isFramed = (row: Row) => row[0]?.trim() === '' && (columns === 2 || isOpenEnded(row));
		return isMost(rows, isFramed) || rows.some(isRule);
	}
	if (isMost(rows, isTimed)) return true;
	return isMost(rows, isSpaced) && (columns === 2 || rows.length < 4);
}

function isMost(rows: readonly Row[], test: (row: Row) => boolean): boolean {
	return rows.filter(test).length > rows.length * 0.8;
}

function isOpenEnded(row: Row): boolean {
	return row.at(-1)?.trim() === '';
}

/** Nothing but tabs stands before the last value. */
function isIndented(row: Row): boolean {
	return row.slice(0, -1).every((value) => value === '');
}

/** As in prose: a blank behind each comma, or the line's end. */
function isSpaced(row: Row): boolean {
	return row.every((value, at) => at === 0 || value.startsWith(' ') || (value === '' && at === row.length - 1));
}

/** A bracket opens in one value and closes in a later one: the delimiter stands within, as in code. */
function isBracketed(row: Row): boolean {
	let open = 0;
	return row.some((value) => {
		const wasOpen = open > 0;
		open += value.split(/[([{]/).length - value.split(/[)\]}]/).length;
		return wasOpen && open <= 0;
	});
}

/** The line below the head of a table in Markdown. */
function isRule(row: Row): boolean {
	return row.every((value) => /^\s*:?-{2,}:?\s*$/.test(value));
}

/** Logs have milliseconds behind a comma: `12:30:00,125 message`. */
function isTimed(row: Row): boolean {
	return row.some((value, at) => /:\d\d$/.test(row[at - 1] ?? '') && /^\d{3}\s/.test(value));
}

/** `1,5` and `Doe, Ann`. */
function isPunctuated(row: Row): boolean {
	const isDecimal = (value: string, at: number) => /^\d/.test(value) && /\d$/.test(row[at - 1] ?? '');
	return row.every((value, at) => at === 0 || value.startsWith(' ') || isDecimal(value, at));
}

/**
 * The values of a text with delimiters (RFC 4180): quotes may hold delimiters and line breaks. A quote that is never closed is a character
 * like others, so that a broken file keeps its rows. Blanks may stand before a quote.
 */
function* rowsOf(text: string, delimiter: string): Generator<string[]> {
	let row: string[] = [];
	let lastQuote = text.lastIndexOf('"');
	const ends = new RegExp(`\\${delimiter}|\\r?\\n|\\r`, 'g');
	for (let at = 0; at <= text.length; ) {
		let value = '';
		const quote = afterBlanks(text, at);
		if (text[quote] === '"' && quote < lastQuote) {
			const close = closingQuote(text, quote + 1);
			if (close === -1) lastQuote = -1;
			else {
				value = text.slice(at, quote) + text.slice(quote + 1, close).replaceAll('""', '"');
				at = close + 1;
			}
		}
		ends.lastIndex = at;
		const end = ends.exec(text);
		row.push(value + text.slice(at, end?.index));
		at = end ? ends.lastIndex : text.length + 1;
		if (end?.[0] === delimiter) continue;
		yield row;
		row = [];
	}
}

function afterBlanks(text: string, from: number): number {
	let at = from;
	while (text[at] === ' ') at++;
	return at;
}

/** Where the quotes end that began before `from`; doubled ones stand for one. */
function closingQuote(text: string, from: number): number {
	for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 2)) {
		if (text[at + 1] !== '"') return at;
	}
	return -1;
}

function line(row: readonly string[]): string {
	return row
		.map((value) => value.replace(/\s+/g, ' ').trim())
		.join('\t')
		.trimEnd();
}
