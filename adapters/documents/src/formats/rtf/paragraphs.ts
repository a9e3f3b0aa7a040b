import { Lines } from '../lines.ts';

/** Breaks beyond so many pages are just lines. */
const maxPages = 20_000;

/**
 * Text of one place (the body, a header, a note) as it grows: paragraphs become lines, rows of tables one line each, and page breaks begin
 * a new page. Serves every format whose text comes as a stream of characters and marks.
 */
export class Paragraphs {
	readonly #pages = [new Lines()];
	#notes: string[] = [];
	/** How many of them are of paragraphs that have ended. */
	#notesBefore = 0;
	#parts: string[] = [];
	#marker = '';
	#asides: string[] = [];
	/** Cells of the row that is under way. */
	#cells: string[] = [];
	#cell: string[] = [];

	text(text: string): void {
		this.#parts.push(text);
	}

	/** The number or bullet in front of the paragraph that is under way. */
	marker(marker: string): void {
		this.#marker ||= marker;
	}

	/** Text that stands beside the paragraph that is under way, such as a text box; it follows that paragraph. */
	aside(text: string): void {
		if (text.trim()) this.#asides.push(text);
	}

	/** A note of the page that is under way: it stands at the page's end. */
	note(text: string): void {
		this.#notes.push(text);
	}

	/** Nothing of a paragraph is in yet. */
	get isBetween(): boolean {
		return this.#parts.length === 0;
	}

	/** Nothing is on the page that is under way. */
	get isFresh(): boolean {
		return this.isBetween && this.#cells.length === 0 && this.#page.isEmpty;
	}

	/** Ends a paragraph, of a table's cell or else of the text. */
	paragraph(inTable = false, isHeading = false): void {
		const text = this.#taken();
		this.#notesBefore = this.#notes.length;
		const asides = this.#asides;
		if (asides.length > 0) this.#asides = [];
		if (inTable) {
			this.#cell.push(text);
			for (const aside of asides) this.#cell.push(aside);
			return;
		}
		this.row();
		if (isHeading) this.#page.add('');
		this.#page.add(text);
		if (isHeading) this.#page.add('');
		for (const aside of asides) this.#page.add(aside);
	}

	/** Ends a cell. */
	cell(): void {
		this.paragraph(true);
		this.#cells.push(this.#cell.map(oneLine).filter(Boolean).join(' '));
		this.#cell = [];
	}

	/** Ends a row; nothing happens outside of tables. */
	row(): void {
		if (this.#cell.length > 0) this.cell();
		if (this.#cells.length === 0) return;
		if (this.#cells.some(Boolean)) this.#page.add(`| ${this.#cells.join(' | ')} |`);
		this.#cells = [];
	}

	/** Ends a page, in the middle of a paragraph or between two. Within a table it is nothing: a row is one line. */
	page(): void {
		if (this.#cells.length > 0 || this.#cell.length > 0) return;
		if (!this.isBetween) this.paragraph();
		if (this.#pages.length === maxPages) return;
		this.#endPage();
		this.#pages.push(new Lines());
	}

	/** Ends the page before the paragraph that is under way, which takes its notes along. Within a table it is nothing. */
	pageBefore(): void {
		if (this.#cells.length > 0 || this.#cell.length > 0 || this.#page.isEmpty) return;
		if (this.#pages.length === maxPages) return;
		const own = this.#notes.splice(this.#notesBefore);
		this.#endPage();
		this.#pages.push(new Lines());
		this.#notes = own;
	}

	/** The text of each page, once everything is in. */
	finish(): string[] {
		if (!this.isBetween || this.#asides.length > 0) this.paragraph();
		this.row();
		this.#endPage();
		return this.#pages.map(String);
	}

	get #page(): Lines {
		return this.#pages.at(-1) as Lines;
	}

	#endPage(): void {
		for (const note of this.#notes) this.#page.add(note);
		this.#notes = [];
		this.#notesBefore = 0;
	}

	#taken(): string {
		if (this.isBetween && !this.#marker) return '';
		const text = this.#parts.join('');
		this.#parts = [];
		const bullet = /^[•▪◦‣·●○■□➢–]\t\s*/.exec(text);
		const marker = this.#marker || (bullet ? '-' : '');
		this.#marker = '';
		const body = bullet ? text.slice(bullet[0].length) : text;
		return marker ? `${marker} ${body.trimStart()}` : body;
	}
}

function oneLine(text: string): string {
	return text.replace(/\s+/g, ' ').trim();
}
