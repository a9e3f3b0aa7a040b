import { countedAs } from '../flow/numbers.ts';

/** The kinds of numbers that lists have. */
export type NumberKind = 'decimal' | 'lowerLetter' | 'upperLetter' | 'lowerRoman' | 'upperRoman';

/** Writes the number of a list item: `7`, `g`, `VII`. Numbers that letters would write at great length become digits. */
export function numeral(value: number, kind: NumberKind): string {
	const isSmall = Number.isInteger(value) && value > 0 && value < 5_000;
	if (kind === 'decimal' || !isSmall) return String(value);
	const text = kind.endsWith('Letter') ? letters(value) : countedAs(value, 'i');
	return kind.startsWith('upper') ? text.toUpperCase() : text;
}

/** a … z, aa, bb …: Office repeats the letter. */
function letters(value: number): string {
	const letter = String.fromCharCode(97 + ((value - 1) % 26));
	return letter.repeat(Math.min(20, Math.ceil(value / 26)));
}
