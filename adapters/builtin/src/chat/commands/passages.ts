import { fitting } from '../ask/answer.ts';
import type { Question } from '../ask/question.ts';
import { rank } from '../ask/rank.ts';
import type { ChatContext } from '../chat-context.ts';
import { type Answer, counted, quoted, quoteOf } from '../quotes.ts';
import type { Unit } from '../text/units.ts';
import { fold } from '../text/words.ts';

const mostQuotes = 5;
const pageCharacters = 2_400;

/** Quotes the sentences in which certain words stand, verbatim; with the words in quotation marks, exactly those. */
export async function quoteSentences(question: Question, desk: ChatContext): Promise<Answer> {
	const found = (await exactly(question, desk)) ?? (await closest(question, desk));
	if (found.length === 0) return { text: 'Not found in the attached documents.', quotes: [] };
	const quotes = found.slice(0, mostQuotes).map((unit) => quoteOf(unit, desk.sources));
	const rest = found.length - quotes.length;
	const more = rest > 0 ? [`${counted(rest, 'more passage')} like that.`] : [];
	return {
		text: [...quotes.map(quoted), ...more].join('\n\n'),
		brief: quotes[0]?.text ?? '',
		quotes,
	};
}

/** Shows what stands on a page. */
export function showPage(question: Question, desk: ChatContext): Answer {
	const fits = fitting(question);
	const units = desk.collection.units.filter((unit) => fits(unit) && !unit.isFurniture);
	if (units.length === 0) return { text: noSuchPage(question, desk), quotes: [] };
	const shown = firstOf(units);
	const quotes = shown.map((unit) => quoteOf(unit, desk.sources));
	const rest = units.length - shown.length;
	const more = rest > 0 ? [`${counted(rest, 'more passage')} on it.`] : [];
	return {
		text: [...quotes.map(quoted), ...more].join('\n'),
		brief: quotes.map(({ text }) => text).join(' '),
		quotes,
	};
}

async function exactly(question: Question, { collection, slices }: ChatContext): Promise<readonly Unit[] | undefined> {
	if (question.phrases.length === 0) return undefined;
	const fits = fitting(question);
	const wanted = question.phrases.map(fold);
	const found: Unit[] = [];
	for (const unit of collection.units) {
		if (slices.isOver) await slices.pause();
		const text = fold(unit.text);
		if (fits(unit) && wanted.every((phrase) => text.includes(phrase))) found.push(unit);
	}
	return found.length > 0 ? found : undefined;
}

async function closest(question: Question, desk: ChatContext): Promise<readonly Unit[]> {
	const [best] = await rank(desk, question, fitting(question));
	return best && best.coverage >= 0.5 ? [best.unit] : [];
}

function firstOf(units: readonly Unit[]): readonly Unit[] {
	let room = pageCharacters;
	return units.filter(({ text }, at) => {
		room -= text.length;
		return at === 0 || room > 0;
	});
}

function noSuchPage({ scope }: Question, { sources }: ChatContext): string {
	const places = sources
		.filter((_, at) => scope.document === undefined || scope.document === at)
		.map(({ filename, pageCount, hasPages }) =>
			hasPages ? `${filename} has ${counted(pageCount, 'page')}` : `${filename} has no pages`,
		);
	return `Not found in the attached documents: no text stands there. ${places.join('; ')}.`;
}
