import { type Cell, cellsOf } from './cells.ts';

/** A part of a page that is read as one: running text, an item of a list, a heading, or one row of a table. */
export interface Block {
	readonly kind: 'paragraph' | 'item' | 'heading' | 'row';
	readonly text: string;
	/** Of rows, and of lines that stand alone. */
	readonly cells?: readonly Cell[];
}

/** Runs that are not as wide hold lines, no text that flows. */
const narrow = 40;
/** A line is ended on purpose when the next word would have fitted into this share of the width: letters are not equally wide. */
const ragged = 0.85;

interface Line {
	readonly text: string;
	readonly indent: number;
	readonly end: number;
	/** The widest line of its run without empty lines. */
	width: number;
}

interface Open {
	readonly kind: 'paragraph' | 'item';
	readonly lines: Line[];
}

const marker = /^(?:[•●▪■◦○‣⁃·*!–—-]|\d{1,3}[.)]|\(?[a-z]\)|\([ivx\d]+\))$/i;
const inlineMarker = /^(?:[•●▪■◦○‣⁃·*–—-]|\d{1,3}[.)])\s+(?=\S)/;
const label = /^[\p{Lu}][\p{L}\p{N} .#/()'-]{0,40}:(?:\s|$)/u;
const division = /^(?:table|title|chapter|part|section|article|appendix|annex|schedule)\s+[\dIVXA-Z]+:/i;
const contact = /@|\d[\d ().-]{6,}\d$/;
const openEnd = /(?:[,–—-]|\b(?:a|an|and|as|at|by|for|from|in|of|on|or|the|to|with))$/i;

/** Reads the lines of a page as blocks, in order. */
export function blocksOf(lines: readonly string[]): readonly Block[] {
	const blocks: Block[] = [];
	let run: Line[] = [];
	let open: Open | undefined;
	let row: readonly Cell[] | undefined;
	const close = () => {
		if (open) blocks.push(...closed(open, hyphenated));
		open = undefined;
	};
	const hyphenated = hyphenatedWords(lines);
	for (const raw of lines) {
		const { item, cells } = readLine(raw);
		const [cell] = cells;
		if (!cell || !/[\p{L}\p{N}]{2}/u.test(raw)) {
			close();
			run = [];
			row = undefined;
		} else if (cells.length > 1 || (row && !item && isUnder(cell, row))) {
			close();
			row = cells.length > 1 ? cells : row;
			blocks.push({ kind: 'row', text: cells.map(({ text }) => text).join('  '), cells });
		} else {
			row = undefined;
			const line = { text: cell.text, indent: cell.from, end: cell.to, width: cell.to };
			run = joinRun(run, line);
			if (open && !item && !startsAnew(open, line)) open.lines.push(line);
			else {
				close();
				open = { kind: item ? 'item' : 'paragraph', lines: [line] };
			}
		}
	}
	close();
	return blocks.map(titled);
}

/** A numbered line above a paragraph or a further title is a title, unless it is one item of several. */
function titled(block: Block, at: number, all: readonly Block[]): Block {
	if (!isNumbered(block) || !isTitle(block.text)) return block;
	const next = all[at + 1]?.kind;
	const isAlone = !isNumbered(all[at - 1]) && (next === 'paragraph' || next === 'heading');
	return isAlone ? { ...block, kind: 'heading' } : block;
}

function isNumbered(block: Block | undefined): boolean {
	return block?.kind === 'item' && /^\d/.test(block.text);
}

/** Whether a single line reads like a title. */
export function isTitle(text: string): boolean {
	if (text.length > 90 || text.split(' ').length > 12 || !/\p{L}{2}/u.test(text)) return false;
	if (/[.!?,;:]$/.test(text) || /^[\p{Ll}(]/u.test(text) || contact.test(text)) return false;
	if (/:\s/.test(text)) return (isCapitals(text) && !/\d/.test(text)) || division.test(text);
	if (/^#{1,6}\s/.test(text) || /^(?:\d+(?:\.\d+)*\.?|[IVX]+\.)\s+\p{Lu}/u.test(text)) return true;
	const words = text.split(/\s+/).filter((word) => /^\p{L}{4,}/u.test(word));
	const capitals = words.filter((word) => /^\p{Lu}/u.test(word)).length;
	return capitals >= words.length * 0.6 || text.split(' ').length <= 5;
}

function readLine(raw: string): { readonly item: boolean; readonly cells: readonly Cell[] } {
	const cells = cellsOf(raw);
	const [first, ...rest] = cells;
	if (first && rest.length > 0 && marker.test(first.text)) return { item: true, cells: rest };
	if (!first || cells.length > 1) return { item: false, cells };
	const mark = inlineMarker.exec(first.text)?.[0].length ?? 0;
	const cell = { ...first, text: first.text.slice(mark), from: first.from + mark };
	// A number in front belongs to what it counts: “2. Liste” is found by its number too.
	return mark > 0 && !/^\d/.test(first.text) ? { item: true, cells: [cell] } : { item: mark > 0, cells };
}

/** A single cell below one that is not the first of its row goes on with it. */
function isUnder(cell: Cell, row: readonly Cell[]): boolean {
	return row.some((above, at) => at > 0 && Math.abs(above.from - cell.from) <= 2 && cell.from > 8);
}

/** Every line of a run knows the width of the widest. */
function joinRun(run: Line[], line: Line): Line[] {
	const width = Math.max(line.end, run.at(-1)?.width ?? 0);
	const all = [...run.slice(-12), line];
	for (const one of all) one.width = width;
	return all;
}

function startsAnew(open: Open, line: Line): boolean {
	const before = open.lines.at(-1);
	if (!before) return true;
	if (label.test(line.text) || /^#{1,6}\s/.test(line.text)) return true;
	if (!/^["“‘'([¿¡]*[\p{Lu}\p{N}]/u.test(line.text) || openEnd.test(before.text)) return false;
	const isStopped = /[.!?:]["”’')]*$/.test(before.text);
	if (isStopped && line.indent >= before.indent + 3 && open.kind === 'paragraph') return true;
	if (isCapitals(before.text) !== isCapitals(line.text)) return true;
	if (Math.abs(line.indent - before.indent) >= 8 || line.width < narrow) return true;
	if (/^\d/.test(line.text) && /^\d/.test(open.lines[0]?.text ?? '')) return true;
	const firstWord = /^\S+/.exec(line.text)?.[0].length ?? 0;
	// The next word had room and was not put there: the line was ended on purpose.
	return before.end + 1 + firstWord < line.width * ragged;
}

function isCapitals(text: string): boolean {
	return /\p{Lu}{2}/u.test(text) && !/\p{Ll}/u.test(text);
}

function closed({ kind, lines }: Open, hyphenated: ReadonlySet<string>): readonly Block[] {
	const text = lines.map((line) => line.text).reduce((all, next) => glued(all, next, hyphenated));
	const isHeading = kind === 'paragraph' && lines.length <= 2 && isTitle(text);
	const cells = lines.slice(0, 1).map((line) => ({ text, from: line.indent, to: line.end }));
	if (isHeading)
		return [
			{
				kind: 'heading',
				text: text.replace(/^#{1,6}\s+/, ''),
				...(lines.length === 1 && { cells }),
			},
		];
	return [{ kind, text }];
}

function glued(before: string, after: string, hyphenated: ReadonlySet<string>): string {
	// Only the end is looked at: a paragraph is glued line by line, and it may be long.
	const left = /(\p{L}+)-$/u.exec(before.slice(-40))?.[1];
	const right = /^\p{Ll}+/u.exec(after)?.[0];
	if (!left || !right) return `${before} ${after}`;
	return hyphenated.has(`${left}-${right}`) ? before + after : before.slice(0, -1) + after;
}

/** Words that the page spells with a hyphen within a line keep it where a line breaks there. */
function hyphenatedWords(lines: readonly string[]): ReadonlySet<string> {
	return new Set(lines.flatMap((line) => line.match(/(?<!\p{L})\p{L}{1,40}-\p{L}{1,40}/gu) ?? []));
}
