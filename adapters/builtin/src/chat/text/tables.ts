import { aligned } from './align.ts';
import type { Block } from './blocks.ts';
import type { Cell } from './cells.ts';

/** A block that knows, when it is a row below one, which block names the columns: its index. */
export interface Placed extends Block {
	readonly header?: number;
	/** It names the columns of rows below. */
	readonly isHeader?: true;
}

/** Names of columns may stand in so many lines. */
const headerLines = 4;

/** Puts the rows of tables straight and tells them their header. Rows that follow each other are one table. */
export function withTables(blocks: readonly Block[]): readonly Placed[] {
	const done: Placed[] = [];
	for (let at = 0; at < blocks.length; ) {
		const end = endOfTable(blocks, at);
		if (end > at) done.push(...tableOf(blocks.slice(at, end), done.length));
		else done.push(...blocks.slice(at, at + 1));
		at = Math.max(end, at + 1);
	}
	return done;
}

function endOfTable(blocks: readonly Block[], from: number): number {
	const first = blocks[from];
	if (first?.kind !== 'row') return from;
	let end = from + 1;
	for (let at = end; at < blocks.length; at++) {
		const block = blocks[at];
		if (block?.kind === 'row') end = at + 1;
		else if (!block || at - from > headerLines || !isSecondLine(block, first)) break;
	}
	return end;
}

/** A word that stands right of the first column, alone in its line, goes on with the names of the columns. */
function isSecondLine({ kind, cells, text }: Block, first: Block): boolean {
	const [cell] = cells ?? [];
	const edge = first.cells?.[0]?.to ?? 0;
	return kind === 'heading' && cell !== undefined && cell.from > edge && text.split(' ').length <= 3;
}

function tableOf(blocks: readonly Block[], offset: number): readonly Placed[] {
	const rows = aligned(blocks.map((block) => block.cells ?? []));
	const hasHeader = rows.length > 1 && looksLikeHeader(rows);
	return rows.map((cells, at) => ({
		kind: 'row',
		text: cells.map(({ text }) => text).join('  '),
		cells,
		...(hasHeader && (at === 0 ? { isHeader: true } : { header: offset })),
	}));
}

function looksLikeHeader([cells = [], ...body]: readonly (readonly Cell[])[]): boolean {
	const names = cells.filter((cell, at) => isName(cell.text) || isScale(cell, at, body));
	if (cells.length < 2 || names.length < cells.length * 0.8) return false;
	// Labels beside their values begin with a pair of words too: only a column of figures has a name.
	const figures = body.filter((row) => /^\W*\d/.test(row[1]?.text ?? '')).length;
	return cells.length > 2 || figures > body.length / 2;
}

/** Words without figures, or a year. */
function isName(text: string): boolean {
	return /^(?:19|20)\d{2}$/.test(text) || (/\p{L}/u.test(text) && !/\d{2}|@|:$|: /.test(text));
}

/** `25 %` above figures that are no percentages. */
function isScale({ text }: Cell, at: number, body: readonly (readonly Cell[])[]): boolean {
	const unit = /^\d+(?:[.,]\d+)?\s?(%|\p{L}{1,4})$/u.exec(text)?.[1];
	return unit !== undefined && body.every((row) => !row[at]?.text.endsWith(unit));
}
