import { createContext, Script } from 'node:vm';

const evaluationMs = 100;
const longestText = 2_000;
/** Patterns that took too long twice are not run again, and after some of them no other is for a while. */
const strikes = { most: 4, withinMs: 1_000, remembered: 200 };
const slow: { readonly pattern: string; readonly at: number }[] = [];
const script = new Script('new RegExp(pattern, "u").test(text)');
const context = createContext(Object.create(null));

/**
 * Whether a text matches a pattern of JSON Schema; undefined when the pattern is broken, or takes too long. Patterns come from
 * callers, and some make a regular expression run for hours: all but plain ones run under a deadline.
 */
export function matchesPattern(pattern: string, text: string): boolean | undefined {
	if (text.length > longestText) return undefined;
	const isFast = isPlain(pattern) && text.length <= 256;
	if (!isFast && isRefused(pattern)) return undefined;
	try {
		return isFast ? new RegExp(pattern, 'u').test(text) : underDeadline(pattern, text);
	} catch (error) {
		if (isTimeout(error)) strike(pattern);
		return undefined;
	}
}

function underDeadline(pattern: string, text: string): boolean {
	Object.assign(context, { pattern, text });
	return script.runInContext(context, { timeout: evaluationMs }) === true;
}

/** At most three parts that may repeat, none of them a group, and nothing that looks around or back: at worst the cube of the length. */
function isPlain(pattern: string): boolean {
	if (/\(\?[=!<]|\\[1-9k]/.test(pattern)) return false;
	const bare = pattern.replace(/\\./gs, 'x').replace(/\[[^\]]*\]/g, 'x');
	const repeats = bare.match(/[*+]|\{\d+,\d*\}/g)?.length ?? 0;
	const options = bare.match(/\?/g)?.length ?? 0;
	const repeatsGroup = /\)(?:[*+]|\{)/.test(bare);
	return repeats <= 3 && options <= 8 && !repeatsGroup;
}

function isRefused(pattern: string): boolean {
	const since = performance.now() - strikes.withinMs;
	const own = slow.filter((one) => one.pattern === pattern).length;
	return own > 1 || slow.filter((one) => one.at > since).length >= strikes.most;
}

function isTimeout(error: unknown): boolean {
	return (error as { readonly code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

function strike(pattern: string): void {
	slow.push({ pattern, at: performance.now() });
	if (slow.length > strikes.remembered) slow.shift();
}

/** A short text that a simple pattern matches: literals, classes, groups, alternatives and quantifiers; undefined for others. */
export function textFor(pattern: string): string | undefined {
	if (pattern.length > 500 || /\(\?[=!<]|\\[1-9bBpPku]/.test(pattern)) return undefined;
	const reader = new PatternReader(pattern);
	const text = reader.alternatives();
	return reader.isDone && matchesPattern(pattern, text) ? text : undefined;
}

/** Reads a pattern from left to right and makes the least text of each part. */
class PatternReader {
	#at = 0;
	readonly #pattern: string;

	constructor(pattern: string) {
		this.#pattern = pattern;
	}

	get isDone(): boolean {
		return this.#at >= this.#pattern.length;
	}

	/** The first of several alternatives; the others are read over. */
	alternatives(): string {
		const first = this.#sequence();
		while (this.#take('|')) this.#sequence();
		return first;
	}

	#sequence(): string {
		let text = '';
		while (!this.isDone && !['|', ')'].includes(this.#next)) text += this.#repeated(this.#atom());
		return text;
	}

	get #next(): string {
		return this.#pattern[this.#at] ?? '';
	}

	#take(expected: string): boolean {
		if (!this.#pattern.startsWith(expected, this.#at)) return false;
		this.#at += expected.length;
		return true;
	}

	#atom(): string {
		if (this.#take('^') || this.#take('$')) return '';
		if (this.#take('(')) {
			this.#take('?:');
			const inside = this.alternatives();
			this.#take(')');
			return inside;
		}
		if (this.#take('[')) return this.#class();
		if (this.#take('\\')) return escaped(this.#read());
		if (this.#take('.')) return 'x';
		return this.#read();
	}

	#read(): string {
		return this.#pattern[this.#at++] ?? '';
	}

	#class(): string {
		const end = closing(this.#pattern, this.#at);
		const inside = this.#pattern.slice(this.#at, end);
		this.#at = end + 1;
		if (inside.startsWith('^')) return ['x', '0', '-', ' '].find((one) => matchesPattern(`^[${inside}]$`, one)) ?? '';
		return inside.startsWith('\\') ? escaped(inside[1] ?? '') : (inside[0] ?? '');
	}

	#repeated(atom: string): string {
		const quantifier = /^(?:[*+?]|\{(\d+)(?:,\d*)?\})\??/.exec(this.#pattern.slice(this.#at, this.#at + 20));
		if (!quantifier) return atom;
		this.#at += quantifier[0].length;
		const [mark, least] = quantifier;
		const times = least === undefined ? (mark.startsWith('+') ? 1 : 0) : Number(least);
		return atom.repeat(Math.min(times, 1_000));
	}
}

function closing(pattern: string, from: number): number {
	let at = from;
	while (at < pattern.length && (pattern[at] !== ']' || at === from)) at += pattern[at] === '\\' ? 2 : 1;
	return at;
}

function escaped(letter: string): string {
	return { d: '0', w: 'x', s: ' ', D: 'x', W: '-', S: 'x', n: '\n', t: '\t' }[letter] ?? letter;
}
