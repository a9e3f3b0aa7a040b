import type { Clause } from './clauses.ts';
import { directionOf, isFiller } from './fillers.ts';
import type { Parameters } from './parameters.ts';
import { isWord, Reader } from './reader.ts';
import { INSEPARABLE } from './reversal.ts';
import { type Scope, takeRegion, takeScope } from './scope.ts';
import { targetOf } from './target.ts';
import { type Token, type WordToken, wordOf } from './tokens.ts';
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

/** What one row makes of a clause. Without a row, nothing is done. */
export interface Outcome extends Partial<Understood> {
	readonly left: readonly Token[];
	/** What is lacking, as the end of a sentence. */
	readonly lacks?: string;
	readonly target?: string;
	readonly notes: readonly string[];
}

/** Rows that clauses without a phrase may mean, by what such a clause holds. */
export type SilentVerbs = Partial<
	Readonly<Record<'text' | 'image' | 'size' | 'ratio' | 'color' | 'span', readonly Verb[]>>
>;

/** An outcome that has a row, as an operation. */
export function understood({ verb, args, scope, target }: Outcome): Understood {
	return {
		verb: verb as Verb,
		args: args ?? {},
		...(scope && { scope }),
		...(target && { target }),
	};
}

/** The row that leaves the fewest words over. */
export function best(prompt: string, clause: Clause): Outcome {
	const outcomes = clause.verbs.map((verb) => read(prompt, verb, clause));
	const able = outcomes.filter(({ verb }) => verb);
	const pool = able.length > 0 ? able : outcomes;
	const nothing: Outcome = { left: clause.words, notes: [] };
	return pool.reduce((a, b) => (b.left.length < a.left.length ? b : a), pool[0] ?? nothing);
}

/** `make the white parts black`: two colours and no verb. Counts only if nothing is left over. */
export function bestSilent(prompt: string, clause: Clause, silent: SilentVerbs): Outcome {
	const holds = clause.words.map((token) => (isWord(token) ? silentKind(token) : token.kind));
	const kind = (['text', 'image', 'size', 'ratio', 'color', 'span'] as const).find((one) => holds.includes(one));
	const lessened = kind === 'color' && clause.words.find((token) => directionOf(wordOf(token) ?? '') === -1);
	if (lessened) {
		const said = passages(prompt, clause.words).join(' ');
		return { left: [], lacks: `${said} (${INSEPARABLE})`, notes: [] };
	}
	const found = (kind ? (silent[kind] ?? []) : [])
		.map((verb) => read(prompt, verb, clause))
		.find(({ verb, left, scope, target }) => {
			const isWhole = scope === undefined || scope === 'mask' || typeof scope === 'object';
			return verb && isWhole && left.length === 0 && !target;
		});
	return found ?? { left: clause.words, notes: [] };
}

const spans = new Set('wide tall high width height smaller larger bigger half double twice square'.split(' '));

function silentKind({ text, color }: WordToken): 'color' | 'span' | undefined {
	return color ? 'color' : spans.has(text) ? 'span' : undefined;
}

function read(prompt: string, verb: Verb, { words, from, called, all }: Clause): Outcome {
	const reader = new Reader(prompt, words, from, called);
	const args: Record<string, unknown> = {};
	// Before the parameters: `lower` is a direction, but not in `darken the lower half`.
	const region = isPlaced(verb) ? undefined : takeRegion(reader);
	for (const [name, parameter] of Object.entries(verb.takes as Parameters)) {
		args[name] = parameter.read(reader);
	}
	const scope = takeScope(reader) ?? region;
	const left = reader.left.filter((token) => !isIdle(token));
	// Another colour than the one that is meant would be worse than none.
	const isNoColor = left.some((token) => wordOf(token)?.startsWith('#'));
	const lacks = isNoColor ? 'a colour' : verb.lacks?.(args as never);
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

/** Whether a token says nothing about what to do. */
export function isIdle(token: Token): boolean {
	return token.kind === 'break' || (isWord(token) && (isFiller(token.text) || token.text === 'and'));
}

/** Words that stand together, as they were written, without fillers around them. */
export function passages(prompt: string, tokens: readonly Token[]): readonly string[] {
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
