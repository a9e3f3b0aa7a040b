import { blocksOf } from './blocks.ts';
import type { Cell } from './cells.ts';
import { type Page, shapeOf, withoutLineNumbers, withoutQuoteMarks } from './page-headers.ts';
import { sentencesOf } from './sentences.ts';
import { type Placed, withTables } from './tables.ts';

/** The smallest thing that is found and quoted: a sentence, a heading, or a row of a table or form. */
export interface Unit {
	/** Its place in the list of all units that are searched together. */
	readonly id: number;
	/** Index of its document. */
	readonly document: number;
	readonly page: number;
	readonly kind: 'sentence' | 'heading' | 'row';
	/** Verbatim, but for blanks and the hyphens of divided words. */
	readonly text: string;
	/** Counts paragraphs, items and rows. */
	readonly block: number;
	/** Of rows. */
	readonly cells?: readonly Cell[];
	/** Of rows: the row that names the columns. */
	readonly header?: number;
	/** It names the columns of the rows below. */
	readonly isHeader?: true;
	/** The heading above it. */
	readonly heading?: number;
	/** It begins an item of a list. */
	readonly isItem?: true;
	/** A line that repeats on every page, kept once. */
	readonly isFurniture?: true;
}

/** Reads pages into units; one reader for all pages of all documents that are searched together. */
export class UnitReader {
	readonly units: Unit[] = [];
	#block = 0;
	#heading: number | undefined;
	#seen = new Set<string>();

	/** Headings hold until the next one, within one document. */
	startDocument(): void {
		this.#heading = undefined;
		this.#seen = new Set();
	}

	/** Adds a page. `running` are the lines that repeat on pages: each is kept the first time only. */
	addPage(document: number, { page, text }: Page, running: ReadonlySet<string>): void {
		const lines = withoutQuoteMarks(withoutLineNumbers(text.split('\n')));
		const [own, repeated] = this.#part(lines, running);
		const ids: number[] = [];
		for (const block of withTables(blocksOf(own))) {
			ids.push(this.units.length);
			this.#add(document, page, block, block.header === undefined ? undefined : ids[block.header]);
		}
		for (const line of repeated) this.#push({ document, page, kind: 'sentence', text: line, isFurniture: true });
	}

	#part(lines: readonly string[], running: ReadonlySet<string>): [string[], string[]] {
		if (running.size === 0) return [[...lines], []];
		const own: string[] = [];
		const repeated: string[] = [];
		for (const [at, line] of lines.entries()) {
			const shape = shapeOf(line);
			const isTitle = !this.#seen.has(shape) && at < lines.length / 2;
			if (shape === '' || !running.has(shape) || isTitle) own.push(line);
			else if (!this.#seen.has(shape)) repeated.push(line.trim().replace(/\s+/g, ' '));
			this.#seen.add(shape);
		}
		return [own, repeated];
	}

	#add(document: number, page: number, block: Placed, header: number | undefined): void {
		this.#block++;
		if (block.kind === 'row') {
			const { text, cells = [], isHeader } = block;
			const place = header === undefined ? isHeader && { isHeader } : { header };
			this.#push({ document, page, kind: 'row', text, cells, ...place });
		} else if (block.kind === 'heading') {
			this.#heading = undefined;
			this.#push({ document, page, kind: 'heading', text: block.text });
			this.#heading = this.units.length - 1;
		} else {
			const sentences = sentencesOf(block.text).filter((text) => /[\p{L}\p{N}]{2}/u.test(text));
			for (const [at, text] of sentences.entries()) {
				const isItem = block.kind === 'item' && at === 0;
				this.#push({ document, page, kind: 'sentence', text, ...(isItem && { isItem }) });
			}
		}
	}

	#push(unit: Omit<Unit, 'id' | 'block' | 'heading'>): void {
		const heading = this.#heading;
		const id = this.units.length;
		this.units.push({ ...unit, id, block: this.#block, ...(heading !== undefined && { heading }) });
	}
}
