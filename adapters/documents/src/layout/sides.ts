import { heightOf, middleOf } from './item.ts';
import { type Line, linesOf } from './lines.ts';
import { goesOn, isClose, longStretch, type Side } from './prose.ts';

/** Which share of the shorter side's lines stands on a line of the other side: near 1 for rows of a table. */
export function alignment(one: Side, other: Side): number {
	const few = Math.min(one.lines.length, other.lines.length);
	const all = linesOf([...one.lines, ...other.lines].flatMap(({ runs }) => runs));
	return few === 0 ? 1 : (one.lines.length + other.lines.length - all.length) / few;
}

/** Lines that follow each other closely. */
type Block = readonly Line[];

function blocksOf({ lines, pitch }: Side): Block[] {
	const blocks: Line[][] = [];
	lines.forEach((line, index) => {
		const above = lines[index - 1];
		const isApart = !above || middleOf(line) - middleOf(above) > 1.3 * pitch * heightOf(above);
		if (isApart) blocks.push([line]);
		else blocks.at(-1)?.push(line);
	});
	return blocks;
}

/**
 * Whether both sides begin their paragraphs together because they are cells of rows. Columns of equal paragraphs do that too, but there nobody
 * waits for the other side: all gaps are the same.
 */
export function sharesParagraphs(one: Side, other: Side): boolean {
	const [starts, others] = [startsOf(one), startsOf(other)];
	const shared = starts.flatMap((start) => {
		const found = others.find((candidate) => isBeside(candidate.line, start.line));
		return found ? [Math.abs(found.gap - start.gap)] : [];
	});
	if (shared.length < 2 || shared.length < 0.6 * Math.max(starts.length, others.length)) return false;
	const length = (one.lines.length + other.lines.length) / (starts.length + others.length + 2);
	return length < shortParagraph || shared.some((difference) => difference > 0.6);
}

/** In lines: cells of tables are as short as that. */
const shortParagraph = 2.2;

interface Start {
	readonly line: Line;
	/** To the line above, in heights. */
	readonly gap: number;
}

/** First lines of paragraphs that stand apart from what is above them. */
function startsOf(side: Side): Start[] {
	const blocks = blocksOf(side);
	return blocks.slice(1).map((block, index) => {
		const line = block[0] as Line;
		const above = blocks[index]?.at(-1) as Line;
		return { line, gap: (middleOf(line) - middleOf(above)) / heightOf(above) };
	});
}

function isBeside(one: Line, other: Line): boolean {
	return Math.abs(middleOf(one) - middleOf(other)) < 0.35 * heightOf(other);
}

/** Numbers of paragraphs at the beginning of lines: `3.`, `(3)`, `[3]`. */
const numbered = /^[([]?(\d{1,3})[.)\]:](?!\d)/;

/** Whether one side goes on where the other one ends: numbers of paragraphs, or words of an index. */
export function continues(one: Side, other: Side): boolean {
	const [numbers, more] = [numbersOf(one), numbersOf(other)];
	if (numbers.length >= 2 && more.length >= 2) return isRow(numbers) && isRow([numbers.at(-1) ?? 0, ...more]);
	const [words, others] = [wordsOf(one), wordsOf(other)];
	return words.length >= 5 && others.length >= 5 && isSorted([...words, ...others]);
}

function numbersOf({ lines }: Side): number[] {
	return lines.flatMap(({ runs }) => {
		const [, number] = numbered.exec(runs[0]?.text ?? '') ?? [];
		return number === undefined ? [] : [Number(number)];
	});
}

function isRow(numbers: readonly number[]): boolean {
	return numbers.slice(1).every((number, index) => number === (numbers[index] ?? 0) + 1);
}

/** First words of the lines that are not indented. */
function wordsOf({ lines }: Side): string[] {
	const left = lines.reduce((least, { runs }) => Math.min(least, runs[0]?.left ?? least), Infinity);
	return lines.flatMap(({ runs: [first] }) => {
		if (!first || first.left > left + 2) return [];
		const [word] = /^\p{L}{2,}/u.exec(first.text) ?? [];
		return word === undefined ? [] : [word.toLowerCase()];
	});
}

/** A heading may stand among them. */
function isSorted(words: readonly string[]): boolean {
	const breaks = words.slice(1).filter((word, index) => word < (words[index] ?? '')).length;
	return new Set(words).size >= 5 && breaks * 20 <= words.length;
}

/** Whether the sides are parts of one form or table: many lines hold short texts apart from others. */
export function isForm(one: Side, other: Side): boolean {
	if (Math.max(one.rows.length / one.lines.length, other.rows.length / other.lines.length) <= formRows) return false;
	return Math.min(one.stretch, other.stretch) < longStretch;
}

/** Forms have a short answer on this share of their lines. A table in a column of text is no form: there is a long stretch of text beside it. */
const formRows = 0.15;

/**
 * Whether one side is a column of short texts or a table beside running text (skills in a CV, ingredients of a recipe, notes in a margin), which is read by
 * itself: its lines are no labels of the paragraphs beside them.
 */
export function isSideColumn(side: Side, main: Side): boolean {
	if (side.lines.length < 4 || main.lines.length < 6) return false;
	if (side.prose >= 0.5 && !side.isLabel) return false;
	if (main.prose < 0.7 || main.isLabel || main.rows.length > formRows * main.lines.length || main.flow < 0.45)
		return false;
	const [blocks, paragraphs] = [blocksOf(side), blocksOf(main)];
	// Both sides begin at the top anyway.
	const later = blocks.slice(1);
	const labels = later.filter((block) => paragraphs.some((one) => isLabelOf(block, one))).length;
	if (labels >= 2 && labels >= 0.6 * later.length) return false;
	if (onFirstLines(side.lines, main) >= 0.8) return false;
	return denseLines(side) >= 0.5 * side.lines.length || alignment(side, main) < 0.35;
}

/** Share of lines that stand on a line of the other side where a text begins, as cells of rows do. */
function onFirstLines(lines: readonly Line[], main: Side): number {
	let at = 0;
	const found = lines.filter((line) => {
		while (at < main.lines.length && isAbove(main.lines[at] as Line, line)) at++;
		const beside = main.lines[at];
		return beside !== undefined && isBeside(beside, line) && !goesOn(beside);
	});
	return found.length / Math.max(1, lines.length);
}

function isAbove(one: Line, other: Line): boolean {
	return middleOf(one) < middleOf(other) - 0.35 * heightOf(other);
}

/** Lines that stand closely together with two others. */
function denseLines({ lines }: Side): number {
	let [dense, run] = [0, 0];
	lines.forEach((line, index) => {
		const above = lines[index - 1];
		run = above && isClose(above, line) ? run + 1 : 1;
		if (run >= 3) dense += run === 3 ? 3 : 1;
	});
	return dense;
}

/** Cells of one row share their top or their middle. */
function isLabelOf(block: Block, paragraph: Block): boolean {
	const [first, last] = [block[0] as Line, block.at(-1) as Line];
	const [top, bottom] = [paragraph[0] as Line, paragraph.at(-1) as Line];
	const middles = (first.top + last.bottom - top.top - bottom.bottom) / 2;
	return isBeside(first, top) || Math.abs(middles) < 0.5 * heightOf(first);
}
