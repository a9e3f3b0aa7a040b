import { synonymsOf } from '../ask/synonyms.ts';
import type { Slices } from '../library/slices.ts';
import type { Unit } from '../text/units.ts';
import { stem, wordsOf } from '../text/words.ts';
import { type Field, nameTerms } from './field.ts';

/** What a form or a line says of something by its name: `Invoice number: 17`. */
export interface Label {
	readonly terms: readonly string[];
	readonly value: string;
}

const mostLabels = 20_000;
const inline = /^([^:]{2,60}):\s+(\S.*)$/s;
/** Stems of names that say a kind, and little without the one around them: `seller.name`. */
export const kindWords: ReadonlySet<string> = new Set(
	['name', 'id', 'value', 'number', 'date', 'address', 'amount', 'type', 'text', 'title', 'description', 'email'].map(
		stem,
	),
);

/** Kinds of values that stand beside the thing itself: `Seller's e-mail`, `VAT number`. */
const contacts = new Set(['number', 'no', 'id', 'e-mail', 'email', 'phone', 'telephon', 'address'].map(stem));
/** How the head of a mail names them. */
const heads: Readonly<Record<string, readonly string[]>> = { sender: ['from'], recipient: ['to'] };

/** All labels with their values, in order. */
export async function labelsIn(units: readonly Unit[], slices: Slices): Promise<readonly Label[]> {
	const labels: Label[] = [];
	for (const [at, unit] of units.entries()) {
		if (labels.length > mostLabels) break;
		if (slices.isOver) await slices.pause();
		const next = units[at + 1];
		const below = next?.page === unit.page && next.document === unit.document ? next.text : undefined;
		for (const [name, value] of labelsOf(unit, below))
			if (/\p{L}/u.test(name)) labels.push({ terms: wordsOf(name).map(stem), value });
	}
	return labels;
}

/** Values of the labels that a field is named like, best first. */
export function valuesByName({ name, path }: Field, labels: readonly Label[]): readonly string[] {
	const own = nameTerms(name);
	const outer = nameTerms(path.at(-2) ?? '');
	const isVague = own.every((term) => kindWords.has(term));
	const rated = labels.map((label) => {
		const alone = likeness(own, label.terms);
		const whole = outer.length > 0 ? likeness([...outer, ...own], label.terms) : 0;
		return { label, score: Math.max(isVague && outer.length > 0 ? alone * 0.7 : alone, whole) };
	});
	return rated
		.filter(({ score }) => score >= 0.5)
		.sort((a, b) => b.score - a.score)
		.slice(0, 5)
		.map(({ label }) => label.value);
}

function labelsOf({ cells, text, kind }: Unit, below: string | undefined): readonly (readonly [string, string])[] {
	if (kind !== 'row') {
		const [, name, value] = inline.exec(text) ?? [];
		if (name && value) return [[name, value]];
		return below && /^[^.]{2,60}:$/.test(text) ? [[text, below]] : [];
	}
	return (cells ?? []).flatMap((cell, at, all) => {
		const [, name, value] = inline.exec(cell.text) ?? [];
		if (name && value) return [[name, value] as const];
		const next = all[at + 1]?.text;
		const isLabel = cell.text.endsWith(':') || (at === 0 && all.length === 2);
		return isLabel && next ? [[cell.text, next] as const] : [];
	});
}

/**
 * How much two names have in common: 1 when they are the same, synonyms a little less. A landlord is not the landlord's e-mail, nor the
 * start date any date: the words that say the kind have to agree, and one of the others as well.
 */
function likeness(field: readonly string[], label: readonly string[]): number {
	if (field.length === 0 || label.length === 0 || label.length > field.length + 3) return 0;
	const worth = new Map(field.map((term) => [term, worthIn(label, term)]));
	const telling = field.filter((term) => !kindWords.has(term));
	if (telling.length > 0 && telling.every((term) => worth.get(term) === 0)) return 0;
	const isAlone = (term: string, others: readonly string[]) => contacts.has(term) && worthIn(others, term) === 0;
	const isWhole = label.every((term) => worthIn(field, term) > 0);
	const isOther =
		label.some((term) => isAlone(term, field)) || (!isWhole && field.some((term) => isAlone(term, label)));
	const shared = [...worth.values()].reduce((sum, one) => sum + one, 0);
	return ((2 * shared) / (field.length + label.length)) * (isOther ? 0.5 : 1);
}

function worthIn(words: readonly string[], term: string): number {
	if (words.includes(term)) return 1;
	const others = [...synonymsOf(term), ...(heads[term] ?? [])];
	return others.some((other) => words.includes(other)) ? 0.8 : 0;
}
