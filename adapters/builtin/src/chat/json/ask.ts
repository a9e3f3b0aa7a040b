import { fitting } from '../ask/answer.ts';
import type { Question } from '../ask/question.ts';
import { rank } from '../ask/rank.ts';
import { synonymsOf } from '../ask/synonyms.ts';
import { thingsIn, type Want } from '../ask/wants.ts';
import type { ChatContext } from '../chat-context.ts';
import { gather } from '../commands/list.ts';
import { figuresOf } from '../text/finds.ts';
import { fold, stem, termsOf } from '../text/words.ts';
import { type Candidate, type Field, fieldTerms, fieldWords, nameTerms } from './field.ts';
import { kindWords } from './labels.ts';
import { typesOf } from './schema.ts';

const identifiers = new Set(['number', 'no', 'id'].map(stem));
/** Words between a name and what it is the name of. */
const closely = 4;
const anywhere = Number.POSITIVE_INFINITY;

/** Asks the documents for a field by its name and description. */
export async function byQuestion(field: Field, question: Question, desk: ChatContext): Promise<readonly Candidate[]> {
	const all = fieldTerms(field);
	const telling = all.filter((term) => !kindWords.has(term));
	const terms = telling.length > 0 ? telling : all;
	if (terms.length === 0) return [];
	const want = wantFor(field);
	const ranked = await rank(desk, { ...anything, terms, want, scope: question.scope }, fitting(question));
	const near = ranked.filter((one) => one.coverage >= 0.5).slice(0, 3);
	if (want === 'anything') {
		const meant = [...terms, ...terms.flatMap(synonymsOf)];
		return near
			.filter(({ unit: { kind, text } }) => kind !== 'heading' && termsOf(text).some((term) => meant.includes(term)))
			.map(({ unit }) => unit.text);
	}
	const own = new Set(terms);
	return near.flatMap(({ unit }) => {
		const things = thingsIn(unit.text, want)
			.map((thing) => (want === 'person' ? withoutRole(thing, own) : thing))
			.filter((thing) => !own.has(fold(thing)));
		return nearestFirst(things, unit.text, terms, want === 'person' ? closely : anywhere);
	});
}

/** The only address or number for calls in the documents is the one that is meant. */
export async function onlyOne(field: Field, question: Question, desk: ChatContext): Promise<readonly Candidate[]> {
	const want = wantFor(field);
	if (want !== 'email' && want !== 'phone' && want !== 'link') return [];
	const found = await gather(want, question, desk);
	return found.length === 1 ? found.map(({ text }) => text) : [];
}

/** A number is read from a figure, not out of `GB 318 2204 17` or a sentence; an identifier is short and has digits. */
export function fitsKind(value: string, field: Field): boolean {
	if (wantFor(field) === 'percentage') return /%|percent/i.test(value);
	const [type] = typesOf(field.schema);
	const isIdentifier = nameTerms(field.name).some((term) => identifiers.has(term));
	if (isIdentifier && type === 'string') return /\d/.test(value) && value.split(' ').length < 5;
	const isNumber = type === 'number' || type === 'integer';
	return !isNumber || (figuresOf(value).length < 3 && !/^\p{L}{1,3}\s?\d|\p{L}+ \p{L}+ \p{L}+/u.test(value));
}

/** A question that asks nothing yet. */
export const anything: Question = {
	text: '',
	terms: [],
	background: [],
	phrases: [],
	names: new Set(),
	intent: { kind: 'ask' },
	want: 'anything',
	scope: {},
};

/** “beginning on 1 April and ending on 31 March”: what stands closest to a word of the field, rather behind it, is its own. */
function nearestFirst(
	things: readonly string[],
	text: string,
	terms: readonly string[],
	farthest: number,
): readonly string[] {
	const wanted = new Set([...terms, ...terms.flatMap(synonymsOf)]);
	const steps = (words: readonly string[]) => {
		const at = words.findIndex((term) => wanted.has(term));
		return at < 0 ? 100 + words.length : at;
	};
	const distance = (thing: string) => {
		const at = text.indexOf(thing);
		const behind = steps(termsOf(text.slice(at + thing.length)));
		return Math.min(steps(termsOf(text.slice(0, at)).reverse()), behind * 2);
	};
	return things
		.map((thing) => ({ thing, far: distance(thing) }))
		.filter(({ far }) => far <= farthest)
		.sort((a, b) => a.far - b.far)
		.map(({ thing }) => thing);
}

/** `Jane Roe, Landlord` is the landlord Jane Roe. */
function withoutRole(name: string, terms: ReadonlySet<string>): string {
	const parts = name.split(', ').filter((part) => !terms.has(stem(fold(part))));
	return parts.join(', ');
}

/** What kind of thing belongs into a field, by its type, format and name. */
function wantFor({ schema, name }: Field): Want {
	const words = fieldWords({ name, schema }).toLowerCase();
	const types = typesOf(schema);
	if (schema.format === 'email' || /\be-?mail\b/.test(words)) return 'email';
	if (schema.format === 'uri' || /\b(?:url|web ?site|link)\b/.test(words)) return 'link';
	if (/\b(?:phone|fax|telephone)\b/.test(words)) return 'phone';
	if (schema.format === 'date' || schema.format === 'date-time' || /\b(?:date|deadline|day)\b/.test(words))
		return 'date';
	if (types.includes('number') || types.includes('integer')) {
		if (/\b(?:percent|percentage|rate|share)\b/.test(words)) return 'percentage';
		return /\b(?:total|amount|price|cost|fee|sum|salary|revenue|budget|balance|due|net|gross|tax|vat|deposit|rent|fine|wage)\b/.test(
			words,
		)
			? 'amount'
			: 'number';
	}
	if (/\b(?:total|amount|price|cost|fee)\b/.test(words)) return 'amount';
	return /\b(?:author|person|customer|buyer|seller|vendor|client|signatory|signer|company|president|name|landlord|tenant|owner|employer|employee|manager|engineer|director|sender|recipient)s?\b/.test(
		words,
	)
		? 'person'
		: 'anything';
}
