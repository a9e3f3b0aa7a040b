import type { Clause } from './clauses.ts';
import { splitClauses } from './clauses.ts';
import { directionOf, isFiller, isNegation } from './fillers.ts';
import type { Parameters } from './parameters.ts';
import type { Finder } from './phrases.ts';
import { isWord, Reader } from './reader.ts';
import { type Scope, takeRegion, takeScope } from './scope.ts';
import { targetOf } from './target.ts';
import { type Token, tokenize } from './tokens.ts';
import type { Verb } from './verb.ts';

/** An operation that was understood, with what it takes. */
export interface Understood {
	readonly verb: Verb;
	readonly args: Readonly<Record<string, unknown>>;
	/** Only this part of the picture is to change. */
	readonly scope?: Scope;
	/** A part that it aims at and that nobody can find, as it was written: `sky`. */
	readonly target?: string;
}

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

/** Rows that clauses without a phrase may mean, by what such a clause holds. */
export type SilentVerbs = Partial<
	Readonly<Record<'text' | 'image' | 'size' | 'color', readonly Verb[]>>
>;

interface Outcome extends Partial<Understood> {
	readonly left: readonly Token[];
	readonly lacks?: string;
	readonly target?: string;
	readonly notes: readonly string[];
}

/**
 * Reads a prompt with the table behind `find`. `silent` are the rows that a clause without any phrase may mean, if it says all that they
 * need and nothing else. Takes linear time in the length of the prompt.
 */
export function parsePrompt(prompt: string, find: Finder, silent: SilentVerbs = {}): Parsed {
	const operations: Understood[] = [];
	const [unknown, lacking, notes]: [string[], string[], string[]] = [[], [], []];
	let last: { clause: Clause; done: boolean } | undefined;
	const say = (tokens: readonly Token[]): void => {
		for (const part of passages(prompt, tokens)) unknown.push(part);
	};
	for (const clause of splitClauses(tokenize(prompt), find)) {
		const { words, before } = clause;
		if (words.every(isIdle) && clause.verbs.length === 0) continue;
		if (before.some((token) => isWord(token) && isNegation(token.text))) {
			say(clause.all);
			last = undefined;
			continue;
		}
		const joined = last && continueClause(prompt, last.clause, clause, last.done);
		if (joined && last) {
			if (joined.again) operations.push(joined.outcome);
			else if (last.done) operations[operations.length - 1] = joined.outcome;
			else operations.push(joined.outcome);
			if (!last.done) lacking.pop();
			last = { clause: joined.clause, done: true };
			continue;
		}
		const outcome =
			clause.verbs.length > 0
				? best(prompt, withDirection(clause, last?.clause))
				: bestSilent(prompt, clause, silent);
		if (!outcome.verb) {
			if (outcome.lacks) lacking.push(outcome.lacks);
			say(outcome.lacks ? outcome.left : clause.all);
		} else {
			operations.push(understood(outcome));
			notes.push(...outcome.notes.map((note) => `${outcome.verb?.name}: ${note}`));
			say(outcome.left);
		}
		last = clause.verbs.length > 0 ? { clause, done: outcome.verb !== undefined } : undefined;
	}
	if (operations.length > MAX_OPERATIONS) {
		notes.push(`Only the first ${MAX_OPERATIONS} of ${operations.length} operations were done.`);
	}
	return { operations: operations.slice(0, MAX_OPERATIONS), unknown, lacking, notes };
}

function understood({ verb, args, scope, target }: Outcome): Understood {
	return {
		verb: verb as Verb,
		args: args ?? {},
		...(scope && { scope }),
		...(target && { target }),
	};
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
		if (again && !done) continue;
		const outcome = best(prompt, candidate);
		if (outcome.verb && outcome.left.length === 0 && !outcome.target) {
			return { outcome: understood(outcome), clause: candidate, again };
		}
	}
	return undefined;
}

const measures = new Set(
	'brightness contrast saturation exposure gamma warmth temperature vibrance highlights shadows opacity'.split(
		' ',
	),
);

/** `reduce brightness and contrast` reduces both: a measure without a direction takes that of the clause before. */
function withDirection(clause: Clause, previous: Clause | undefined): Clause {
	const measure = clause.all.find((token) => !isIdle(token));
	const isPlain = clause.words.every(
		(token) => !isWord(token) || directionOf(token.text) === undefined,
	);
	const given = previous?.before.find((token) => isWord(token) && directionOf(token.text));
	if (!given || !isPlain || !measure || !isWord(measure) || !measures.has(measure.text))
		return clause;
	return { ...clause, words: [given, ...clause.words], before: [given, ...clause.before] };
}

/** The row that leaves the fewest words over. */
function best(prompt: string, clause: Clause): Outcome {
	const outcomes = clause.verbs.map((verb) => read(prompt, verb, clause));
	const able = outcomes.filter(({ verb }) => verb);
	const pool = able.length > 0 ? able : outcomes;
	const nothing: Outcome = { left: clause.words, notes: [] };
	return pool.reduce((a, b) => (b.left.length < a.left.length ? b : a), pool[0] ?? nothing);
}

/** `make the white parts black`: two colours and no verb. Counts only if nothing is left over. */
function bestSilent(prompt: string, clause: Clause, silent: SilentVerbs): Outcome {
	const holds = clause.words.map((token) =>
		isWord(token) ? (token.color ? 'color' : undefined) : token.kind,
	);
	const kind = (['text', 'image', 'size', 'color'] as const).find((one) => holds.includes(one));
	const found = (kind ? (silent[kind] ?? []) : [])
		.map((verb) => read(prompt, verb, clause))
		.find(({ verb, left, scope, target }) => {
			const isWhole = scope === undefined || scope === 'mask' || typeof scope === 'object';
			return verb && isWhole && left.length === 0 && !target;
		});
	return found ?? { left: clause.words, notes: [] };
}

function read(prompt: string, verb: Verb, { words, from, called, all }: Clause): Outcome {
	const reader = new Reader(prompt, words, from);
	const args: Record<string, unknown> = {};
	// Before the parameters: `lower` is a direction, but not in `darken the lower half`.
	const region = isPlaced(verb) ? undefined : takeRegion(reader);
	for (const [name, parameter] of Object.entries(verb.takes as Parameters)) {
		args[name] = parameter.read(reader);
	}
	const scope = takeScope(reader) ?? region;
	const left = reader.left.filter((token) => !isIdle(token));
	const lacks = verb.lacks?.(args as never);
	const { notes } = reader;
	if (lacks) return { left, lacks: `${verb.name} needs ${lacks}`, notes };
	const aimed = verb.anywhere ? undefined : targetOf(all, left, called);
	if (!aimed) return { verb, args, left, notes, ...(scope && { scope }) };
	const [first, last] = [aimed[0] as Token, aimed.at(-1) as Token];
	return {
		verb,
		args,
		left: left.filter((token) => !aimed.includes(token)),
		notes,
		target: prompt.slice(first.start, last.end),
		...(scope && { scope }),
	};
}

/** Whether words of place are its own, or it has no place. */
function isPlaced({ size, takes }: Verb): boolean {
	return size !== undefined || Object.values(takes).some(({ placed }) => placed);
}

function isIdle(token: Token): boolean {
	return (
		token.kind === 'break' || (isWord(token) && (isFiller(token.text) || token.text === 'and'))
	);
}

/** Words that stand together, as they were written, without fillers around them. */
function passages(prompt: string, tokens: readonly Token[]): readonly string[] {
	const found: string[] = [];
	let [start, end] = [-1, -1];
	const close = (): void => {
		if (start >= 0) found.push(prompt.slice(start, end).replace(/\s+/g, ' ').trim());
		start = -1;
	};
	for (const token of tokens) {
		if (start >= 0 && /\S/.test(prompt.slice(end, token.start))) close();
		if (start < 0 && isIdle(token)) continue;
		if (start < 0) start = token.start;
		end = token.end;
	}
	close();
	return found;
}
