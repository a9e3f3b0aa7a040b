import { hasRightToLeft } from './characters.ts';

/**
 * The reading order of a text that an engine gave from left to right as it stands on the page, with the letters of each word in their order. On a
 * line of Hebrew or Arabic the period at its left end comes last, and brackets open at their right.
 */
export function logicalText(visual: string): string {
	if (!hasRightToLeft(visual)) return visual;
	const tokens = [...visual.matchAll(token)].map(tokenOf);
	if (!isBackward(tokens)) return textOf(turnedStretches(tokens));
	return spaced(withBrackets(textOf(keptStretches(tokens).reverse().flat())));
}

const backwards = '\\u0590-\\u08FF\\uFB1D-\\uFDFF\\uFE70-\\uFEFC\\u{10800}-\\u{10FFF}\\u{1E800}-\\u{1EFFF}';
/** A word from right to left, a number with its signs, a word of another script, or a single character. */
const token = new RegExp(
	`(?<back>(?:(?!\\p{N}|\\p{P})[${backwards}]\\p{M}*)+)|(?<number>[-+#$€£₪]?\\p{N}+(?:[.,:/-]\\p{N}+)*[%°]?)|(?<word>[\\p{L}\\p{N}@]+(?:[-.@_'’/:]+[\\p{L}\\p{N}]+)*)|[^]`,
	'gu',
);

interface Token {
	readonly text: string;
	readonly kind: 'back' | 'number' | 'word' | 'sign';
}

function tokenOf({ 0: text, groups = {} }: RegExpMatchArray): Token {
	if (groups.back !== undefined) return { text, kind: 'back' };
	if (groups.number !== undefined) return { text, kind: 'number' };
	return { text, kind: groups.word === undefined ? 'sign' : 'word' };
}

/** By words: a mail address has many letters. */
function isBackward(tokens: readonly Token[]): boolean {
	const count = (kind: Token['kind']) => tokens.filter((one) => one.kind === kind).length;
	return count('back') >= count('word');
}

function textOf(tokens: readonly Token[]): string {
	return tokens.map(({ text }) => text).join('');
}

/** Words of other scripts, and numbers after them, keep their order; everything else stands alone. */
function keptStretches(tokens: readonly Token[]): Token[][] {
	return stretches(
		tokens,
		({ kind }) => kind === 'word',
		({ kind }) => kind === 'word' || kind === 'number',
	);
}

/** Words from right to left on a line of another script. */
function turnedStretches(tokens: readonly Token[]): Token[] {
	const isBack = ({ kind }: Token) => kind === 'back';
	return stretches(tokens, isBack, isBack).flatMap((stretch) => stretch.reverse());
}

/** Each token alone, but from one that begins a stretch to the last one that goes on with it, with the signs between them, together. */
function stretches(
	tokens: readonly Token[],
	begins: (token: Token) => boolean,
	goesOn: (token: Token) => boolean,
): Token[][] {
	const found: Token[][] = [];
	let open: Token[] | undefined;
	let signs: Token[] = [];
	const close = () => {
		found.push(...signs.map((sign) => [sign]));
		signs = [];
		open = undefined;
	};
	for (const token of tokens) {
		if (open && goesOn(token)) {
			open.push(...signs, token);
			signs = [];
		} else if (open && token.kind === 'sign') signs.push(token);
		else {
			close();
			found.push([token]);
			if (begins(token)) open = found.at(-1);
		}
	}
	close();
	return found;
}

const opening: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };
const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** Engines disagree on mirrored brackets: which way one opens is seen by where the blank is, or by whether one is open. */
function withBrackets(text: string): string {
	let depth = 0;
	return text.replace(/[()[\]{}]/g, (mark, at: number) => {
		const [before, after] = [isBlank(text[at - 1]), isBlank(text[at + 1])];
		const opens = before === after ? depth === 0 : before;
		depth = Math.max(0, depth + (opens ? 1 : -1));
		return (opens ? opening : closing)[mark] ?? mark;
	});
}

function isBlank(character: string | undefined): boolean {
	return character === undefined || character === ' ';
}

/** Signs stand at some distance from words where engines see blanks. */
function spaced(text: string): string {
	return text.replace(/ +(?=[)\]}?!:;,.](?:\s|$))/g, '').replace(/([([{]) +/g, '$1');
}
