import { fitting } from '../ask/answer.ts';
import type { Listed } from '../ask/intent.ts';
import type { Question } from '../ask/question.ts';
import type { ChatContext } from '../chat-context.ts';
import { type Answer, citation, counted, type Quote, quoteOf } from '../quotes.ts';
import { findAll } from '../text/finds.ts';
import { fold } from '../text/words.ts';

/** What one thing is called, and several. */
export const nounOf: Readonly<Record<Listed, readonly [string, string]>> = {
	date: ['date', 'dates'],
	amount: ['amount', 'amounts'],
	email: ['e-mail address', 'e-mail addresses'],
	link: ['link', 'links'],
	phone: ['phone number', 'phone numbers'],
	percentage: ['percentage', 'percentages'],
	time: ['time', 'times'],
	decimal: ['amount', 'amounts'],
	heading: ['heading', 'headings'],
	file: ['document', 'documents'],
	page: ['page', 'pages'],
	word: ['word', 'words'],
	sentence: ['sentence', 'sentences'],
	character: ['character', 'characters'],
};

const mostShown = 80;
const mostPlaces = 3;

interface Entry {
	readonly text: string;
	readonly places: Quote[];
}

/** Lists all things of a kind, each once, with where they stand. */
export async function listThings(what: Listed, question: Question, desk: ChatContext): Promise<Answer> {
	if (what === 'file' || what === 'page') return listFiles(desk);
	const entries = await gather(what, question, desk);
	const [one, many] = nounOf[what];
	if (entries.length === 0) return { text: `Not found in the attached documents: there are no ${many}.`, quotes: [] };
	const shown = entries.slice(0, mostShown);
	const lines = shown.map(({ text, places }) => `- ${text} ${places.map(citation).join(' ')}`);
	const rest = entries.length - shown.length;
	return {
		text: [`${counted(entries.length, one, many)}:`, '', ...lines, ...(rest > 0 ? [`and ${rest} more.`] : [])].join(
			'\n',
		),
		brief: shown.map(({ text }) => text).join('; '),
		quotes: shown.flatMap(({ places }) => places[0] ?? []),
	};
}

/** All different things of a kind within the question's scope, in order. */
export async function gather(what: Listed, question: Question, desk: ChatContext): Promise<readonly Entry[]> {
	const { collection, sources, slices } = desk;
	const fits = fitting(question);
	const entries = new Map<string, Entry>();
	for (const unit of collection.units) {
		if (slices.isOver) await slices.pause();
		if (!fits(unit)) continue;
		for (const text of textsOf(what, unit)) {
			const place = { ...quoteOf(unit, sources), text };
			const key = fold(text).replace(/\s+/g, ' ');
			const known = entries.get(key) ?? { text, places: [] };
			const isNew = known.places.every((other) => citation(other) !== citation(place));
			if (isNew && known.places.length < mostPlaces) known.places.push(place);
			entries.set(key, known);
		}
	}
	// Where no currency is named, amounts are numbers with two decimals.
	if (what === 'amount' && entries.size === 0) return gather('decimal', question, desk);
	return [...entries.values()];
}

function textsOf(what: Listed, unit: { readonly kind: string; readonly text: string }): readonly string[] {
	if (what === 'heading') return unit.kind === 'heading' ? [unit.text] : [];
	if (what === 'sentence') return unit.kind === 'sentence' ? [unit.text] : [];
	if (['word', 'character', 'file', 'page'].includes(what)) return [];
	return findAll(
		unit.text,
		what as Exclude<Listed, 'heading' | 'sentence' | 'word' | 'character' | 'file' | 'page'>,
	).map((find) => find.text);
}

function listFiles({ sources }: ChatContext): Answer {
	const lines = sources.map(
		({ filename, hasPages, pageCount }) => `- ${filename}${hasPages ? `: ${counted(pageCount, 'page')}` : ''}`,
	);
	return {
		text: [`${counted(sources.length, 'document')}:`, '', ...lines].join('\n'),
		brief: sources.map(({ filename }) => filename).join('; '),
		quotes: [],
	};
}
