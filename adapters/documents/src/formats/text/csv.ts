import { pipeTable } from '../../table.ts';
import { maxCharacters } from '../budget.ts';

type Row = readonly string[];

/** The rows of a text table, with TAB between their values or as a Markdown table. */
export function tableText(text: string, delimiter: string, isMarkdown: boolean): string {
	const rows = shownRows(text.replace(/^sep=.\r?\n/i, ''), delimiter);
	if (isMarkdown) return pipeTable(Array.from(rows).filter(({ length }) => length > 0));
	return Array.from(rows, (row) => row.join('\t')).join('\n');
}

/** Rows with each value on one line, up to the maximum text of a document, without empty values at the end of a row. */
function* shownRows(text: string, delimiter: string): Generator<Row> {
	let remaining = maxCharacters;
	for (const row of rowsOf(text, delimiter)) {
		const values = row.map((value) => value.replace(/\s+/g, ' ').trim());
		while (values.at(-1) === '') values.pop();
		yield values;
		remaining -= values.reduce((sum, value) => sum + value.length + 1, 1);
		if (remaining < 0) return;
	}
}

/** The delimiter of a text table: its rows have the same number of values, at least two. Undefined for other texts. */
export function delimiterOf(text: string): string | undefined {
	const declared = /^sep=([,;\t|])\r?\n/i.exec(text.slice(0, 20))?.[1];
	if (declared) return declared;
	const start = text.slice(0, 65_536);
	const sample = start.length < text.length ? start.slice(0, start.lastIndexOf('\n')) : start;
	const tables = ['\t', ';', ',', '|'].flatMap((delimiter) => candidateOf(sample, delimiter) ?? []);
	return tables.sort((a, b) => a.doubts - b.doubts || b.columns - a.columns)[0]?.delimiter;
}

/** The score of a delimiter; undefined if its rows are not a table. */
function candidateOf(sample: string, delimiter: string) {
	const filled = Array.from(rowsOf(sample, delimiter)).filter((row) => row.some((value) => value.trim()));
	const rows = filled.slice(0, 100);
	const columns = columnsOf(rows);
	if (rows.length < 2 || columns < 2 || isProseOrCode(rows, delimiter, columns)) return undefined;
	// Commas within numbers and names make another delimiter more likely; a header row of another length even more so.
	const doubts = Number(delimiter === ',' && isMost(rows, isPunctuated)) + 2 * Number(rows[0]?.length !== columns);
	return { delimiter, columns, doubts };
}

/** The number of values of nearly all rows; of the first row, if others omit values at their end; otherwise 0. */
function columnsOf(rows: readonly Row[]): number {
	const lengths = rows.map(({ length }) => length);
	const isCommon = (length: number) => lengths.filter((other) => other === length).length >= rows.length * 0.9;
	const [first = 0] = lengths;
	const isRagged = first > 3 && lengths.every((length) => length > 2 && length <= first);
	return lengths.find(isCommon) ?? (isRagged ? first : 0);
}

/** Prose, source code, logs and Markdown also have commas and bars at regular positions. */
function isProseOrCode(rows: readonly Row[], delimiter: string, columns: number): boolean {
	if (columns === 2 && isMost(rows, isOpenEnded)) return true;
	if (isMost(rows, (row) => /[;{}]\s*$/.test(row.at(-1) ?? '') || isBracketed(row))) return true;
	if (delimiter === '\t') return isMost(rows, isIndented);
	if (delimiter === '|') return isMost(rows, isFramed) || rows.some(isRule);
	return isMost(rows, isTimed) || (isMost(rows, isSpaced) && (columns === 2 || rows.length < 4));
}

const isMost = (rows: readonly Row[], test: (row: Row) => boolean) => rows.filter(test).length > rows.length * 0.8;

const isOpenEnded = (row: Row) => row.at(-1)?.trim() === '';

/** Only tabs precede the last value. */
const isIndented = (row: Row) => row.slice(0, -1).every((value) => value === '');

/** As in prose: a space or the end of the line follows each comma. */
const isSpaced = (row: Row) =>
	row.every((value, at) => at === 0 || value.startsWith(' ') || (value === '' && at === row.length - 1));

/** A bracket opens in one value and closes in a later one, so the delimiter is inside, as in code. */
function isBracketed(row: Row): boolean {
	let open = 0;
	return row.some((value) => {
		const wasOpen = open > 0;
		open += value.split(/[([{]/).length - value.split(/[)\]}]/).length;
		return wasOpen && open <= 0;
	});
}

/** The row also starts and ends with a bar. */
const isFramed = (row: Row) => row[0]?.trim() === '' && (row.length === 2 || isOpenEnded(row));

/** The line below the header of a Markdown table. */
const isRule = (row: Row) => row.every((value) => /^\s*:?-{2,}:?\s*$/.test(value));

/** Logs have milliseconds after a comma: `12:30:00,125 message`. */
const isTimed = (row: Row) => row.some((value, at) => /:\d\d$/.test(row[at - 1] ?? '') && /^\d{3}\s/.test(value));

/** `1,5` and `Doe, Ann`. */
const isPunctuated = (row: Row) =>
	row.every((value, at) => at === 0 || value.startsWith(' ') || (/^\d/.test(value) && /\d$/.test(row[at - 1] ?? '')));

/**
 * The values of a text with delimiters (RFC 4180). Quoted values may contain delimiters and line breaks, and may follow
 * blanks. A quote that is never closed is an ordinary character, so that a broken file keeps its rows.
 */
function* rowsOf(text: string, delimiter: string): Generator<Row> {
	let row: string[] = [];
	let lastQuote = text.lastIndexOf('"');
	const opening = / *"/y;
	const ends = new RegExp(`\\${delimiter}|\\r?\\n|\\r`, 'g');
	for (let at = 0; at <= text.length; ) {
		let value = '';
		opening.lastIndex = at;
		if (at < lastQuote && opening.test(text)) {
			const start = opening.lastIndex;
			const close = closingQuote(text, start);
			if (close === -1) lastQuote = -1;
			else {
				value = text.slice(at, start - 1) + text.slice(start, close).replaceAll('""', '"');
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

/** The index of the closing quote of a value, or -1. A doubled quote is a quote inside the value. */
function closingQuote(text: string, from: number): number {
	for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 2)) {
		if (text[at + 1] !== '"') return at;
	}
	return -1;
}
