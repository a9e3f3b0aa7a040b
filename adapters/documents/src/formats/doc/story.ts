import { Paragraphs } from '../rtf/paragraphs.ts';
import type { TextRun } from './characters.ts';
import type { Lists } from './lists.ts';
import { operations, type Stretch, stretchAt } from './properties.ts';

/** What the characters of a document mean beyond themselves. */
export interface Meaning {
	readonly paragraphs: readonly Stretch[];
	/** Positions of breaks that end a section and begin no page. */
	readonly softBreaks: ReadonlySet<number>;
	/** Texts of notes by the position of their mark. */
	readonly notes: ReadonlyMap<number, string>;
	/** Texts of comments, likewise. */
	readonly comments: ReadonlyMap<number, string>;
	readonly lists: Lists;
}

/** The pages of the characters from one position to another, as far as they are shown. */
export function storyPages(runs: readonly TextRun[], from: number, to: number, meaning: Meaning): string[] {
	const story = new Story(meaning);
	for (let at = runAt(runs, from); at < runs.length; at++) {
		const run = runs[at];
		if (!run || run.position >= to) break;
		if (run.isHidden) continue;
		story.read(run, Math.max(0, from - run.position), Math.min(run.text.length, to - run.position));
	}
	return story.finish();
}

/** The index of the run that holds a position. */
function runAt(runs: readonly TextRun[], position: number): number {
	let low = 0;
	let high = runs.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((runs[middle]?.position ?? 0) <= position) low = middle + 1;
		else high = middle;
	}
	return Math.max(0, low - 1);
}

const cellMark = 0x07;
const fieldStart = 0x13;
const fieldResult = 0x14;
const fieldEnd = 0x15;

class Story {
	readonly #out = new Paragraphs();
	readonly #meaning: Meaning;
	/** For each field that is open: whether its instruction is still going on. */
	readonly #fields: boolean[] = [];
	#instructions = 0;
	#lastWasCell = false;
	#notes = 0;

	constructor(meaning: Meaning) {
		this.#meaning = meaning;
	}

	read(run: TextRun, from: number, to: number): void {
		let start = from;
		for (let at = from; at < to; at++) {
			const code = run.text.charCodeAt(at);
			if (code >= 0x20 && code !== 0xa0) continue;
			this.#text(run.text.slice(start, at));
			start = at + 1;
			this.#mark(code, run.place + at * run.width, run.position + at);
		}
		this.#text(run.text.slice(start, to));
	}

	finish(): string[] {
		return this.#out.finish();
	}

	#text(text: string): void {
		if (text === '' || this.#instructions > 0) return;
		this.#lastWasCell = false;
		this.#out.text(text);
	}

	#mark(code: number, place: number, position: number): void {
		const plain = characters[code];
		if (code === fieldStart || code === fieldResult || code === fieldEnd) this.#field(code);
		else if (this.#instructions > 0) return;
		else if (plain !== undefined) this.#text(plain);
		else if (code === 0x02) this.#note(position);
		else if (code === 0x05) this.#comment(position);
		else if (code === 0x0c) this.#break(position);
		else if (code === 0x0d || code === cellMark) this.#end(code, place);
	}

	#field(code: number): void {
		if (code === fieldStart) {
			this.#fields.push(true);
			this.#instructions++;
			return;
		}
		const wasInstruction = code === fieldEnd ? this.#fields.pop() : this.#fields.at(-1);
		if (wasInstruction) this.#instructions--;
		if (code === fieldResult && this.#fields.length > 0) this.#fields[this.#fields.length - 1] = false;
	}

	#note(position: number): void {
		const text = this.#meaning.notes.get(position);
		if (text === undefined) return;
		this.#notes++;
		this.#text(`[${this.#notes}]`);
		this.#out.note(`[${this.#notes}] ${text}`);
	}

	#comment(position: number): void {
		const text = this.#meaning.comments.get(position);
		if (text) this.#out.note(`Comment: ${text}`);
	}

	#break(position: number): void {
		if (this.#meaning.softBreaks.has(position)) this.#out.paragraph();
		else this.#out.page();
	}

	/** The end of a paragraph has the properties of all of it. */
	#end(code: number, place: number): void {
		const { operations: changes = new Map<number, number>(), style = 0 } =
			stretchAt(this.#meaning.paragraphs, place) ?? {};
		const isRowEnd = changes.get(operations.rowEnd) === 1 || (this.#lastWasCell && changes.size === 0);
		const isInner = changes.has(operations.innerCell) || changes.has(operations.innerRowEnd);
		if (code === cellMark) {
			if (isRowEnd) this.#out.row();
			else this.#out.cell();
		} else {
			const list = this.#out.isBetween ? 0 : (changes.get(operations.list) ?? 0);
			const mark = this.#meaning.lists.next(list, changes.get(operations.listLevel) ?? 0);
			if (mark) this.#out.marker(mark);
			const inTable = isInner || changes.get(operations.inTable) === 1;
			if (!inTable && changes.get(operations.pageBreakBefore) === 1) this.#out.pageBefore();
			const isHeading = (style >= 1 && style <= 9) || (changes.get(operations.outline) ?? 9) < 9;
			this.#out.paragraph(inTable, isHeading);
		}
		this.#lastWasCell = code === cellMark && !isRowEnd;
	}
}

/** Characters below the blank, and those that look like others. */
const characters: Readonly<Record<number, string>> = {
	9: '\t',
	11: '\n',
	14: '\n',
	30: '-',
	160: ' ',
};
