import type { ChatContext } from '../chat-context.ts';
import type { Hit, Query } from '../library/collection.ts';
import type { Unit } from '../text/units.ts';
import { fold, stem, termsOf, wordsOf } from '../text/words.ts';
import type { Question } from './question.ts';
import { isVague, synonymsOf } from './synonyms.ts';
import { valueFor } from './tables.ts';
import { countsIn, holdsMoney, moneyIn, thingsIn } from './wants.ts';

/** A unit with how well it answers. */
export interface Ranked {
	readonly unit: Unit;
	readonly score: number;
	/** Which share of the question stands in it or right beside it, by weight: 0 to 1. */
	readonly coverage: number;
}

/** What is looked at closely. */
const closely = 120;
/** What the units around count, compared to the unit itself. */
const around = { beside: 0.4, further: 0.15, above: 0.35 };

/** Units that may answer a question, best first. `fits` restricts them. */
export async function rank(
	{ collection: { units, search, frequency }, slices }: ChatContext,
	question: Question,
	fits: (unit: Unit) => boolean,
): Promise<readonly Ranked[]> {
	const weights = weigh(question, frequency, units.length);
	const origin = new Map<string, string>();
	const query = expand(weights, origin, frequency);
	const hits = await search(telling(query, frequency, units.length), slices);
	if (slices.isOver) await slices.pause();
	const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0) || 1;
	const pairs = pairsOf(question);
	const money = question.want === 'amount' ? moneyIn(question.text) : [];
	const ranked: Ranked[] = [];
	for (const unit of candidates(units, hits, fits)) {
		if (slices.isOver) await slices.pause();
		const near = neighbours(unit, units);
		// An amount says what a price is without the word.
		const implied = holdsMoney(unit.text) ? money : [];
		const coverage = coverageOf(near, hits, weights, origin, frequency, implied) / total;
		const found = near.reduce((sum, [id, share]) => sum + share * (hits.get(id)?.score ?? 0), 0);
		const score = found * (0.25 + coverage) * fitness(unit, question, pairs, units);
		ranked.push({ unit, coverage, score });
	}
	return ranked.sort((a, b) => b.score - a.score || a.unit.id - b.unit.id);
}

/** How much each term counts: rare ones more, names and numbers most, what an earlier question was about less. */
function weigh(question: Question, frequency: (term: string) => number, count: number): ReadonlyMap<string, number> {
	const rarity = (term: string) => Math.log(1 + (count + 1) / (frequency(term) + 0.5));
	const importance = (term: string) => {
		if (frequency(term) > 0) return question.names.has(term) ? 1.5 : isVague(term) ? 0.6 : 1;
		if (isVague(term)) return 0.2;
		const isOther = synonymsOf(term).some((other) => frequency(other) > 0);
		return isOther ? 0.4 : question.names.has(term) ? 1.5 : 1;
	};
	const weights = new Map<string, number>();
	for (const term of question.background) weights.set(term, rarity(term) * 0.4);
	for (const term of question.terms) weights.set(term, rarity(term) * importance(term));
	return weights;
}

function expand(
	weights: ReadonlyMap<string, number>,
	origin: Map<string, string>,
	frequency: (term: string) => number,
): Query {
	const greatest = Math.max(...weights.values(), 1);
	const query = [...weights].map(([term, weight]) => ({ term, weight: weight / greatest }));
	for (const { term } of query) origin.set(term, term);
	for (const { term, weight } of [...query])
		for (const other of synonymsOf(term)) {
			if (origin.has(other) || frequency(other) === 0) continue;
			origin.set(other, term);
			query.push({ term: other, weight: weight * 0.5 });
		}
	return query;
}

/** In long documents words that stand nearly everywhere find too much, unless there are no others. */
function telling(query: Query, frequency: (term: string) => number, count: number): Query {
	const rare = query.filter(({ term }) => frequency(term) < Math.max(2_000, count / 8));
	const isEnough = rare.some(({ term }) => frequency(term) > 0);
	return isEnough ? rare : query;
}

function candidates(
	units: readonly Unit[],
	hits: ReadonlyMap<number, Hit>,
	fits: (unit: Unit) => boolean,
): readonly Unit[] {
	const ids = new Set<number>();
	const best = [...hits]
		.filter(([id]) => units[id] && fits(units[id]))
		.sort(([a, one], [b, other]) => other.score - one.score || a - b);
	for (const [id] of best.slice(0, closely)) for (const near of [id, id - 1, id + 1]) ids.add(near);
	return [...ids].flatMap((id) => units[id] ?? []).filter(fits);
}

/** A unit and what belongs to it, with the share that its words count. */
function neighbours(unit: Unit, units: readonly Unit[]): readonly (readonly [number, number])[] {
	const isNear = (id: number) => units[id]?.document === unit.document && units[id]?.page === unit.page;
	const isTogether = (id: number) =>
		isNear(id) && units[id]?.heading === unit.heading && units[id]?.kind !== 'heading' && !areRows(unit, units[id]);
	const near: (readonly [number, number])[] = [[unit.id, 1]];
	for (const id of [unit.id - 1, unit.id + 1]) if (isTogether(id)) near.push([id, around.beside]);
	for (const id of [unit.id - 2, unit.id + 2]) if (isTogether(id)) near.push([id, around.further]);
	if (unit.heading !== undefined) near.push([unit.heading, around.above]);
	const title = (unit.heading ?? 0) - 1;
	if (isNear(title) && units[title]?.kind === 'heading') near.push([title, around.above]);
	if (unit.header !== undefined) near.push([unit.header, around.above]);
	return near;
}

/** Rows of a table say nothing about each other, unless one only goes on with the other. */
function areRows(one: Unit, other: Unit | undefined): boolean {
	return (one.cells?.length ?? 0) > 1 && (other?.cells?.length ?? 0) > 1 && one.header !== undefined;
}

/** Sums the weight of what stands in the unit, and in part of what stands around; synonyms and guesses at slips count less. */
function coverageOf(
	near: readonly (readonly [number, number])[],
	hits: ReadonlyMap<number, Hit>,
	weights: ReadonlyMap<string, number>,
	origin: ReadonlyMap<string, string>,
	frequency: (term: string) => number,
	implied: readonly string[],
): number {
	const covered = new Map<string, number>();
	for (const [id, share] of near)
		for (const found of hits.get(id)?.terms ?? []) {
			const term = origin.get(found) ?? found;
			const likeness = term !== found ? (isVague(term) ? 0.5 : 0.7) : frequency(term) > 0 ? 1 : 0.6;
			const worth = (share === 1 ? 1 : share + 0.35) * likeness;
			covered.set(term, Math.max(covered.get(term) ?? 0, worth));
		}
	for (const term of implied) covered.set(term, Math.max(covered.get(term) ?? 0, 0.7));
	return [...covered].reduce((sum, [term, share]) => sum + share * (weights.get(term) ?? 0), 0);
}

function fitness(unit: Unit, question: Question, pairs: readonly string[], units: readonly Unit[]): number {
	const stems = ` ${termsOf(unit.text).join(' ')} `;
	const together = pairs.filter((pair) => stems.includes(pair)).length;
	const quoted = question.phrases.filter((phrase) => fold(unit.text).includes(fold(phrase))).length;
	return kindFitness(unit, question) * wantFitness(unit, question, units) * (1 + 0.25 * together) * (1 + 2 * quoted);
}

function kindFitness(unit: Unit, question: Question): number {
	if (unit.isFurniture) return 0.3;
	if (unit.kind === 'heading' || unit.isHeader) return 0.5;
	const isShort = unit.kind === 'sentence' && unit.text.split(' ').length < 4;
	if (isShort && !/:/.test(unit.text)) return 0.6;
	return unit.text.endsWith('?') && question.want !== 'yes-no' ? 0.8 : 1;
}

function wantFitness(unit: Unit, { want, terms, text: question }: Question, units: readonly Unit[]): number {
	const { text } = unit;
	if (valueFor(unit, terms, units)) return 1.8;
	const isDefinition = want === 'definition' || /^who (?:is|are|was|were)\b/i.test(question);
	if (isDefinition && defines(text, terms)) return 1.5;
	if (want === 'definition') return 1;
	if (want === 'list') return unit.text.endsWith(':') ? 1.5 : 1;
	if (['anything', 'page', 'yes-no'].includes(want)) return 1;
	if (want === 'number' && countsIn(text, question).length > 0) return 1.6;
	const things = thingsIn(text, want);
	const isFigure = unit.kind === 'row' && ['amount', 'number', 'measure'].includes(want);
	if (isFigure && things.length === 0 && /\d/.test(text)) return 1.5;
	// What repeats the question's own words answers nothing.
	const isNew = things.some((thing) => termsOf(thing).some((term) => !terms.includes(term)));
	return isNew ? 1.5 : want === 'person' ? 0.5 : 0.8;
}

/** `X is…`, `X means…`, `defines X as`, and `the long form (X)`. */
function defines(text: string, terms: readonly string[]): boolean {
	const names = [...text.matchAll(/\((?:the |each an? |an? )?["“]([^"”)]{2,40})["”]\)/g)];
	if (names.some(([, name = '']) => terms.some((term) => termsOf(name).includes(term)))) return true;
	const isAbbreviation = [...text.matchAll(/\((\p{Lu}{2,8})\)/gu)].some(([, short = '']) =>
		terms.includes(fold(short)),
	);
	if (isAbbreviation) return true;
	const verb = /\b(?:is|are|was|were|means?|refers? to|stands? for|defin\w+|consists? of|known as)\b|:/.exec(text);
	if (!verb) return false;
	const isDefined = verb[0].startsWith('defin');
	const subject = termsOf(text.slice(0, verb.index + (isDefined ? 60 : 0)));
	return terms.some((term) => subject.slice(0, 20).includes(term));
}

/** Neighbouring words of the question: where they stand together it is more likely what is meant. */
function pairsOf({ text, terms }: Question): readonly string[] {
	const stems = wordsOf(text).map(stem);
	return stems.flatMap((one, at) => {
		const next = stems[at + 1];
		const isTelling = next && terms.includes(one) && terms.includes(next);
		return isTelling ? [` ${one} ${next} `] : [];
	});
}
