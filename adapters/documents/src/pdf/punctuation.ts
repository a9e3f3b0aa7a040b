import { flattened } from './glyphs.ts';

/** Gives texts back the quotation marks and dashes that an engine has flattened to ASCII. */
export type Restore = (text: string) => string;

/** How many letters before and after a mark tell it from others. */
const contexts = [
	[4, 4],
	[3, 3],
	[2, 2],
	[5, 0],
	[0, 5],
	[1, 3],
	[3, 1],
] as const;
const longest = 5;
/** How far from a mark its letters may stand. */
const reach = 40;
const maxKnown = 1_000_000;
const isPlain = /["'-]/;
const anyMark = new RegExp(`["'${[...flattened.keys()].join('')}-]`, 'g');

/** Whether a text holds marks that may have been others. */
export function hasPlainMarks(text: string): boolean {
	return isPlain.test(text);
}

/**
 * Learns from texts with the right marks which mark stands between which letters. Two marks in the same surroundings cancel each other: then the
 * text stays as it is.
 */
export function restorerFrom(texts: readonly string[]): Restore | undefined {
	const known = new Map<string, string>();
	let isNeeded = false;
	for (const text of texts) {
		for (const { 0: mark, index } of text.matchAll(anyMark)) {
			if (known.size > maxKnown) break;
			isNeeded ||= flattened.has(mark);
			for (const key of keysOf(text, index, mark)) {
				const before = known.get(key);
				known.set(key, before === undefined || before === mark ? mark : '');
			}
		}
	}
	return isNeeded ? (text) => restored(text, known) : undefined;
}

function restored(source: string, known: ReadonlyMap<string, string>): string {
	if (!isPlain.test(source)) return source;
	return source.replace(anyMark, (mark, index: number) => {
		const found = keysOf(source, index, mark)
			.map((key) => known.get(key))
			.find((candidate) => candidate !== undefined && candidate !== '');
		return found ?? mark;
	});
}

function keysOf(text: string, at: number, mark: string): string[] {
	const kind = flattened.get(mark) ?? mark;
	const [left, right] = [lettersBefore(text, at), lettersAfter(text, at)];
	return contexts
		.filter(([before, after]) => left.length >= before && right.length >= after)
		.map(([before, after]) => `${kind}${left.slice(left.length - before)}|${right.slice(0, after)}|${before}${after}`);
}

// Only ASCII letters and digits: all engines agree on them.
function lettersBefore(text: string, at: number): string {
	let found = '';
	const end = Math.max(0, at - reach);
	for (let index = at - 1; index >= end && found.length < longest; index--)
		if (isLetter(text.charCodeAt(index))) found = text[index] + found;
	return found;
}

function lettersAfter(text: string, at: number): string {
	let found = '';
	const end = Math.min(text.length, at + reach);
	for (let index = at + 1; index < end && found.length < longest; index++)
		if (isLetter(text.charCodeAt(index))) found += text[index];
	return found;
}

function isLetter(code: number): boolean {
	const small = code | 32;
	return (small >= 97 && small <= 122) || (code >= 48 && code <= 57);
}
