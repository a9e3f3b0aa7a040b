import type { Listed } from '../ask/intent.ts';
import type { Question } from '../ask/question.ts';
import type { ChatContext } from '../chat-context.ts';
import { portionsOf } from '../library/portions.ts';
import { type Answer, counted, enumerate } from '../quotes.ts';
import { literally } from '../text/literally.ts';
import { fold } from '../text/words.ts';
import { gather, nounOf } from './list.ts';

const words = /[\p{L}\p{N}]+(?:['’.,@/-][\p{L}\p{N}]+)*/gu;

/** Counts things of a kind: words, pages, addresses… Whatever has equal copies counts once, except words, characters and sentences. */
export async function countThings(what: Listed, question: Question, desk: ChatContext): Promise<Answer> {
	const [one, many] = nounOf[what];
	if (what === 'file') return countFiles(desk);
	if (what === 'page')
		return perFile(
			desk,
			question,
			one,
			many,
			desk.sources.map((source) => (source.hasPages ? source.pageCount : 1)),
		);
	if (what === 'word' || what === 'character') {
		const count =
			what === 'word'
				? (text: string) => text.match(words)?.length ?? 0
				: (text: string) => text.replace(/\s/g, '').length;
		return perFile(desk, question, one, many, await countIn(desk, question, count));
	}
	const entries = await gather(what, question, desk);
	const shown = entries.slice(0, 10).map((entry) => entry.text);
	const examples =
		what === 'sentence' || shown.length === 0 ? '' : `: ${enumerate(shown)}${entries.length > 10 ? ' among them' : ''}`;
	return {
		text: `${counted(entries.length, one, many)}${examples}.`,
		brief: String(entries.length),
		quotes: [],
	};
}

/** Counts how often words stand in the documents, whole words, in any case. */
export async function countPhrase(phrase: string, question: Question, desk: ChatContext): Promise<Answer> {
	const escaped = literally(fold(phrase).trim()).replace(/\s+/g, '\\s+');
	const pattern = new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`, 'gu');
	const counts = await countIn(desk, question, (text) => fold(text).match(pattern)?.length ?? 0);
	return perFile(desk, question, 'time', 'times', counts, `“${phrase}” stands `);
}

async function countIn(
	{ sources, slices }: ChatContext,
	{ scope }: Question,
	count: (text: string) => number,
): Promise<readonly number[]> {
	const [first, last] = scope.pages ?? [0, Number.POSITIVE_INFINITY];
	const counts = sources.map(() => 0);
	for (const { document, page, text } of portionsOf(sources)) {
		if (slices.isOver) await slices.pause();
		if (page >= first && page <= last) counts[document] = (counts[document] ?? 0) + count(text);
	}
	return counts;
}

function perFile(
	{ sources }: ChatContext,
	{ scope }: Question,
	one: string,
	many: string,
	counts: readonly number[],
	before = '',
): Answer {
	const asked = [...sources.keys()].filter((at) => scope.document === undefined || scope.document === at);
	const total = asked.reduce((sum, at) => sum + (counts[at] ?? 0), 0);
	const parts = asked.map((at) => `${counted(counts[at] ?? 0, one, many)} in ${sources[at]?.filename}`);
	const where = scope.pages
		? ` (${scope.pages[0] === scope.pages[1] ? 'page' : 'pages'} ${[...new Set(scope.pages)].join('–')})`
		: '';
	const text =
		asked.length === 1
			? `${before}${parts[0]}${where}.`
			: `${before}${counted(total, one, many)}${where}: ${enumerate(parts)}.`;
	return { text, brief: String(total), quotes: [] };
}

function countFiles({ sources }: ChatContext): Answer {
	const names = enumerate(sources.map(({ filename }) => filename));
	return {
		text: `${counted(sources.length, 'document')}: ${names}.`,
		brief: String(sources.length),
		quotes: [],
	};
}
