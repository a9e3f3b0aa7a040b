import { flattened } from './glyphs.ts';

/** Gives texts back the quotation marks and dashes that an engine has flattened to ASCII. */
export type Restore = (text: string) => string;

const contexts = [
	[4, 4],
	[3, 3],
	[2, 2],
	[5, 0],
	[0, 5],
	[1, 3],
	[3, 1],
] as const;
const maxKnown = 1_000_000;
const plain = new Set(flattened.values());
const isPlain = /["'-]/;

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
		const letters = lettersOf(text);
		for (const { mark, at } of letters.marks) {
			if (known.size > maxKnown) break;
			isNeeded ||= flattened.has(mark);
			for (const key of keysOf(letters.text, at, mark)) {
				const before = known.get(key);
				known.set(key, before === undefined || before === mark ? mark : '');
			}
		}
	}
	return isNeeded ? (text) => restored(text, known) : undefined;
}

interface Letters {
	/** Only ASCII letters and digits: all engines agree on them. */
	readonly text: string;
	readonly marks: readonly { readonly mark: string; readonly at: number; readonly index: number }[];
}

function lettersOf(source: string): Letters {
	let text = '';
	const marks: { mark: string; at: number; index: number }[] = [];
	for (let index = 0; index < source.length; index++) {
		const character = source[index] as string;
		if (/[A-Za-z0-9]/.test(character)) text += character;
		else if (plain.has(character) || flattened.has(character))
			marks.push({ mark: character, at: text.length, index });
	}
	return { text, marks };
}

function keysOf(text: string, at: number, mark: string): string[] {
	const kind = flattened.get(mark) ?? mark;
	return contexts
		.filter(([before, after]) => at >= before && at + after <= text.length)
		.map(
			([before, after]) =>
				`${kind}${text.slice(at - before, at)}|${text.slice(at, at + after)}|${before}${after}`,
		);
}

function restored(source: string, known: ReadonlyMap<string, string>): string {
	if (!isPlain.test(source)) return source;
	const { text, marks } = lettersOf(source);
	let result = '';
	let from = 0;
	for (const { mark, at, index } of marks) {
		const found = keysOf(text, at, mark)
			.map((key) => known.get(key))
			.find((candidate) => candidate !== undefined && candidate !== '');
		result += source.slice(from, index) + (found ?? mark);
		from = index + 1;
	}
	return result + source.slice(from);
}
