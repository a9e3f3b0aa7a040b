import type { Reader } from './reader.ts';
import { type Token, wordOf } from './tokens.ts';

/** A part of a picture that can be computed; sides as shares of it, 0 to 1. */
export interface Region {
	readonly left: number;
	readonly top: number;
	readonly right: number;
	readonly bottom: number;
	/** What it is called: `left half`. */
	readonly name: string;
	/** Softness of its inner border, as a share of the shorter side. */
	readonly soft: number;
	/** Everything but this. */
	readonly outside?: true;
}

/** The only part that is to change. */
export type Scope = 'background' | 'subject' | 'mask' | Region;

/** How a scope is called. */
export function scopeName(scope: Scope): string {
	return typeof scope === 'string' ? scope : scope.name;
}

/** `the background`, `everything except the subject`, or `the masked area`. */
export function takeScope(reader: Reader): Scope | undefined {
	const isRest = reader.word('except', 'excluding', 'besides', 'outside', 'but') !== undefined;
	const isBackground = reader.word('background', 'backdrop') !== undefined;
	if (isBackground || reader.word('subject', 'foreground', 'object')) {
		return isBackground !== isRest ? 'background' : 'subject';
	}
	return !isRest && takeMask(reader) ? 'mask' : undefined;
}

function takeMask(reader: Reader): boolean {
	const named = reader.word('masked', 'mask', 'selected', 'selection', 'marked');
	const shown = named ?? reader.pairOf(['this', 'that'], ['area', 'part', 'region', 'spot']);
	if (shown) reader.word('inside', 'within');
	return shown !== undefined;
}

const sides: Readonly<Record<string, readonly [x: -1 | 0 | 1, y: -1 | 0 | 1]>> = {
	left: [-1, 0],
	lefthand: [-1, 0],
	right: [1, 0],
	righthand: [1, 0],
	top: [0, -1],
	upper: [0, -1],
	bottom: [0, 1],
	lower: [0, 1],
};

const middles = new Set(['center', 'centre', 'middle', 'central']);

/** Shares of a length. A third where only a side is named. */
const lengths: Readonly<Record<string, number>> = {
	half: 1 / 2,
	halves: 1 / 2,
	third: 1 / 3,
	quarter: 1 / 4,
	side: 1 / 2,
	part: 1 / 3,
	portion: 1 / 3,
	area: 1 / 3,
	region: 1 / 3,
	section: 1 / 3,
	corner: 1 / 3,
	edge: 1 / 6,
	strip: 1 / 6,
};

const rims = new Set(['edges', 'borders', 'sides', 'margins', 'rim']);

/** Words that mean a measure (`lower the contrast`) unless a part of something stands behind them. */
const ambiguous = new Set(['lower', 'upper', 'right']);

/** Whether a word names a side, the middle, the rim, or a part such as `half`. */
export function isPlaceWord(text: string): boolean {
	return isPlace(text) || Object.hasOwn(lengths, text);
}

/** Takes a place that restricts an operation: `the left half`, `the top third`, `the lower right corner`, `the centre`, `the edges`. */
export function takeRegion(reader: Reader): Region | undefined {
	const { left } = reader;
	const at = left.findIndex((token, index) => begins(left, token, index));
	if (at < 0) return undefined;
	const found = left.slice(at, at + 4);
	const names: string[] = [];
	for (const token of found) {
		const text = wordOf(token);
		if (text === undefined || !isPlaceWord(text)) break;
		names.push(text);
		if (Object.hasOwn(lengths, text)) break;
	}
	const length = lengths[names.at(-1) as string];
	if (length !== undefined && names.length === 1) return undefined;
	// Around the centre is not in it, but around the edges is.
	const isMiddle = names.every((name) => middles.has(name));
	const excluding = exclusionBefore(left, at, isMiddle);
	reader.drop([...excluding, ...left.slice(at, at + names.length)]);
	const region = regionOf(names, length);
	return excluding.length > 0 ? complementOf(region) : region;
}

const exclusions = new Set('except excepting excluding besides outside but not without beyond save'.split(' '));
const exclusionPairs = new Set(['apart from', 'aside from', 'other than', 'away from']);
const smallWords = new Set(['for', 'of', 'the', 'from', 'in', 'at', 'on', 'its']);

/** The words that turn a place into everything else: `except for the`, `all but the`, `outside the`. */
function exclusionBefore(tokens: readonly Token[], at: number, isMiddle: boolean): readonly Token[] {
	let from = at - 1;
	while (from >= 0 && smallWords.has(wordOf(tokens[from]) ?? '')) from--;
	const isPair = exclusionPairs.has(`${wordOf(tokens[from])} ${wordOf(tokens[from + 1])}`);
	const word = wordOf(tokens[from]) ?? '';
	const isAround = isMiddle && word === 'around';
	if (!isPair && !isAround && !exclusions.has(word)) return [];
	if (wordOf(tokens[from - 1]) === 'but') from--;
	while (/^(?:everywhere|anywhere|everything|anything|all)$/.test(wordOf(tokens[from - 1]) ?? '')) from--;
	return tokens.slice(from, at);
}

function complementOf(region: Region): Region {
	const { outside, name, ...inside } = region;
	return { ...inside, name: `all but the ${name}`, ...(!outside && { outside: true }) };
}

function isPlace(text: string): boolean {
	return Object.hasOwn(sides, text) || middles.has(text) || rims.has(text);
}

function begins(tokens: readonly Token[], token: Token, index: number): boolean {
	const text = wordOf(token);
	if (text === undefined || !isPlace(text)) return false;
	const next = wordOf(tokens[index + 1]);
	if (next === 'to') return false;
	const isPart = next !== undefined && (isPlace(next) || Object.hasOwn(lengths, next));
	return isPart || !ambiguous.has(text) || wordOf(tokens[index - 1]) === 'the';
}

function regionOf(names: readonly string[], length: number | undefined): Region {
	const name = names.join(' ');
	if (names.some((one) => rims.has(one))) {
		return { ...box(0, 0, 0.7), name, soft: 0.12, outside: true };
	}
	let [x, y]: readonly (-1 | 0 | 1)[] = [0, 0];
	for (const one of names) {
		x ||= sides[one]?.[0] ?? 0;
		y ||= sides[one]?.[1] ?? 0;
	}
	if (!x && !y) return { ...box(0, 0, length ?? 1 / 2), name, soft: 0.1 };
	// A quarter at a corner is one of four, not of sixteen.
	const share = x && y && names.at(-1) === 'quarter' ? 1 / 2 : (length ?? 1 / 3);
	return { ...box(x ?? 0, y ?? 0, share), name, soft: 0 };
}

/** A box at a side, or at a corner; a side that is not named reaches all along it, the middle has all sides inside. */
function box(x: -1 | 0 | 1, y: -1 | 0 | 1, share: number): Omit<Region, 'name' | 'soft'> {
	const along = (side: -1 | 0 | 1, isMiddle: boolean): readonly [number, number] => {
		if (side < 0) return [0, share];
		if (side > 0) return [1 - share, 1];
		return isMiddle ? [(1 - share) / 2, (1 + share) / 2] : [0, 1];
	};
	const isMiddle = x === 0 && y === 0;
	const [left, right] = along(x, isMiddle);
	const [top, bottom] = along(y, isMiddle);
	return { left, top, right, bottom };
}
