import { fitting, likeness } from '../ask/answer.ts';
import type { Question } from '../ask/question.ts';
import { rank } from '../ask/rank.ts';
import type { ChatContext } from '../chat-context.ts';
import type { Slices } from '../library/slices.ts';
import { type Answer, quoted, quoteOf } from '../quotes.ts';
import type { Unit } from '../text/units.ts';
import { contentTerms } from '../text/words.ts';

/** What is looked at of a long document: as many sentences, evenly spread. */
const mostLookedAt = 1_500;
const numbers = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const ofCommands =
	/^(?:summ?ar|overview|point|main|key|gist|brief|short|sentenc|bullet|idea|fact|takeaway|tldr|word|import|whole|thing|one|two|three|four|five|\d+$)/;

/** The sentences that say most of what is in the documents, in their order. */
export async function summarise(question: Question, desk: ChatContext): Promise<Answer> {
	const units = await topicOf(question, desk);
	const groups = Map.groupBy(units, (unit) => unit.document);
	const share = lengthOf(question.text);
	const chosen: Unit[] = [];
	for (const group of groups.values()) {
		const count = share ?? usualLength(group.length, groups.size);
		chosen.push(...(await telling(group, count, desk.slices)));
	}
	if (chosen.length === 0) return { text: 'Not found in the attached documents: there is no text.', quotes: [] };
	const quotes = chosen.map((unit) => quoteOf(unit, desk.sources));
	const lead =
		desk.sources.length > 1 ? 'The sentences that say most in each document:' : 'The sentences that say most:';
	return {
		text: [lead, '', ...quotes.map((quote) => `- ${quoted(quote)}`)].join('\n'),
		brief: quotes.map(({ text }) => text).join(' '),
		quotes,
	};
}

/** The most telling units of one document, in order: those that share many words with the rest, first ones before later ones. */
export async function telling(all: readonly Unit[], count: number, slices: Slices): Promise<readonly Unit[]> {
	const terms = new Map<Unit, readonly string[]>();
	const frequency = new Map<string, number>();
	for (const unit of candidates(all)) {
		if (slices.isOver) await slices.pause();
		const own = contentTerms(unit.text);
		terms.set(unit, own);
		for (const term of own) frequency.set(term, (frequency.get(term) ?? 0) + 1);
	}
	const byId = new Map(all.map((unit) => [unit.id, unit]));
	const rated = [...terms].map(([unit, own], at) => {
		const shared = own.reduce((sum, term) => sum + Math.log(frequency.get(term) ?? 1), 0);
		const first = isFirstBelow(unit, all) ? 0.15 : 0;
		const place = 1 + 0.6 / (1 + at / 3) + first + (isBelowAbstract(unit, byId) ? 0.8 : 0);
		return { unit, score: (shared / (own.length + 6)) * place };
	});
	const chosen: Unit[] = [];
	for (const { unit } of rated.sort((a, b) => b.score - a.score || a.unit.id - b.unit.id)) {
		if (chosen.length === count) break;
		if (chosen.every((other) => likeness(other.text, unit.text) < 0.5)) chosen.push(unit);
	}
	return chosen.sort((a, b) => a.id - b.id);
}

function candidates(all: readonly Unit[]): readonly Unit[] {
	const own = all.filter((unit) => !unit.isFurniture);
	const whole = own.filter(
		({ kind, text }) =>
			kind === 'sentence' &&
			text.length > 25 &&
			text.length < 420 &&
			/[.!。！]["”’')\]]*$/.test(text) &&
			!/^\p{Ll}/u.test(text),
	);
	const units = whole.length > 2 ? whole : own;
	const step = Math.max(1, Math.ceil(units.length / mostLookedAt));
	return units.filter((_, at) => at % step === 0);
}

function isFirstBelow(unit: Unit, all: readonly Unit[]): boolean {
	return unit.heading !== undefined && unit.id === unit.heading + 1 && all.length > 20;
}

function isBelowAbstract({ heading }: Unit, all: ReadonlyMap<number, Unit>): boolean {
	const title = heading === undefined ? undefined : all.get(heading)?.text;
	return title !== undefined && /^[\d.\s]*(?:abstract|(?:executive )?summary|overview|conclusions?)\b/i.test(title);
}

/** All there is, or what is about the words that the question has beside its command. */
async function topicOf(question: Question, desk: ChatContext): Promise<readonly Unit[]> {
	const fits = fitting(question);
	const units = desk.collection.units.filter(fits);
	const terms = question.terms.filter((term) => !ofCommands.test(term));
	if (terms.length === 0) return units;
	const all = await rank(desk, { ...question, terms, want: 'anything' }, fits);
	const ranked = all.filter(({ coverage }) => coverage >= 0.5);
	const [best] = ranked;
	if (!best) return units;
	const headings = new Set(ranked.filter(({ unit }) => unit.kind === 'heading').map(({ unit }) => unit.id));
	const below = units.filter((unit) => unit.heading !== undefined && headings.has(unit.heading));
	return below.length > 2
		? below
		: ranked
				.slice(0, 12)
				.map(({ unit }) => unit)
				.sort((a, b) => a.id - b.id);
}

/** `in three sentences`, `5 bullet points`. */
function lengthOf(text: string): number | undefined {
	const [, said] =
		/\b(\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|a) (?:short |single |key |main |bullet )*(?:sentences?|bullets?|points?|lines?|facts?|takeaways?)\b/i.exec(
			text,
		) ?? [];
	if (!said) return undefined;
	const count = /^\d/.test(said) ? Number(said) : numbers.indexOf(said.toLowerCase()) + 1;
	return Math.min(Math.max(count, 1), 20);
}

function usualLength(units: number, documents: number): number {
	return documents > 1 ? 3 : Math.min(6, Math.max(3, Math.round(units / 15)));
}
