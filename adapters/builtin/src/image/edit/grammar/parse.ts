import { asMeasure, type Clause, splitClauses } from './clauses.ts';
import { directionOf, isNegation } from './fillers.ts';
import {
	best,
	bestSilent,
	isIdle,
	type Outcome,
	passages,
	type SilentVerbs,
	type Understood,
	understood,
} from './outcome.ts';
import type { Finder } from './phrases.ts';
import { isWord } from './reader.ts';
import { carriedWord, isBare, type Opposites, reversalOf } from './reversal.ts';
import { type Token, tokenize } from './tokens.ts';
import type { Corrector } from './typos.ts';
import { plainWording } from './wording.ts';

/** What a prompt asks for. */
export interface Parsed {
	readonly operations: readonly Understood[];
	/** Passages that nobody understood, as they were written. */
	readonly unknown: readonly string[];
	/** What was understood and cannot be done, one ending of a sentence each: `collage needs a second picture`. */
	readonly lacking: readonly string[];
	/** Numbers that had to be brought within bounds, one sentence each. */
	readonly notes: readonly string[];
}

/** More of them are not done: a prompt of 32,000 characters holds thousands. */
export const MAX_OPERATIONS = 24;

/** Words that a clause may have which another one carries on: all of them are read again, so that more would not take linear time. */
const MOST_JOINED = 64;

/** What prompts are read with. */
export interface Language {
	readonly find: Finder;
	/** The rows that a clause without any phrase may mean, if it says all that they need and nothing else. */
	readonly silent?: SilentVerbs;
	readonly opposites?: Opposites;
	/** Reads mistyped words as what was meant. */
	readonly correct?: Corrector;
}

/** The operation that was read last. */
interface Last {
	readonly clause: Clause;
	readonly done: boolean;
	/** `remove`, where it still holds for bare words that follow. */
	readonly carries?: string;
	/** Its opposite was done, so that nothing can carry it on. */
	readonly isReversed?: true;
	/** It came from `too dark`: what follows may say the same as a command. */
	readonly complains?: boolean;
}

/** Reads a prompt. Takes linear time in its length. */
export function parsePrompt(prompt: string, language: Language): Parsed {
	const { find, silent = {}, opposites = {}, correct } = language;
	const operations: Understood[] = [];
	const [unknown, lacking, notes]: [string[], string[], string[]] = [[], [], []];
	let last: Last | undefined;
	let isPuzzled = false;
	const say = (tokens: readonly Token[]): void => {
		for (const part of passages(prompt, tokens)) unknown.push(part);
	};
	const tokens = plainWording(tokenize(prompt));
	for (const found of splitClauses(correct?.(tokens) ?? tokens, find)) {
		const clause = asMeasure(found, last?.clause);
		const { words, before } = clause;
		if (words.every(isIdle) && clause.verbs.length === 0) continue;
		const between = last && prompt.slice(endOf(last.clause), clause.all[0]?.start);
		const isListed = last?.carries !== undefined && isBare(clause, last.clause, between ?? '');
		const carried = isListed ? last?.carries : undefined;
		const reversed = reversalOf(clause, opposites, carried);
		if (reversed) {
			const { clause: opposite, args, carries } = reversed;
			const outcome = opposite && best(prompt, opposite);
			const made = outcome?.verb && understood({ ...outcome, args: { ...outcome.args, ...args } });
			// Noise and grain are one thing.
			const isSaid = made && carried && operations.at(-1)?.verb === made.verb;
			if (made && !isSaid) operations.push(made);
			if (!made) lacking.push(reversed.lacks);
			say(outcome?.left ?? []);
			last = { clause, done: false, carries, isReversed: true };
			continue;
		}
		if (before.some((token) => isWord(token) && isNegation(token.text))) {
			say(clause.all);
			last = undefined;
			isPuzzled = true;
			continue;
		}
		const joined = last && !last.isReversed && continueClause(prompt, last.clause, clause, last.done);
		if (joined && last) {
			if (joined.again) operations.push(joined.outcome);
			else if (last.done) operations[operations.length - 1] = joined.outcome;
			else operations.push(joined.outcome);
			if (!last.done) lacking.pop();
			last = { clause: joined.clause, done: true };
			continue;
		}
		const outcome: Outcome =
			clause.verbs.length > 0
				? best(prompt, withDirection(clause, last?.clause, isListed))
				: bestSilent(prompt, clause, isPuzzled ? { ...silent, color: [] } : silent);
		isPuzzled = !outcome.verb;
		if (!outcome.verb) {
			if (outcome.lacks) lacking.push(outcome.lacks);
			say(outcome.lacks ? outcome.left : clause.all);
		} else {
			const made = understood(outcome);
			if (last?.complains && isSameMeasure(operations.at(-1), made)) operations.pop();
			operations.push(made);
			notes.push(...outcome.notes.map((note) => `${outcome.verb?.name}: ${note}`));
			say(outcome.left);
		}
		const carries = carried ?? carriedWord(clause);
		last =
			clause.verbs.length > 0
				? {
						clause,
						done: outcome.verb !== undefined,
						...(carries && { carries }),
						complains: clause.before.some((token) => isComplaint(prompt, token)),
					}
				: undefined;
	}
	if (operations.length > MAX_OPERATIONS) {
		notes.push(`Only the first ${MAX_OPERATIONS} of ${operations.length} operations were done.`);
	}
	return { operations: operations.slice(0, MAX_OPERATIONS), unknown, lacking, notes };
}

function endOf({ all }: Clause): number {
	return all.at(-1)?.end ?? 0;
}

/** Whether a word of more or less was written as `too`, or as `not … enough`. */
function isComplaint(prompt: string, { start, end }: Token): boolean {
	return /^(?:too|not|\w+n['’]t)\b/i.test(prompt.slice(start, end));
}

function isSameMeasure(one: Understood | undefined, other: Understood): boolean {
	const measureOf = ({ verb, args }: Understood): string => verb.say(args as never).replace(/\s.*/, '');
	return one !== undefined && measureOf(one) === measureOf(other);
}

/** A clause without a verb carries on the one before: `crop 200x200, top left`, `flip horizontally and vertically`, `increase brightness and contrast`. */
function continueClause(
	prompt: string,
	previous: Clause,
	clause: Clause,
	done: boolean,
): { outcome: Understood; clause: Clause; again: boolean } | undefined {
	if (clause.verbs.length > 0 || previous.words.length > MOST_JOINED) return undefined;
	const { verbs, before, from, called } = previous;
	const together = [...previous.words, ...clause.words];
	const joined: Clause = {
		verbs,
		before,
		from,
		called,
		words: together,
		all: [...previous.all, ...clause.all],
	};
	const alone: Clause = { verbs, before, from, called, words: clause.words, all: clause.all };
	for (const [candidate, again] of [
		[joined, false],
		[alone, true],
	] as const) {
		if (again && (!done || clause.isMeasure)) continue;
		const outcome = best(prompt, candidate);
		if (outcome.verb && outcome.left.length === 0 && !outcome.target) {
			return { outcome: understood(outcome), clause: candidate, again };
		}
	}
	return undefined;
}

const measures = new Set(
	'brightness contrast saturation exposure gamma warmth temperature vibrance highlights shadows opacity'.split(' '),
);

/** `reduce brightness and contrast` reduces both: a measure, or a bare word in a list, takes the direction of the clause before if it has none. */
function withDirection(clause: Clause, previous: Clause | undefined, isListed: boolean): Clause {
	const measure = clause.all.find((token) => !isIdle(token));
	const isPlain = clause.words.every((token) => !isWord(token) || directionOf(token.text) === undefined);
	const given = previous?.before.find((token) => isWord(token) && directionOf(token.text));
	const takes = isListed || (measure && isWord(measure) && measures.has(measure.text));
	if (!given || !isPlain || !takes) return clause;
	return { ...clause, words: [given, ...clause.words], before: [given, ...clause.before] };
}
