import { isWide } from './characters.ts';
import { heightOf, middleOf, type Run } from './item.ts';
import type { Line } from './lines.ts';
import { type Phrase, phrasesOf, unitOf } from './phrases.ts';
import { isSentence } from './prose.ts';

/** Cells are this many heights apart. Blanks of justified lines get as broad, but not much broader. */
const cellGap = 1;
const stretchedGap = 1.7;
/** Numbers of items and columns stand apart on purpose. */
const shortNumber = /^\W{0,2}\d{1,4}\w?\W{0,2}$/;

/**
 * The cells of each line. Those that stand close are told from words by the lines around them, where the
 * same column begins or ends. `gutters` of a table part them anyway.
 */
export function cellsIn(lines: readonly Line[], gutters: readonly number[] = []): Phrase[][] {
	const gaps = lines.map(gapsOf);
	return lines.map((line, index) => {
		// Most lines of running text are one run, which nothing parts.
		if (line.runs.length === 1) return phrasesOf(line, cellGap);
		const near = nearby(lines, index).flatMap((at) => gaps[at] ?? []);
		const found = (gaps[index] ?? []).map((gap) => ({
			run: gap.run,
			count: near.filter((other) => isSame(gap, other)).length,
		}));
		const starts = (least: number) => new Set(found.filter(({ count }) => count >= least).map(({ run }) => run));
		return partsOf(line, gutters).flatMap((part) => cellsOf(part, starts));
	});
}

function cellsOf(line: Line, starts: (least: number) => ReadonlySet<Run>): Phrase[] {
	const joined = phrasesOf(line, stretchedGap);
	const cells = phrasesOf(line, cellGap);
	const isPlain = cells.length <= 4 && !cells.some(({ text }) => shortNumber.test(text));
	if (isPlain && joined.length === 1 && isSentence(joined[0] as Phrase))
		return phrasesOf(line, stretchedGap, starts(2));
	return phrasesOf(line, cellGap, starts(1));
}

/** A line of a table, column by column. */
function partsOf(line: Line, gutters: readonly number[]): Line[] {
	const parts = new Map<number, Run[]>();
	for (const run of line.runs) {
		const column = gutters.filter((gutter) => gutter < (run.left + run.right) / 2).length;
		const part = parts.get(column);
		if (part) part.push(run);
		else parts.set(column, [run]);
	}
	return [...parts.values()].map((runs) => ({ ...line, runs }));
}

/** Between two runs of a line; in points. */
interface Gap {
	/** Where the text before it begins. */
	readonly start: number;
	readonly from: number;
	/** The one that ends the gap. */
	readonly run: Run;
	/** Broader than blanks are. */
	readonly isBroad: boolean;
}

const listMark = 3;
const narrowest = 0.18;
const broad = 0.42;

/** A line of more is none that anybody set. */
const maxRuns = 300;

function gapsOf({ runs }: Line): Gap[] {
	if (runs.length > maxRuns) return [];
	let from = runs[0]?.right ?? 0;
	let columns = 0;
	let start = runs[0]?.left ?? 0;
	return runs.slice(1).flatMap((run, index) => {
		const before = runs[index] as Run;
		const width = (run.left - from) / unitOf(before, run);
		const gap = { start, from, run, isBroad: isBroad(before, run) };
		from = Math.max(from, run.right);
		columns += before.columns;
		// Numbers and marks of lists stay near what they mark.
		const isMark = columns <= listMark;
		if (width >= cellGap) [columns, start] = [0, run.left];
		return width < narrowest || isMark ? [] : [gap];
	});
}

/** Blanks of typewriters are as broad as their letters; wide scripts write none. */
function isBroad(before: Run, run: Run): boolean {
	const gap = run.left - before.right;
	const letter = (before.right - before.left) / Math.max(1, before.columns);
	const isFree = gap >= 1.4 * letter || isWide(before.text.at(-1)) || isWide(run.text[0]);
	return isFree && gap >= broad * unitOf(before, run);
}

const reach = 2;

/** Indexes of the lines right above and below. */
function nearby(lines: readonly Line[], index: number): number[] {
	const line = lines[index] as Line;
	const [first, last] = [Math.max(0, index - reach), Math.min(lines.length - 1, index + reach)];
	const found: number[] = [];
	for (let at = first; at <= last; at++) {
		const other = lines[at] as Line;
		const isNear = Math.abs(middleOf(other) - middleOf(line)) < 2.5 * reach * heightOf(line);
		if (at !== index && isNear) found.push(at);
	}
	return found;
}

/** Whether the broad gap of another line lies over this one, and both end at one column. */
function isSame(gap: Gap, other: Gap): boolean {
	if (!other.isBroad || other.from >= gap.run.left || gap.from >= other.run.left) return false;
	// The words of a head stand over one column, if there is nothing below the first of them.
	if (other.from <= gap.start) return false;
	const tolerance = 0.2 * heightOf(gap.run);
	return Math.abs(gap.run.left - other.run.left) < tolerance || Math.abs(gap.run.right - other.run.right) < tolerance;
}
