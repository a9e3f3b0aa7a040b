import { isWide, lettersOf } from './characters.ts';
import { heightOf, middleOf, type Run } from './item.ts';
import { type Line, linesOf } from './lines.ts';
import { type Phrase, phrasesOf } from './phrases.ts';

/** One side of a gutter, as lines. */
export interface Side {
	readonly lines: readonly Line[];
	/** Share of its characters that stand in phrases like those of running text. */
	readonly prose: number;
	/** Those phrases are so short that they may be labels. */
	readonly isLabel: boolean;
	/** How many of its phrases are such. */
	readonly count: number;
	/** Its lines that hold a short text apart from others, as rows of tables and forms do. */
	readonly rows: readonly Line[];
	/** The most lines of running text that follow each other closely. */
	readonly stretch: number;
	/** Share of its lines that go on in the line below: running text, not a list of lines. */
	readonly flow: number;
	/** The usual distance of its lines, in line heights. */
	readonly pitch: number;
}

/** So many lines of running text in a row are sure to be a column. */
export const longStretch = 8;
/** Half of the lines of running text go on in the next one. */
const flowing = 0.5;
const widestBlank = 1.5;
const narrowest = 24;
const shortest = 18;
const shortCell = 12;
const listMark = 4;
/** To be ticked. */
const box = /\[[x ]\]/;
/** Points: left edges of a column of text differ by less. */
const edgeWidth = 4;

/** Looks at the runs beside a gutter. */
export function sideOf(runs: readonly Run[]): Side {
	const lines = linesOf(runs);
	const texts = lines.map((line) => phrasesOf(line, widestBlank));
	const rows = rowsOf(texts);
	const phrases = texts.flat();
	const all = phrases.reduce((sum, { columns }) => sum + columns, 0);
	const prose = phrases.filter(isProse);
	const share = prose.reduce((sum, { columns }) => sum + columns, 0) / Math.max(1, all);
	const stretch = stretchOf(lines, texts, rows);
	const flow = flowOf(lines);
	const isLabel = widthOf(prose) < narrowest && stretch < longStretch && flow < flowing;
	return {
		lines,
		prose: share,
		isLabel,
		count: prose.length,
		rows: lines.filter((_, index) => rows.has(index)),
		stretch,
		flow,
		pitch: pitchOf(lines),
	};
}

type Texts = readonly (readonly Phrase[])[];

/** Indexes of lines with a box to tick, or a short text that stands apart from others where no column of text begins. Marks of lists do not count. */
function rowsOf(texts: Texts): Set<number> {
	const edges = new Map<number, number>();
	for (const { left } of texts.flat().filter(isProse)) {
		const edge = Math.round(left / edgeWidth);
		edges.set(edge, (edges.get(edge) ?? 0) + 1);
	}
	const isEdge = (left: number) => {
		const edge = Math.round(left / edgeWidth);
		return [edge - 1, edge, edge + 1].some((near) => (edges.get(near) ?? 0) >= 3);
	};
	const found = texts.flatMap((phrases, index) => {
		const isCell = ({ columns, left }: Phrase, at: number) =>
			columns <= shortCell && (at > 0 || columns > listMark) && !isEdge(left);
		const hasCells = phrases.length > 1 && phrases.some(isCell);
		return hasCells || phrases.some(({ text }) => box.test(text)) ? [index] : [];
	});
	return new Set(found);
}

/** The longest run of prose lines without a gap. */
function stretchOf(lines: readonly Line[], texts: Texts, rows: ReadonlySet<number>): number {
	let longest = 0;
	let run = 0;
	lines.forEach((line, index) => {
		const above = lines[index - 1];
		const follows = above && isClose(above, line);
		const isText = !rows.has(index) && (texts[index] ?? []).some(isProse);
		run = isText ? (follows ? run + 1 : 1) : 0;
		longest = Math.max(longest, run);
	});
	return longest;
}

/** The middle length of phrases. Short lines are labels, unless many follow each other as in a newspaper. */
function widthOf(phrases: readonly Phrase[]): number {
	const widths = phrases.map(({ columns }) => columns).sort((a, b) => a - b);
	return widths[widths.length >> 1] ?? 0;
}

/** Words that follow each other, mostly letters: a line of running text, if a narrow one. */
function isProse({ text, columns }: Phrase): boolean {
	if (columns < shortest) return false;
	const words = text.split(' ').filter((word) => word.length > 1 || isWide(word)).length;
	if (words < 3 && !isWide(text[text.length >> 1])) return false;
	return lettersOf(text).all >= 0.55 * text.length;
}

/** A line of running text that is long enough to be sure. */
export function isSentence(phrase: Phrase): boolean {
	return phrase.columns >= 30 && isProse(phrase) && / \p{Ll}+ \p{Ll}+/u.test(phrase.text);
}

/** The middle distance of neighbouring lines, in heights of the upper one. */
export function pitchOf(lines: readonly Line[]): number {
	const pitches = lines
		.slice(1)
		.map((line, index) => {
			const above = lines[index] as Line;
			return (middleOf(line) - middleOf(above)) / heightOf(above);
		})
		.sort((a, b) => a - b);
	return pitches[pitches.length >> 1] ?? 1.2;
}

function flowOf(lines: readonly Line[]): number {
	const follow = lines.slice(1).filter((line, index) => isClose(lines[index] as Line, line) && goesOn(line)).length;
	return follow / Math.max(1, lines.length - 1);
}

/** Whether a line begins in the middle of a sentence. */
export function goesOn(line: Line): boolean {
	return /^[\p{Ll}\p{Lo}]/u.test(line.runs[0]?.text ?? '');
}

/** Whether nothing fits between two lines. */
export function isClose(above: Line, line: Line): boolean {
	return middleOf(line) - middleOf(above) < 1.8 * heightOf(above);
}
