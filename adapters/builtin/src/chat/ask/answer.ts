import type { ChatContext } from '../chat-context.ts';
import { type Answer, choose, citation, quoted, quoteOf } from '../quotes.ts';
import type { Unit } from '../text/units.ts';
import { contentTerms, termsOf } from '../text/words.ts';
import type { Question } from './question.ts';
import { type Ranked, rank } from './rank.ts';
import { isVague, synonymsOf } from './synonyms.ts';
import { valueFor } from './tables.ts';
import { countsIn, holdsMoney, moneyIn, thingsIn, type Want } from './wants.ts';

/** Which share of a question has to stand in a passage that answers it. */
const enough = 0.45;
/** From this share on a single value is given as the answer. */
const certain = 0.65;
/** Below this share a passage is not even worth showing. */
const close = 0.2;
const typed: ReadonlySet<Want> = new Set([
	'amount',
	'number',
	'date',
	'percentage',
	'phone',
	'email',
	'link',
	'time',
	'duration',
	'measure',
]);
const nounOfWant: Partial<Record<Want, string>> = {
	amount: 'amount',
	date: 'date',
	percentage: 'percentage',
	phone: 'phone number',
	email: 'e-mail address',
	link: 'link',
	time: 'time',
	duration: 'length of time',
};
const numberedSection = /\b(?:section|chapter|article|clause|part|§) ?(\d+(?:\.\d+)*)\b/i;
const numberOfTitle = /^(?:\p{L}+ )?(\d+(?:\.\d+)*)[.:)]?(?:\s|$)/u;
const mostQuotes = 3;
const mostItems = 12;

/** Answers a question with the sentences that match it best, or says honestly that nothing does. */
export async function answerQuestion(question: Question, desk: ChatContext): Promise<Answer> {
	const section = sectionUnits(question, desk);
	if (section.length > 0) return showAll(section, desk);
	const ranked = await rank(desk, question, fitting(question));
	const [best] = ranked;
	const good = ranked.filter((one) => isEnough(one) && isOfKind(one.unit, question));
	if (good.length > 0) return answerWith(choosePassages(good), question, desk);
	const things = onlyKind(question, desk);
	if (things) return things;
	const { scope } = question;
	const isScoped = scope.pages !== undefined || scope.document !== undefined;
	if (!isScoped) return notFound(best, desk);
	const elsewhere = (await rank(desk, question, () => true)).filter(isEnough);
	if (elsewhere.length === 0) return notFound(best, desk);
	const found = answerWith(choosePassages(elsewhere), question, desk);
	return { ...found, text: `Not found there, but elsewhere. ${found.text}` };
}

/** “What does section 3 say?”: its heading and what stands below. */
function sectionUnits({ text, terms }: Question, { collection: { units } }: ChatContext): readonly Unit[] {
	const [said, number] = numberedSection.exec(text) ?? [];
	if (!said || terms.some((term) => !termsOf(said).includes(term))) return [];
	const isMeant = (unit: Unit) => unit.kind === 'heading' && numberOfTitle.exec(unit.text)?.[1] === number;
	const title = units.find(isMeant);
	const below = units.filter((unit) => title && unit.heading === title.id);
	return title && below.length > 0 ? [title, ...below.slice(0, mostItems)] : [];
}

function showAll(units: readonly Unit[], { sources }: ChatContext): Answer {
	const quotes = units.map((unit) => quoteOf(unit, sources));
	return {
		text: quotes.map(quoted).join('\n'),
		brief: quotes.map(({ text }) => text).join(' '),
		quotes,
	};
}

/** “What is the date of the document?” says nothing but the kind: what there is of it is shown. */
function onlyKind(question: Question, desk: ChatContext): Answer | undefined {
	const { want, terms } = question;
	if (!isTyped(want) || want === 'number' || !terms.every(isVague)) return undefined;
	const fits = fitting(question);
	const units = desk.collection.units.filter((unit) => fits(unit) && has(unit, want)).slice(0, mostQuotes);
	if (units.length === 0) return undefined;
	const quotes = units.map((unit) => quoteOf(unit, desk.sources));
	const things = new Set(units.flatMap((unit) => thingsIn(unit.text, want)));
	const [only] = things.size === 1 ? things : [];
	return {
		text: ['This is what stands there:', ...quotes.map(quoted)].join('\n\n'),
		brief: only ?? quotes[0]?.text ?? '',
		quotes,
	};
}

/** Whether a unit lies within what the question is restricted to. */
export function fitting({ scope }: Question): (unit: Unit) => boolean {
	const [first, last] = scope.pages ?? [0, Number.POSITIVE_INFINITY];
	return ({ document, page }) =>
		(scope.document === undefined || document === scope.document) && page >= first && page <= last;
}

function isEnough({ coverage }: Ranked): boolean {
	return coverage >= enough;
}

/** An address is no answer to what a number is, nor a share to what a price is, unless the price is spoken of. */
function isOfKind(unit: Unit, { want, text }: Question): boolean {
	if (['email', 'phone', 'link'].includes(want)) return has(unit, want);
	const money = want === 'amount' ? moneyIn(text) : [];
	if (money.length === 0 || unit.kind === 'row') return true;
	const named = [...money, ...money.flatMap(synonymsOf)];
	return holdsMoney(unit.text) || termsOf(unit.text).some((term) => named.includes(term));
}

/** The best passages that do not repeat each other. */
function choosePassages(ranked: readonly Ranked[]): readonly Ranked[] {
	const [best] = ranked;
	if (!best) return [];
	const equals = ranked.slice(1, mostItems).filter((one) => isAsGood(one, best));
	if (equals.length > 1) return [best, ...equals].sort((a, b) => a.unit.id - b.unit.id);
	const chosen = [best];
	for (const one of ranked.slice(1, 12)) {
		if (chosen.length === mostQuotes || one.score < best.score * 0.62) break;
		const isNew = chosen.every(({ unit }) => likeness(unit.text, one.unit.text) < 0.6);
		if (isNew && one.unit.kind !== 'heading') chosen.push(one);
	}
	return chosen;
}

/** Which share of their words two texts have in common. */
export function likeness(one: string, other: string): number {
	const [left, right] = [new Set(termsOf(one)), new Set(termsOf(other))];
	const shared = [...left].filter((term) => right.has(term)).length;
	return shared / (left.size + right.size - shared || 1);
}

function answerWith(chosen: readonly Ranked[], question: Question, desk: ChatContext): Answer {
	const [best, ...others] = chosen.map(({ unit }) => passage(unit, question, desk));
	const value = briefly(chosen, question, desk);
	// Where there is one value, or a whole list, other passages would only blur it.
	const isWhole = value !== undefined || (best?.length ?? 0) > 2;
	const shown = [...(best ?? []), ...(isWhole ? [] : others.flat())];
	const units = [...new Map(shown.map((unit) => [unit.id, unit])).values()];
	const quotes = units.map((unit) => quoteOf(unit, desk.sources));
	const brief = value ?? chosen[0]?.unit.text ?? '';
	const places = [...new Set(quotes.map(citation))];
	const lead =
		question.want === 'page'
			? `On ${places.map((place) => place.slice(1, -1)).join('; ')}:`
			: value
				? /[.!?]$/.test(value)
					? value
					: `${value}.`
				: leadIn(question, units, desk);
	return { text: [lead, ...quotes.map(quoted)].join('\n\n'), brief, quotes };
}

/** What is quoted for a unit: with the items or the text below it, the header of a row, or the neighbour that has what is asked for. */
function passage(unit: Unit, question: Question, { collection: { units } }: ChatContext): readonly Unit[] {
	const { want } = question;
	const next = units[unit.id + 1];
	const before = units[unit.id - 1];
	const isBeside = (other: Unit | undefined): other is Unit =>
		other !== undefined && other.document === unit.document && other.page === unit.page && !other.isFurniture;
	if (unit.text.endsWith(':') && itemsBelow(unit, units).length > 1) return [unit, ...itemsBelow(unit, units)];
	const leadsOn = unit.kind === 'heading' || /[:?]$/.test(unit.text) || isCaption(unit, question);
	const isFigures = unit.kind === 'row' && /\d/.test(unit.text);
	if (isTyped(want) && !has(unit, want) && !isFigures) {
		if (isBeside(before) && has(before, want)) return [before, unit];
		if (isBeside(next) && has(next, want)) return [unit, next];
	}
	if (leadsOn && isBeside(next)) return [unit, next];
	if (unit.kind === 'row') {
		const header = unit.header === undefined ? undefined : units[unit.header];
		return header && header.page === unit.page ? [header, unit] : [unit];
	}
	return isTorn(unit, next) ? [unit, next as Unit] : [unit];
}

/** A few words without a stop, such as `Recipe: pumpkin soup`, that say little more than the question. */
function isCaption({ kind, text }: Unit, { terms }: Question): boolean {
	if (kind !== 'sentence' || /\d|[.!?;,]["”’')]*$/.test(text)) return false;
	return contentTerms(text).filter((term) => !terms.includes(term)).length <= 2;
}

/** The first sentences of the list below a sentence, also where it goes on overleaf. */
function itemsBelow(unit: Unit, units: readonly Unit[]): readonly Unit[] {
	const items: Unit[] = [];
	for (const other of units.slice(unit.id + 1, unit.id + 60)) {
		const isOver = other.kind === 'heading' || other.page > unit.page + 1 || other.document !== unit.document;
		if (isOver || items.length === mostItems) break;
		if (other.isItem) items.push(other);
		else if (items.length === 0 && !other.isFurniture) break;
	}
	return items;
}

/** A sentence that goes on overleaf. */
function isTorn(unit: Unit, next: Unit | undefined): boolean {
	if (/[.!?:;”"’)\]]$/.test(unit.text) || unit.kind !== 'sentence') return false;
	return next?.document === unit.document && next.page === unit.page + 1 && /^\p{Ll}/u.test(next.text);
}

function isTyped(want: Want): boolean {
	return typed.has(want);
}

function has({ text }: Unit, want: Want): boolean {
	return thingsIn(text, want).length > 0;
}

/** The value itself, where there can be no doubt which one it is. */
function briefly([best, second]: readonly Ranked[], question: Question, desk: ChatContext): string | undefined {
	if (!best || (second && isAsGood(second, best))) return undefined;
	const { unit, coverage } = best;
	const terms = [...question.terms, ...question.background];
	const { want, text } = question;
	const value = valueFor(unit, terms, desk.collection.units);
	// Nobody is called `A-1006`.
	if (value && !(want === 'person' && /\d/.test(value))) return value;
	if (!isTyped(want) || coverage < certain) return undefined;
	const things = want === 'number' ? countsIn(unit.text, text) : thingsIn(unit.text, want);
	const others = things.filter((thing) => !termsOf(thing).every((term) => terms.includes(term)));
	return new Set(others).size === 1 ? others[0] : undefined;
}

/** Two rows of one table that match alike leave open which is meant. */
function isAsGood(one: Ranked, best: Ranked): boolean {
	const isSameTable = one.unit.header !== undefined && one.unit.header === best.unit.header;
	return isSameTable && one.coverage > best.coverage - 0.02 && one.score > best.score * 0.85;
}

function leadIn({ want }: Question, units: readonly Unit[], { sources, seed }: ChatContext): string {
	const isLacking = isTyped(want) && units.every((unit) => !has(unit, want) && !/\d/.test(unit.text));
	if (isLacking) return `No ${nounOfWant[want] ?? 'number'} stands there, but this comes closest:`;
	if (want === 'yes-no') return 'I draw no conclusions, but this is what stands there:';
	const several = sources.length > 1;
	return choose(
		[
			several ? 'The documents say:' : 'The document says:',
			several ? 'From the attached documents:' : 'From the attached document:',
			'This is what stands there:',
		],
		seed,
	);
}

function notFound(best: Ranked | undefined, desk: ChatContext): Answer {
	const text = 'Not found in the attached documents.';
	if (!best || best.coverage < close) return { text, quotes: [] };
	const quote = quoteOf(best.unit, desk.sources);
	return { text: `${text} The closest passage:\n\n${quoted(quote)}`, quotes: [] };
}
