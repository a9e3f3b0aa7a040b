import type { Rgb } from '../../../scene/color.ts';
import { fromHex, namedColor } from './colors.ts';
import { stem } from './stem.ts';

/** Where a token stands in the prompt. */
interface Span {
	readonly start: number;
	readonly end: number;
}

/** A word in lower case. `color` is set where it (or it and the word before) names one. */
export interface WordToken extends Span {
	readonly kind: 'word';
	readonly text: string;
	readonly stem: string;
	readonly color?: Rgb;
}

/** A number with its unit. Never NaN, but it may be infinite. */
export interface NumberToken extends Span {
	readonly kind: 'number';
	readonly value: number;
	readonly unit: '' | '%' | 'px' | '°' | 'x';
	readonly signed: boolean;
}

/** `800x600`, or a ratio such as `16:9`. */
export interface PairToken extends Span {
	readonly kind: 'size' | 'ratio';
	readonly width: number;
	readonly height: number;
}

/** One word, number, size, ratio, colour code, quotation, picture of the request (`image 2`: 1), or a mark that ends a clause. */
export type Token =
	| WordToken
	| NumberToken
	| PairToken
	| (Span & { readonly kind: 'color'; readonly color: Rgb })
	| (Span & { readonly kind: 'text'; readonly text: string })
	| (Span & { readonly kind: 'image'; readonly index: number })
	| (Span & { readonly kind: 'break' });

/** The text of a word, in lower case; undefined for other tokens. */
export function wordOf(token: Token | undefined): string | undefined {
	return token?.kind === 'word' ? token.text : undefined;
}

const amount = String.raw`[-+−]?\d{1,40}(?:,\d{3})*(?:\.\d{1,40})?(?:e[-+]?\d{1,4})?`;

/** Every alternative is bounded or reads each character once, so that no prompt takes more than linear time. */
const pattern = new RegExp(
	[
		String.raw`(?<=(?:^|[\n.;,])\s{0,3})\d{1,2}[.)](?=\s)`,
		`["“”„«»](?<double>[^"“”„«»]{1,2000})["“”«»]`,
		String.raw`(?<![\p{L}\p{N}])['‘’‚](?<single>[^'‘’‚"]{1,2000}(?:[’'](?=\p{L})[^'‘’‚"]{1,2000}){0,9})['’‘](?!\p{L})`,
		`#(?<hex>[0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})(?![0-9a-z])`,
		String.raw`(?<code>#[\p{L}\p{N}]{1,40})`,
		String.raw`rgba?\(\s{0,9}(?<red>\d{1,3})\s{0,9},\s{0,9}(?<green>\d{1,3})\s{0,9},\s{0,9}(?<blue>\d{1,3})[^)]{0,20}\)`,
		String.raw`(?<w>\d{1,9})\s{0,3}(?:px\s{0,3})?(?:[x×*]|by(?=\s))\s{0,3}(?<h>\d{1,9})(?:\s{0,3}(?:px|pixels))?(?![\p{L}\p{N}])`,
		String.raw`(?<rw>\d{1,5}(?:\.\d{1,5})?)\s{0,3}[:/]\s{0,3}(?<rh>\d{1,5}(?:\.\d{1,5})?)(?![\p{L}\p{N}:])`,
		String.raw`(?<number>${amount})\s{0,3}(?<unit>%|percent|per\scent|pct|pixels?|px|°|degrees?|deg|x|times)?(?![\p{L}\p{N}])`,
		String.raw`(?<word>[\p{L}\p{M}]+(?:['’]\p{L}+)?)`,
		String.raw`(?<other>[\p{Extended_Pictographic}\p{N}])`,
		String.raw`(?<stop>[,;.!?\n\r|•]+)`,
	].join('|'),
	'giu',
);

const units: Readonly<Record<string, NumberToken['unit']>> = {
	'%': '%',
	percent: '%',
	'per cent': '%',
	pct: '%',
	px: 'px',
	pixel: 'px',
	pixels: 'px',
	'°': '°',
	deg: '°',
	degree: '°',
	degrees: '°',
	x: 'x',
	times: 'x',
};

/** Reads a prompt from left to right. What is neither word nor number nor mark is passed over. */
export function tokenize(prompt: string): readonly Token[] {
	const tokens: Token[] = [];
	for (const match of prompt.matchAll(pattern)) {
		const start = match.index;
		tokens.push(tokenFrom(match.groups ?? {}, start, start + match[0].length));
	}
	return joinImages(joinColors(tokens));
}

type Groups = Readonly<Record<string, string | undefined>>;

function tokenFrom(groups: Groups, start: number, end: number): Token {
	const { double, single, hex, code, red, w, rw, number, word, other } = groups;
	const span = { start, end };
	const text = double ?? single;
	if (text !== undefined) return { kind: 'text', text, ...span };
	if (hex) return { kind: 'color', color: fromHex(hex), ...span };
	if (red) {
		const [r = 0, g = 0, b = 0] = [red, groups.green, groups.blue].map((part) => Math.min(255, Number(part)));
		return { kind: 'color', color: [r, g, b], ...span };
	}
	if (w) return { kind: 'size', width: Number(w), height: Number(groups.h), ...span };
	if (rw) return { kind: 'ratio', width: Number(rw), height: Number(groups.rh), ...span };
	if (number) return numberFrom(number, groups.unit, span);
	const plain = word ?? code ?? other;
	if (plain) return wordFrom(plain, span);
	return { kind: 'break', ...span };
}

function numberFrom(text: string, unit: string | undefined, span: Span): NumberToken {
	const value = Number(text.replace('−', '-').replaceAll(',', ''));
	const spaced = unit?.toLowerCase().replace(/\s/, ' ') ?? '';
	return { kind: 'number', value, unit: units[spaced] ?? '', signed: /^[-+−]/.test(text), ...span };
}

function wordFrom(raw: string, span: Span): WordToken {
	const text = raw.toLowerCase().replaceAll('’', "'");
	const color = namedColor(text);
	return { kind: 'word', text, stem: stem(text), ...span, ...(color && { color }) };
}

/** `sky blue` is a colour, but `make the sky blue` speaks of the sky. */
const things = new Set(['sky', 'sea', 'forest', 'lawn']);

/** Makes one token of `dark green` and `light blue`. */
function joinColors(tokens: readonly Token[]): readonly Token[] {
	const joined: Token[] = [];
	for (const token of tokens) {
		const last = joined.at(-1);
		const isThing = things.has(wordOf(last) ?? '') && wordOf(joined.at(-2)) === 'the';
		const color = last?.kind === 'word' && token.kind === 'word' && !isThing && namedColor(last.text + token.text);
		if (!color) joined.push(token);
		else joined[joined.length - 1] = { ...(token as WordToken), start: last.start, color };
	}
	return joined;
}

const pictures = new Set(['image', 'picture', 'photo', 'photograph', 'pic', 'layer', 'img']);
const ordinals = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth'];

/** Makes one token of `image 2`, `the second picture` and `the other photo`. */
function joinImages(tokens: readonly Token[]): readonly Token[] {
	const joined: Token[] = [];
	for (const token of tokens) {
		const last = joined.at(-1);
		const index = last && imageIndex(last, token);
		if (last === undefined || index === undefined) joined.push(token);
		else joined[joined.length - 1] = { kind: 'image', index, start: last.start, end: token.end };
	}
	return joined;
}

function imageIndex(a: Token, b: Token): number | undefined {
	if (a.kind === 'word' && pictures.has(a.text)) {
		const plain = b.kind === 'number' && b.unit === '' && Number.isInteger(b.value);
		return plain && b.value >= 1 && b.value <= 16 ? b.value - 1 : undefined;
	}
	if (a.kind !== 'word' || b.kind !== 'word' || !pictures.has(b.text)) return undefined;
	if (a.text === 'other' || a.text === '2nd') return 1;
	const at = ordinals.indexOf(a.text);
	return at < 0 ? undefined : at;
}
