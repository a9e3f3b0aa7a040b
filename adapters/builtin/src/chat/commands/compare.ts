import { likeness } from '../ask/answer.ts';
import type { Question } from '../ask/question.ts';
import type { ChatContext } from '../chat-context.ts';
import type { Slices } from '../library/slices.ts';
import { type Answer, quoted, quoteOf } from '../quotes.ts';
import { shapeOf } from '../text/page-headers.ts';
import type { Unit } from '../text/units.ts';
import { fold, termsOf } from '../text/words.ts';
import { telling } from './summary.ts';

const shown = { both: 4, different: 10, alone: 4 };
const alike = 0.55;
/** Units that are remembered of one word: frequent ones find nothing. */
const mostOfAWord = 40;

/** Compares two documents: what both say, where the same line has other numbers or values, what only one of them says. */
export async function compareDocuments(question: Question, desk: ChatContext): Promise<Answer> {
	const [first, second] = twoOf(question, desk);
	if (second === undefined) {
		return {
			text: 'A comparison needs two documents, and only one is attached. Attach the other one as well.',
			quotes: [],
		};
	}
	const { same, different, left, right } = await match(unitsOf(desk, first), unitsOf(desk, second), desk.slices);
	const name = (at: number) => desk.sources[at]?.filename ?? '';
	const one = (units: readonly Unit[]) => units.map((unit) => [unit]);
	const most = async (units: readonly Unit[], count: number) => one(await telling(units, count, desk.slices));
	const parts = [
		section('Different:', different.slice(0, shown.different), desk),
		section('In both:', await most(same, shown.both), desk),
		section(`Only in ${name(first)}:`, await most(left, shown.alone), desk),
		section(`Only in ${name(second)}:`, await most(right, shown.alone), desk),
	].filter((part) => part !== undefined);
	const text = parts.map((part) => part.text).join('\n\n');
	return {
		text: text || 'Neither document holds text.',
		...(text && { brief: text }),
		quotes: parts.flatMap((part) => part.quotes),
	};
}

function twoOf({ scope }: Question, { sources }: ChatContext): [number, number | undefined] {
	if (sources.length < 2) return [0, undefined];
	const first = scope.document ?? 0;
	return first === 0 ? [0, 1] : [0, first];
}

function unitsOf({ collection }: ChatContext, document: number): readonly Unit[] {
	return collection.units.filter((unit) => unit.document === document && !unit.isFurniture && unit.kind !== 'heading');
}

async function match(left: readonly Unit[], right: readonly Unit[], slices: Slices) {
	const texts = keyed(right, (unit) => fold(unit.text));
	const shapes = keyed(right, (unit) => shapeOf(unit.text));
	const labels = keyed(right, labelOf);
	const words = await wordIndex(right, slices);
	const same: Unit[] = [];
	const different: (readonly [Unit, Unit])[] = [];
	const taken = new Set<number>();
	const alone: Unit[] = [];
	for (const unit of left) {
		if (slices.isOver) await slices.pause();
		const equal = texts.get(fold(unit.text));
		const other = shapes.get(shapeOf(unit.text)) ?? labels.get(labelOf(unit) ?? '') ?? closest(unit, words);
		if (equal) same.push(unit);
		else if (other) different.push([unit, other]);
		else alone.push(unit);
		const found = equal ?? other;
		if (found) taken.add(found.id);
	}
	return { same, different, left: alone, right: right.filter((unit) => !taken.has(unit.id)) };
}

/** What stands before the colon, or in the first cell of a row. */
function labelOf({ kind, cells, text }: Unit): string | undefined {
	const label = kind === 'row' && (cells?.length ?? 0) > 1 ? cells?.[0]?.text : /^([^:]{2,40}):\s/.exec(text)?.[1];
	return label && /\p{L}/u.test(label) ? fold(label) : undefined;
}

function keyed(units: readonly Unit[], keyOf: (unit: Unit) => string | undefined): ReadonlyMap<string, Unit> {
	const map = new Map<string, Unit>();
	for (const unit of units) {
		const key = keyOf(unit);
		if (key && !map.has(key)) map.set(key, unit);
	}
	return map;
}

async function wordIndex(units: readonly Unit[], slices: Slices): Promise<ReadonlyMap<string, readonly Unit[]>> {
	const index = new Map<string, Unit[]>();
	for (const unit of units) {
		if (slices.isOver) await slices.pause();
		for (const term of new Set(termsOf(unit.text))) {
			const list = index.get(term) ?? [];
			if (list.length < mostOfAWord) list.push(unit);
			index.set(term, list);
		}
	}
	return index;
}

/** The unit that says almost the same in other words; found by its rarest terms. */
function closest(unit: Unit, index: ReadonlyMap<string, readonly Unit[]>): Unit | undefined {
	const lists = [...new Set(termsOf(unit.text))]
		.flatMap((term) => [index.get(term) ?? []])
		.filter((list) => list.length > 0);
	const near = new Set(
		lists
			.sort((a, b) => a.length - b.length)
			.slice(0, 3)
			.flat(),
	);
	const rated = [...near]
		.map((other) => ({ other, score: likeness(unit.text, other.text) }))
		.sort((a, b) => b.score - a.score);
	return rated[0] && rated[0].score >= alike ? rated[0].other : undefined;
}

function section(title: string, groups: readonly (readonly Unit[])[], { sources }: ChatContext) {
	if (groups.length === 0) return undefined;
	const quotes = groups.map((units) => units.map((unit) => quoteOf(unit, sources)));
	return {
		text: [title, ...quotes.map((group) => `- ${group.map(quoted).join(' / ')}`)].join('\n'),
		quotes: quotes.flat(),
	};
}
