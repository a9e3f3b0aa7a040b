import type { Cell } from '../text/cells.ts';
import type { Unit } from '../text/units.ts';
import { isStopWord, termsOf } from '../text/words.ts';

const caption = /^(?:table|figure|fig\.?|chart) [\dIVXA-Z.]+$/i;
/** Farther than this a cell is not below another one, in characters. */
const farthest = 10;

/**
 * The one value that a question means: the cell in the row and column of its words, or what stands behind a label that consists of
 * them. Undefined when neither tells.
 */
export function valueFor(unit: Unit, terms: readonly string[], units: readonly Unit[]): string | undefined {
	const { cells = [], text } = unit;
	const [label, ...values] = cells;
	if (!label || values.length === 0) return labelled(text, terms);
	const header = unit.header === undefined ? undefined : units[unit.header];
	if (header?.cells && matches(text, terms) > 0) {
		const names = header.cells;
		// A column whose value the question gives is not the one it asks for.
		const open = names.filter((name) => matches(below(cells, name, names)?.text ?? '', terms) === 0);
		const column = bestCell(open, terms, text);
		if (column) return below(cells, column, names)?.text;
	}
	const [only] = values.length === 1 && isAsked(label.text, terms) ? values : [];
	return only && isValue(only.text) ? only.text : undefined;
}

/** What stands behind the colon of a label that has only words of the question. */
function labelled(text: string, terms: readonly string[]): string | undefined {
	const [, label, value] = /^([^:.]{2,40}):\s+(\S.{0,120})$/.exec(text) ?? [];
	if (!label || !value || caption.test(label)) return undefined;
	return isAsked(label, terms) ? value.replace(/\.$/, '') : undefined;
}

/** The cell of a row in a column: the one that is nearer to this name than to the names of other columns. */
export function below(cells: readonly Cell[], column: Cell, names: readonly Cell[]): Cell | undefined {
	const [best] = [...cells].sort((a, b) => shared(b, column) - shared(a, column));
	if (!best || shared(best, column) < -farthest) return undefined;
	const isOwn = names.every((name) => shared(best, name) <= shared(best, column));
	return isOwn ? best : undefined;
}

/** Characters that two cells have above each other; negative: how far they are apart. */
function shared(one: Cell, other: Cell): number {
	return Math.min(one.to, other.to) - Math.max(one.from, other.from);
}

/** Sentences are no values. */
function isValue(text: string): boolean {
	return text.length <= 80 && !/[.!?]\s/.test(text);
}

function isAsked(label: string, terms: readonly string[]): boolean {
	const own = termsOf(label).filter((term) => !isStopWord(term));
	return own.length > 0 && own.every((term) => terms.includes(term));
}

function matches(text: string, terms: readonly string[]): number {
	return new Set(termsOf(text).filter((term) => terms.includes(term))).size;
}

/** The only name of a column that has the most words of the question, beyond those in the row itself. */
function bestCell(names: readonly Cell[], terms: readonly string[], row: string): Cell | undefined {
	const own = termsOf(row);
	const others = terms.filter((term) => !own.includes(term));
	const rated = names.map((cell) => ({ cell, score: matches(cell.text, others) })).sort((a, b) => b.score - a.score);
	const [first, second] = rated;
	return first && first.score > (second?.score ?? 0) ? first.cell : undefined;
}
