import { synonymsOf } from '../ask/synonyms.ts';
import { below } from '../ask/tables.ts';
import type { ChatContext } from '../chat-context.ts';
import type { Answer } from '../quotes.ts';
import type { Cell } from '../text/cells.ts';
import type { Unit } from '../text/units.ts';
import { stem, termsOf, wordsOf } from '../text/words.ts';
import { type Field, nameTerms, spaced } from './field.ts';

/** What the columns of lists are called besides. */
const columnNames: Readonly<Record<string, string>> = {
	name: 'description item product article',
	description: 'item product name article',
	quantity: 'qty count pieces',
	qty: 'quantity count pieces',
};

type Row = ReadonlyMap<string, string>;

/** Rows for a list of objects: the answer's quotes when it asks for citations, else those of the table whose columns are named like the members. */
export function rowsFor(names: readonly string[], field: Field, answer: Answer, desk: ChatContext): readonly Row[] {
	const cited = citations(names, field, answer);
	return cited ?? tableRows(names, desk.collection.units);
}

function citations(names: readonly string[], { name }: Field, answer: Answer): readonly Row[] | undefined {
	const isCitation = /\b(?:citations?|sources?|quotes?|references?|evidence|passages?)\b/i.test(spaced(name));
	const known = names.map((one) => partOf(spaced(one)));
	if (!isCitation && !(known.includes('page') && known.includes('text'))) return undefined;
	return answer.quotes.map((quote) => {
		const row = new Map<string, string>();
		for (const one of names) {
			const part = partOf(spaced(one));
			const value = part === undefined ? undefined : quote[part];
			if (value !== undefined) row.set(one, String(value));
		}
		return row;
	});
}

function partOf(name: string): 'file' | 'page' | 'text' | undefined {
	if (/\bpage\b/i.test(name)) return 'page';
	if (/\b(?:file|filename|source|document)\b/i.test(name)) return 'file';
	return /\b(?:quotes?|text|sentence|passage|excerpt|content|evidence|snippet)\b/i.test(name) ? 'text' : undefined;
}

/** The rows of the table with the most columns that are named like members; at least half of the members have to be found. */
function tableRows(names: readonly string[], units: readonly Unit[]): readonly Row[] {
	const headers = [...new Set(units.flatMap((unit) => unit.header ?? []))].flatMap((id) => units[id] ?? []);
	const rated = headers
		.map((header) => ({ header, columns: columnsOf(names, header.cells ?? []) }))
		.sort((a, b) => b.columns.size - a.columns.size);
	const [best] = rated;
	if (!best || best.columns.size === 0 || best.columns.size * 2 < names.length) return [];
	return units
		.filter((unit) => unit.header === best.header.id)
		.map((unit) => rowOf(unit.cells ?? [], best.columns, best.header.cells ?? []))
		.filter((row) => row.size * 2 > best.columns.size || best.columns.size < 3);
}

/** Columns that are called like the members; then, of those that are left, such that mean the same. */
function columnsOf(names: readonly string[], cells: readonly Cell[]): ReadonlyMap<string, Cell> {
	const columns = new Map<string, Cell>();
	for (const meant of [nameTerms, alike])
		for (const name of names) {
			const terms = meant(name);
			const isFree = (cell: Cell) => meant === nameTerms || ![...columns.values()].includes(cell);
			const cell = cells.find((one) => isFree(one) && termsOf(one.text).some((term) => terms.includes(term)));
			if (cell && !columns.has(name)) columns.set(name, cell);
		}
	return columns;
}

function alike(name: string): readonly string[] {
	const words = wordsOf(spaced(name)).flatMap((word) => columnNames[word]?.split(' ') ?? []);
	return [...nameTerms(name).flatMap(synonymsOf), ...words.map(stem)];
}

function rowOf(cells: readonly Cell[], columns: ReadonlyMap<string, Cell>, names: readonly Cell[]): Row {
	const row = new Map<string, string>();
	for (const [name, column] of columns) {
		const cell = below(cells, column, names);
		if (cell) row.set(name, cell.text);
	}
	return row;
}
