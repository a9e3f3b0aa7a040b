import { cleanText, columnsOf } from './characters.ts';
import { heightOf, type Run, type TextItem } from './item.ts';

const maxPoints = 200_000;
/** Dots that lead the eye from a title to its page number. */
const leader = /(?:[.·․…_] ?){5,}/;
const leaders = new RegExp(leader.source, 'g');
/** What stands in place of a leader. */
const dots = '.....';

/** Makes runs of upright items: clean text, tight boxes, leaders shortened, whatever was printed twice once. */
export function runsOf(items: readonly TextItem[]): Run[] {
	return withoutDuplicates(items.flatMap(runsOfItem));
}

function runsOfItem(item: TextItem): Run[] {
	const { x, y, width, height } = item;
	const numbers = [x, y, width, height];
	if (!numbers.every((number) => Math.abs(number) <= maxPoints)) return [];
	const text = cleanText(item.text);
	if (text.trim() === '') return [];
	// A box without extent still has a place.
	const box = { ...item, text, height: Math.max(height, 0.5), width: Math.max(width, 0.1) };
	return partsOf(text)
		.filter(({ text: part }) => part !== '')
		.map((part) => runOf(box, part));
}

interface Part {
	readonly text: string;
	/** Where it begins in the item's text. */
	readonly from: number;
	/** It ends where the item ends. */
	readonly last?: boolean;
}

/** Most items are one part. What a program aligned with blanks falls into its cells, what a leader joins into its two ends. */
function partsOf(text: string): Part[] {
	if (leader.test(text)) return endsOf(text);
	if (!text.trim().includes('   ')) return [partAt(text, 0)];
	return [...text.matchAll(/\S+(?: {1,2}\S+)*/g)].map((found) => partAt(found[0], found.index));
}

function partAt(text: string, from: number, last = false): Part {
	const trimmed = text.trim();
	return { text: trimmed, from: from + text.indexOf(trimmed), last };
}

function endsOf(text: string): Part[] {
	const parts: Part[] = [];
	let from = 0;
	for (const found of text.matchAll(leaders)) {
		const before = text.slice(from, found.index).trimEnd();
		const mark = found[0].startsWith('_') ? '_____' : dots;
		parts.push(partAt(`${before} ${mark}`, from));
		from = found.index + found[0].length;
	}
	return [...parts, partAt(text.slice(from), from, true)];
}

function runOf(item: TextItem, { text, from, last }: Part): Run {
	const whole = columnsOf(item.text);
	const column = item.width / Math.max(1, whole);
	const columns = text === item.text ? whole : columnsOf(text);
	const width = Math.min(item.width, columns * column);
	const left = last ? item.x + item.width - width : item.x + columnsOf(item.text.slice(0, from)) * column;
	return { text, columns, left, right: left + width, top: item.y, bottom: item.y + item.height };
}

/** Fake bold and shadows print a text twice, a fraction of its height apart. */
function withoutDuplicates(runs: readonly Run[]): Run[] {
	// Most texts come once, and need no cells.
	const seen = new Map<string, Run | Map<number, Run>>();
	return runs.filter((run) => {
		const before = seen.get(run.text);
		if (!before) {
			seen.set(run.text, run);
			return true;
		}
		const places = before instanceof Map ? before : new Map([[cellOf(before), before]]);
		seen.set(run.text, places);
		const cell = cellOf(run);
		if (isAmong(run, cell, places)) return false;
		// A cell is small: whatever lies in it already is near enough.
		if (!places.has(cell)) places.set(cell, run);
		return true;
	});
}

/** Where a run stands, as one number: rounded to a fraction of its height. */
function cellOf(run: Run): number {
	const size = Math.max(1, heightOf(run) * 0.35);
	return Math.round(run.left / size) * rowFactor + Math.round(run.top / size);
}

/** More rows than any page has. */
const rowFactor = 1_048_576;

function isAmong(run: Run, cell: number, places: ReadonlyMap<number, Run>): boolean {
	for (const dx of [-rowFactor, 0, rowFactor])
		for (const dy of [-1, 0, 1]) {
			const near = places.get(cell + dx + dy);
			if (near && isSame(run, near)) return true;
		}
	return false;
}

function isSame(one: Run, other: Run): boolean {
	const tolerance = Math.max(1, heightOf(one) * 0.35);
	return (
		Math.abs(one.left - other.left) < tolerance &&
		Math.abs(one.top - other.top) < tolerance &&
		Math.abs(one.right - other.right) < tolerance * 2
	);
}
