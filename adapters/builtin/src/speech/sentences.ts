import { isSpeakable } from './normalise.ts';

/** What follows a piece of text: a shorter or longer silence, or none at all. */
export type Boundary = 'none' | 'phrase' | 'clause' | 'sentence' | 'paragraph' | 'end';

/** Text for one run of the synthesizer. */
export interface Piece {
	readonly text: string;
	readonly boundary: Boundary;
}

/** Longest piece. One character takes about 70 ms to say; a digit counts four times because it becomes a word. */
const longest = 220;
/**
 * A first piece heavier than this is divided at a comma, before a small word or at least between words, so that the first sound does
 * not wait for a whole long sentence: the statistical voices take 0.7 ms per character.
 */
const longestFirst = 44;
const heaviestFirst = 36;
const lightestFirst = 8;
const smallWord =
	/^(?:and|or|but|nor|because|although|though|while|when|where|which|who|that|if|unless|until|since|so|than|as|to|of|in|on|at|by|for|from|with|into|over|under|near|about|after|before|between|through|against|without|during)$/;
const longestWord = 40;
const abbreviation =
	/(?:^|[\s(])(?:Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr|Gen|Col|Capt|Lt|Sgt|Rev|Hon|vs|fig|Fig|No|Vol|pp|cf|approx|e\.g|E\.g|i\.e|I\.e|[A-Z])\.\s*$/;
// Made when it is needed: it takes 9 ms.
let segmenter: Intl.Segmenter | undefined;

/** Splits normalised text at paragraphs and sentences, long sentences at commas or spaces. Every piece has something to say. */
export function splitIntoPieces(text: string): readonly Piece[] {
	const pieces = text.split(/\n{2,}/).flatMap((paragraph) => {
		const parts = paragraphPieces(paragraph);
		return withLast(parts, 'paragraph');
	});
	return withLast(splitFirst(pieces), 'end');
}

function paragraphPieces(paragraph: string): Piece[] {
	return sentencesOf(paragraph)
		.flatMap((sentence) => withLast(splitLong(sentence), 'sentence'))
		.filter((piece) => isSpeakable(piece.text));
}

function sentencesOf(paragraph: string): readonly string[] {
	const sentences: string[] = [];
	for (const line of logicalLines(paragraph)) {
		let open = '';
		segmenter ??= new Intl.Segmenter('en', { granularity: 'sentence' });
		for (const { segment } of segmenter.segment(line)) {
			const startsSmall = /^["'(]*[a-z]/.test(segment);
			if (open && startsSmall) open += segment;
			else if (open && abbreviation.test(open)) open += segment;
			else {
				sentences.push(open);
				open = segment;
			}
		}
		sentences.push(open);
	}
	return sentences.map((sentence) => sentence.trim()).filter((sentence) => sentence.length > 0);
}

/** Joins the lines of hard-wrapped text; headings, verses and list items stay lines of their own. */
function logicalLines(paragraph: string): readonly string[] {
	const wrappedFrom = 50;
	const lines: string[] = [];
	let previous = '';
	for (const line of paragraph.split('\n')) {
		const isItem = /^(?:-|\d+[.)])\s/.test(line);
		const wrapped = previous.length >= wrappedFrom && !/[.!?:;]["')]*$/.test(previous);
		if (wrapped && !isItem) lines.push(`${lines.pop() ?? ''} ${line}`);
		else lines.push(line);
		previous = line;
	}
	return lines;
}

function splitLong(sentence: string): Piece[] {
	const words = sentence.split(' ').flatMap(breakWord);
	const pieces: Piece[] = [];
	let open: string[] = [];
	let weight = 0;
	for (const word of words) {
		if (open.length > 0 && weight + weigh(word) > longest) {
			const cut = lastComma(open);
			pieces.push({ text: open.slice(0, cut).join(' '), boundary: endsClause(open[cut - 1]) });
			open = open.slice(cut);
			weight = open.reduce((sum, kept) => sum + weigh(kept), 0);
		}
		open.push(word);
		weight += weigh(word);
	}
	return [...pieces, { text: open.join(' '), boundary: 'sentence' }];
}

function breakWord(word: string): readonly string[] {
	return word.length <= longestWord ? [word] : (word.match(new RegExp(`.{1,${longestWord}}`, 'g')) ?? []);
}

function weigh(word: string): number {
	return word.length + 1 + 3 * (word.match(/\d/g)?.length ?? 0);
}

/** Index behind the last word with a comma in the second half, else behind the last word. */
function lastComma(words: readonly string[]): number {
	const index = words.findLastIndex((word) => /[,;:]["')]*$/.test(word));
	return index >= words.length / 2 ? index + 1 : words.length;
}

function endsClause(word = ''): Boundary {
	return /[,;:]["')]*$/.test(word) ? 'clause' : 'none';
}

function splitFirst(pieces: readonly Piece[]): Piece[] {
	const [first, ...rest] = pieces;
	if (!first || weigh(first.text) <= longestFirst) return [...pieces];
	const words = first.text.split(' ');
	const cut = firstCut(words);
	const head = { text: words.slice(0, cut).join(' '), boundary: endsClause(words[cut - 1]) };
	const tail = { text: words.slice(cut).join(' '), boundary: first.boundary };
	if (!isSpeakable(head.text) || !isSpeakable(tail.text)) return [...pieces];
	return [head.boundary === 'clause' ? head : { ...head, boundary: 'phrase' }, tail, ...rest];
}

/** How many words the first piece gets: up to a comma if there is one in reach, else up to a small word, else as many as fit. */
function firstCut(words: readonly string[]): number {
	let weight = 0;
	let small = 0;
	let comma = 0;
	let fitting = 0;
	for (const [index, word] of words.entries()) {
		if (weight >= lightestFirst && smallWord.test(word)) small = index;
		weight += weigh(word);
		if (weight > heaviestFirst) break;
		fitting = index + 1;
		if (weight >= lightestFirst && endsClause(word) === 'clause') comma = index + 1;
	}
	return comma || small || fitting;
}

function withLast(pieces: readonly Piece[], boundary: Boundary): Piece[] {
	const last = pieces.at(-1);
	return last ? [...pieces.slice(0, -1), { ...last, boundary }] : [];
}
