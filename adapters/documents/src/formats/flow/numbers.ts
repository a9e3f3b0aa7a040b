/** How the items of a list are counted. */
export type Counting = '1' | 'a' | 'A' | 'i' | 'I';

/** A number as a list shows it: `3`, `c`, `C`, `iii`, `III`. Numbers that letters or Roman figures cannot show are given in digits. */
export function countedAs(number: number, counting: Counting): string {
	if (counting === '1' || number < 1 || number > 3_999) return String(number);
	const small = counting === 'a' || counting === 'A' ? letters(number) : roman(number);
	return counting === 'A' || counting === 'I' ? small.toUpperCase() : small;
}

/** The counting that a document names, digits if it names none that we know. */
export function countingOf(name: string | undefined): Counting {
	return name === 'a' || name === 'A' || name === 'i' || name === 'I' ? name : '1';
}

/** A whole number that a document writes, as far as a list can reach it. */
export function listNumber(text: string | undefined): number | undefined {
	const number = Number.parseInt(text ?? '', 10);
	return Math.abs(number) < 2 ** 31 ? number : undefined;
}

function letters(number: number): string {
	let text = '';
	for (let rest = number; rest > 0; rest = Math.floor((rest - 1) / 26)) {
		text = String.fromCharCode(97 + ((rest - 1) % 26)) + text;
	}
	return text;
}

const figures: readonly (readonly [number, string])[] = [
	[1_000, 'm'],
	[900, 'cm'],
	[500, 'd'],
	[400, 'cd'],
	[100, 'c'],
	[90, 'xc'],
	[50, 'l'],
	[40, 'xl'],
	[10, 'x'],
	[9, 'ix'],
	[5, 'v'],
	[4, 'iv'],
	[1, 'i'],
];

function roman(number: number): string {
	let text = '';
	let rest = number;
	for (const [value, figure] of figures) {
		for (; rest >= value; rest -= value) text += figure;
	}
	return text;
}
