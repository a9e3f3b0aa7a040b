import { directionOf, isColorModifier, isFiller, isNegation, strengthOf } from './fillers.ts';
import { isWord } from './reader.ts';
import { stem } from './stem.ts';
import type { Token } from './tokens.ts';
import type { Verb } from './verb.ts';

/** A phrase of the table, found in a clause. */
export interface Match {
	/** Rows that this phrase may mean, in the order of the table. */
	readonly verbs: readonly Verb[];
	/** The places of its words among the tokens; other words of the clause may stand between. */
	readonly at: readonly number[];
}

interface Phrase {
	readonly words: readonly { readonly text: string; readonly exact: boolean }[];
	readonly verbs: Verb[];
}

/** Finds the phrases of a table in tokens. */
export type Finder = (tokens: readonly Token[], from: number) => Match | undefined;

/** How many fillers may stand between two words of a phrase: `remove the whole of the background`. */
const GAP = 4;

/** Makes the finder of a table: the longest phrase that starts at a token wins. */
export function createFinder(verbs: readonly Verb[]): Finder {
	const byFirst = new Map<string, Phrase[]>();
	const byText = new Map<string, Phrase>();
	for (const verb of verbs) {
		for (const text of verb.phrases) {
			const words = text.split(/[\s-]+/).map(phraseWord);
			// By stems: `paint` and `painting` are one phrase with two meanings.
			const key = words.map(({ text: word, exact }) => (exact ? `=${word}` : word)).join(' ');
			const known = byText.get(key);
			if (!known) byText.set(key, { words, verbs: [verb] });
			else if (!known.verbs.includes(verb)) known.verbs.push(verb);
		}
	}
	const phrases = [...byText.values()].sort((a, b) => weight(b) - weight(a));
	for (const phrase of phrases) {
		const first = (phrase.words[0] as Phrase['words'][number]).text;
		const key = phrase.words[0]?.exact ? stem(first) : first;
		byFirst.set(key, [...(byFirst.get(key) ?? []), phrase]);
	}
	return (tokens, from) => {
		const token = tokens[from];
		if (token?.kind !== 'word' || describesColor(tokens, from)) return undefined;
		for (const phrase of byFirst.get(token.stem) ?? []) {
			const at = matchPhrase(phrase, tokens, from);
			if (at) return { verbs: phrase.verbs, at };
		}
		return undefined;
	};
}

function phraseWord(word: string): Phrase['words'][number] {
	return word.startsWith('=') ? { text: word.slice(1), exact: true } : { text: stem(word), exact: false };
}

function weight({ words }: Phrase): number {
	return words.length * 10 + (words[0]?.exact ? 1 : 0);
}

function matchPhrase({ words }: Phrase, tokens: readonly Token[], from: number): readonly number[] | undefined {
	const at: number[] = [];
	let next = from;
	for (const word of words) {
		const limit = at.length === 0 ? next : next + GAP;
		for (;;) {
			const token = tokens[next];
			if (!token || !isWord(token)) return undefined;
			if ((word.exact ? token.text : token.stem) === word.text) break;
			if (next >= limit || !(isFiller(token.text) || token.color || strengthOf(token.text))) return undefined;
			next++;
		}
		at.push(next++);
	}
	return at;
}

/** Whether a word only describes the colour behind it: `bright red`. */
export function describesColor(tokens: readonly Token[], at: number): boolean {
	const [token, after] = [tokens[at], tokens[at + 1]];
	if (!token || !isWord(token) || !after) return false;
	return isColorModifier(token.stem) && isWord(after) && after.color !== undefined;
}

/** Where the part of a verb begins: `slightly less` in front of it is its own. */
export function startOf(tokens: readonly Token[], verbAt: number, least: number): number {
	let start = verbAt;
	while (start > least) {
		const token = tokens[start - 1];
		if (!token || !isWord(token) || !leads(token.text)) break;
		start--;
	}
	return start;
}

function leads(word: string): boolean {
	return isFiller(word) || isNegation(word) || strengthOf(word) !== undefined || directionOf(word) !== undefined;
}
