import { directionOf } from './fillers.ts';
import { describesColor, type Finder, type Match, startOf } from './phrases.ts';
import { isWord } from './reader.ts';
import { isPlaceWord } from './scope.ts';
import { type Token, wordOf } from './tokens.ts';
import type { Verb } from './verb.ts';

/** One thing to do: a verb (or none that is known) with the words that belong to it. */
export interface Clause {
	/** Rows that it may mean; none when no phrase was found. */
	readonly verbs: readonly Verb[];
	/** Everything but the verb's own words. */
	readonly words: readonly Token[];
	/** Words before the verb: a negation or a direction there is about it. */
	readonly before: readonly Token[];
	/** Where the verb ends in the prompt. */
	readonly from: number;
	/** The words of the verb. */
	readonly called: readonly Token[];
	/** All tokens, for what is said about it. */
	readonly all: readonly Token[];
	/** Set where it is only the size of what the clause before makes. */
	readonly isMeasure?: true;
}

/** `everything but the subject` is one thing. */
const wholes = new Set(['everything', 'all', 'anything', 'everywhere', 'anywhere']);

const joiners = new Set(['and', 'then', 'plus', 'also', 'but', 'while']);

/** Cuts a prompt into clauses: at marks, at joiners outside phrases and lists, and in front of every further verb. */
export function splitClauses(tokens: readonly Token[], find: Finder): readonly Clause[] {
	const clauses: Clause[] = [];
	let from = 0;
	for (let at = 0; at <= tokens.length; at++) {
		const token = tokens[at];
		if (token && token.kind !== 'break' && !isJoiner(tokens, at, from, find)) continue;
		if (at > from) clauses.push(...splitVerbs(tokens.slice(from, at), find));
		from = at + 1;
	}
	return clauses;
}

/** `and` joins clauses, but not the words of a phrase (`black and white`) or two colours (`navy and gold`). */
function isJoiner(tokens: readonly Token[], at: number, from: number, find: Finder): boolean {
	const token = tokens[at];
	if (!token || !isWord(token) || !joiners.has(token.text)) return false;
	const before = tokens[at - 1];
	if (token.text === 'but' && before && isWord(before) && wholes.has(before.text)) return false;
	if (token.text === 'but' && isExclusion(tokens, at)) return false;
	if (token.text !== 'and') return true;
	const [a, b] = [tokens[at - 1], tokens[at + 1]];
	if (a && b && isColor(a) && isColor(b)) return false;
	for (let start = Math.max(from, at - 2); start < at; start++) {
		if (find(tokens, start)?.at.includes(at)) return false;
	}
	return true;
}

/** `blur the picture but the left half`: nothing stands behind `but` but a place. */
function isExclusion(tokens: readonly Token[], at: number): boolean {
	const skip = (from: number, fits: (text: string) => boolean): number => {
		let next = from;
		while (next < at + 7 && fits(wordOf(tokens[next]) ?? '')) next++;
		return next;
	};
	const from = skip(at + 1, (text) => ['not', 'for', 'in', 'the'].includes(text));
	const end = skip(from, isPlaceWord);
	const behind = tokens[end];
	return end > from && (!behind || behind.kind === 'break' || wordOf(behind) === 'and');
}

function isColor(token: Token): boolean {
	return token.kind === 'color' || (isWord(token) && token.color !== undefined);
}

const rims = new Set(['edges', 'edge', 'borders', 'border']);

/** `grayscale the background` and `blur the edges` have one verb; the background alone is one. */
function isScope(tokens: readonly Token[], { at }: Match, others: readonly Match[]): boolean {
	const place = at[0] as number;
	const text = wordOf(tokens[place]) ?? '';
	if (at.length > 1) return false;
	const before = place - 1;
	const isObject =
		wordOf(tokens[before]) === 'the' ||
		sideWords.has(wordOf(tokens[before]) ?? '') ||
		others.some((other) => other.at.at(-1) === before);
	return text === 'background' || (rims.has(text) && isObject);
}

const parts = new Set(['half', 'third', 'quarter', 'side', 'part', 'corner', 'edge']);

/** `turn the left half into a sketch` turns nothing left. */
function isCutShort(tokens: readonly Token[], { at }: Match): boolean {
	const last = at.at(-1) as number;
	const isSide = at.length > 1 && sideWords.has(wordOf(tokens[last]) ?? '');
	return isSide && parts.has(wordOf(tokens[last + 1]) ?? '');
}

/**
 * `size 20` behind an operation is its own size, not that of the picture: such a clause carries the one before on. A size of the picture
 * has two sides, a share, or is large.
 */
export function asMeasure(clause: Clause, previous: Clause | undefined): Clause {
	const isSize = clause.called.length === 1 && wordOf(clause.called[0]) === 'size';
	const numbers = clause.words.filter((token) => token.kind !== 'word');
	const [number] = numbers;
	if (!isSize || previous === undefined || previous.verbs.some(({ size }) => size)) return clause;
	if (numbers.length !== 1 || number?.kind !== 'number' || number.unit === '%') return clause;
	const takesNone = previous.verbs.every(({ takes }) => Object.keys(takes).length === 0);
	const isPlain = clause.before.every((token) => directionOf(wordOf(token) ?? '') === undefined);
	if (!isPlain || (takesNone && number.value >= 100)) return clause;
	return { ...clause, verbs: [], called: [], before: [], isMeasure: true };
}

const sideWords = new Set(['left', 'right', 'top', 'bottom', 'upper', 'lower']);

/** What has a size of its own. */
const types = new Set('font text type letter letters lettering border frame block dot brush'.split(' '));

function hasLength({ size, takes }: Verb): boolean {
	return size === undefined && Object.keys(takes).length > 0;
}

function splitVerbs(tokens: readonly Token[], find: Finder): readonly Clause[] {
	const found: Match[] = [];
	for (let at = 0; at < tokens.length; at++) {
		const match = find(tokens, at);
		if (!match || isCutShort(tokens, match)) continue;
		const last = found.at(-1);
		// `font size 20` and `text "Hi" in size 20`.
		const isMeasure = match.at.length === 1 && wordOf(tokens[at]) === 'size';
		if (isMeasure && (last?.verbs.every(hasLength) || types.has(wordOf(tokens[at - 1]) ?? ''))) continue;
		const absorbed = last?.verbs.some(({ absorbs }) => match.verbs.some(({ name }) => absorbs?.includes(name)));
		// `soft blur` and `halftone dots` say the same thing twice.
		const repeated = last?.verbs.some((verb) => match.verbs.includes(verb));
		if (last && repeated) found[found.length - 1] = { ...last, at: [...last.at, ...match.at] };
		else if (!absorbed) found.push(match);
		at = match.at.at(-1) as number;
	}
	const matches = found.filter((match) => found.length === 1 || !isScope(tokens, match, found));
	if (matches.length === 0) return [{ verbs: [], words: tokens, before: [], from: 0, called: [], all: tokens }];
	let least = 0;
	const starts = matches.map(({ at }, index) => {
		const start = index === 0 ? 0 : startOf(tokens, at[0] as number, least);
		least = (at.at(-1) as number) + 1;
		return start;
	});
	return matches.map(({ verbs, at }, index) => {
		const [start, end] = [starts[index] as number, starts[index + 1] ?? tokens.length];
		const own = tokens.slice(start, end);
		const words = own.filter((_, i) => !at.includes(start + i) && !describesColor(own, i));
		return {
			verbs,
			words,
			before: tokens.slice(start, at[0]),
			from: tokens[at.at(-1) as number]?.end ?? 0,
			called: at.map((place) => tokens[place] as Token),
			all: own,
		};
	});
}
