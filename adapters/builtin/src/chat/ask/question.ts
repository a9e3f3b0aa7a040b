import type { Source } from '../library/portions.ts';
import { contentTerms, fold, wordsOf } from '../text/words.ts';
import { type Intent, intentOf } from './intent.ts';
import { type Want, wantOf } from './wants.ts';

/** A part of the documents that a question is restricted to. */
export interface Scope {
	/** Index of the only document that counts. */
	readonly document?: number;
	/** The first and last page that count. */
	readonly pages?: readonly [number, number];
}

/** A question, read. */
export interface Question {
	/** The user's own words. */
	readonly text: string;
	/** What is searched for: stems, without the words that only ask. */
	readonly terms: readonly string[];
	/** What an earlier question was about, where this one only goes on. */
	readonly background: readonly string[];
	/** What stands in quotation marks. */
	readonly phrases: readonly string[];
	/** Terms of names and numbers, which have to stand in an answer. */
	readonly names: ReadonlySet<string>;
	readonly intent: Intent;
	readonly want: Want;
	readonly scope: Scope;
}

/** Words of a question that are about the question. */
const asides = new Set(
	(
		'document documents file files pdf page pages text attached attachment attachments say says said mention mentions mentioned state stated states according find ' +
		'describe described explain sentence passage paragraph quote cite information info detail details answer question happen happens happened exactly ' +
		'mr mrs ms dr much many long name names called call know need want look like get given give gives kind type sort there does contain contains contained tell us ' +
		'wie hoch ist die der das wer wann wo welche welcher ein eine quel quelle est les des combien quand el los las cual cuanto cuando donde quien il lo che chi ما هو هي متى كم أين'
	).split(' '),
);
const mostQuestions = 5;
const asks = /^(?:who|what|when|where|which|how|why)\b/i;
const goesOn =
	/^(?:and|or|but|so|also|then|what about|how about|same for|the same|more)\b|\b(?:it|its|they|them|their|he|she|his|her|this|that|these|those|there)\b/i;
const ordinals = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth'];

/** Reads the questions of the last turn, mostly one, in the light of those before it. */
export function readQuestions(
	text: string,
	earlier: readonly string[],
	sources: readonly Source[],
): readonly [Question, ...Question[]] {
	let before: Question | undefined;
	for (const one of earlier.slice(-6)) before = readOne(one, before, sources);
	const [first = text, ...others] = partsOf(text);
	const questions: [Question, ...Question[]] = [readOne(first, before, sources)];
	for (const other of others) questions.push(readOne(other, questions.at(-1), sources));
	return questions;
}

/** Each sentence that ends with a question mark, where there are several and nothing else. */
function partsOf(text: string): readonly string[] {
	const parts = text.match(/[^?]+\?/g)?.map((part) => part.trim()) ?? [];
	const isOnlyQuestions = parts.length > 1 && parts.length <= mostQuestions && text.trim().endsWith('?');
	return (isOnlyQuestions ? parts : [text]).flatMap(joinedParts);
}

/** “Who is the seller and when is it due?” is two questions. */
function joinedParts(text: string): readonly string[] {
	const parts = text.split(/,? and (?=(?:who|what|when|where|which|how|why)\b)/i);
	const isEach = parts.every((part) => asks.test(part) && part.split(' ').length > 2);
	return isEach ? parts : [text];
}

function readOne(text: string, before: Question | undefined, sources: readonly Source[]): Question {
	const scope = scopeOf(text, sources);
	const terms = searchTerms(withoutScope(text, sources));
	const own: Question = {
		text,
		terms,
		background: [],
		phrases: phrasesOf(text),
		names: namesIn(text),
		intent: intentOf(text),
		want: wantOf(text),
		scope,
	};
	if (!before || own.intent.kind !== 'ask' || !isFollowUp(text, terms)) return own;
	const isMoved = terms.length === 0 && own.phrases.length === 0;
	if (isMoved)
		return {
			...before,
			scope: { ...before.scope, ...scope },
			want: own.want === 'anything' ? before.want : own.want,
		};
	return { ...own, background: before.terms.filter((term) => !terms.includes(term)) };
}

/** Whether words only make sense after an earlier question. */
function isFollowUp(text: string, terms: readonly string[]): boolean {
	return terms.length === 0 || (terms.length <= 3 && goesOn.test(text.trim()));
}

/** The stems that a text is about. */
function searchTerms(text: string): readonly string[] {
	const telling = wordsOf(text).filter((word) => !asides.has(word));
	return contentTerms(telling.join(' '));
}

/** Texts in quotation marks. */
function phrasesOf(text: string): readonly string[] {
	const pattern = /“([^”]+)”|"([^"]+)"|«([^»]+)»|(?<![\p{L}\d])['‘]([^'’]{2,})['’](?![\p{L}\d])/gu;
	return [...text.matchAll(pattern)].map((match) => (match[1] ?? match[2] ?? match[3] ?? match[4] ?? '').trim());
}

function namesIn(text: string): ReadonlySet<string> {
	const capitals = text.match(/(?<=[\p{L}\d,"“'’)] )\p{Lu}[\p{L}’'-]+|\b\p{L}*\p{Lu}{2}\p{L}*\b/gu) ?? [];
	const figures = text.match(/[\p{L}\d]*\d[\p{L}\d.,/-]*/gu) ?? [];
	return new Set(contentTerms([...capitals, ...figures].join(' ')));
}

const pageWords = /\b(?:on |at |of |from |in )?(?:pages?|pp?\.)\s*(\d{1,5})(?:\s*(?:-|–|to|and)\s*(\d{1,5}))?/i;
const endPage = /\b(?:on |at |of |from )?the (first|last) page\b/i;
const fileOrder = new RegExp(
	`\\b(?:in |from |of )?(?:the |my )?(${ordinals.join('|')}|last|other|1st|2nd|3rd) (?:one|file|document|pdf|attachment|text)\\b|\\b(?:file|document|attachment) (\\d)\\b`,
	'i',
);

function scopeOf(text: string, sources: readonly Source[]): Scope {
	const document = documentIn(text, sources);
	const pages = pagesIn(text, sources[document ?? 0]);
	return { ...(document !== undefined && { document }), ...(pages && { pages }) };
}

function pagesIn(text: string, source: Source | undefined): readonly [number, number] | undefined {
	const [, from, to] = pageWords.exec(text) ?? [];
	if (from) return [Number(from), Number(to ?? from)];
	const end = endPage.exec(text)?.[1]?.toLowerCase();
	if (!end) return undefined;
	const page = end === 'first' ? 1 : (source?.pageCount ?? 1);
	return [page, page];
}

function documentIn(text: string, sources: readonly Source[]): number | undefined {
	const folded = fold(text);
	const named = sources.findIndex(({ filename }) => namesOfFile(filename).some((name) => folded.includes(name)));
	if (named >= 0) return named;
	const [, order, digit] = fileOrder.exec(text) ?? [];
	if (!order && !digit) return undefined;
	const word = order?.toLowerCase() ?? '';
	const at = digit ? Number(digit) - 1 : word === 'last' || word === 'other' ? sources.length - 1 : ordinalOf(word);
	return at >= 0 && at < sources.length ? at : undefined;
}

function ordinalOf(word: string): number {
	return /^\d/.test(word) ? Number.parseInt(word, 10) - 1 : ordinals.indexOf(word);
}

/** Words that only name a place are not searched for. */
function withoutScope(text: string, sources: readonly Source[]): string {
	let rest = text
		.replace(/\b(?:be|is|are|was|were|been) found\b/gi, ' ')
		.replace(pageWords, ' ')
		.replace(endPage, ' ')
		.replace(fileOrder, ' ');
	for (const { filename } of sources)
		for (const name of namesOfFile(filename)) {
			const at = fold(rest).indexOf(name);
			if (at >= 0 && fold(rest).length === rest.length) rest = rest.slice(0, at) + rest.slice(at + name.length);
		}
	return rest;
}

function namesOfFile(filename: string): readonly string[] {
	const name = fold(filename);
	const bare = name.replace(/\.[a-z0-9]{2,5}$/, '');
	return /[^a-z]/.test(bare) && bare.length >= 4 ? [name, bare] : [name];
}
