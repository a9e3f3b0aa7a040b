import { documentError } from '../../refusal.ts';
import { maxCharacters } from '../budget.ts';

/** Deeper lists are not set further to the right. */
const maxIndent = 12;

/** Characters that may still be written, by all flows of a document. Tables within tables are written more than once. */
export class Room {
	#left = 5 * maxCharacters;

	/** Throws `E_DOCUMENT_TOO_LARGE` when nothing is left: merged and repeated cells give much text for few bytes. */
	take(characters: number): void {
		this.#left -= characters;
		if (this.#left < 0) {
			throw documentError('E_DOCUMENT_TOO_LARGE', {
				message: 'The tables of the document give too much text.',
			});
		}
	}
}

/**
 * Running text as lines: white space collapses as in a browser, paragraphs and list items are lines, and so many empty lines stand between
 * blocks as the larger of both asks for. Hard blanks become blanks, soft hyphens vanish. Ends quietly when it holds more than a document may give.
 */
export class Flow {
	readonly #room: Room;
	readonly #lines: string[] = [];
	#characters = 0;
	#line = '';
	#isStarted = false;
	/** White space that is written when more text follows on the line. */
	#isBlankDue = false;
	#isAfterBlank = false;
	/** Empty lines before the next line. */
	#gap = 0;
	#indent = 0;
	#marker: string | undefined;

	constructor(room: Room = new Room()) {
		this.#room = room;
	}

	/** Nothing more is taken: the document's text is as long as it may be. */
	get isFull(): boolean {
		return this.#characters > maxCharacters;
	}

	/** Text whose white space collapses to single blanks, which vanish at both ends of a line. */
	text(text: string): void {
		const flat = /[\t\n\f\r]| {2}/.test(text) ? text.replace(/[ \t\n\f\r]+/g, ' ') : text;
		const start = flat.startsWith(' ') ? 1 : 0;
		const end = flat.length > start && flat.endsWith(' ') ? flat.length - 1 : flat.length;
		if (start === 1) this.#isBlankDue = true;
		if (end > start) this.#write(flat.slice(start, end));
		if (end < flat.length) this.#isBlankDue = true;
	}

	/** Text as it is: each of its lines is one. */
	exact(text: string): void {
		const lines = text.split(/\r\n?|\n/);
		for (const [index, line] of lines.entries()) {
			if (index > 0) this.break();
			if (line !== '') this.#write(line);
		}
	}

	/** A blank, unless there is one or the line begins or ends here. */
	blank(): void {
		this.#isBlankDue = true;
	}

	/** Ends the line; where none was begun, leaves one empty. */
	break(): void {
		if (this.#isStarted) this.#end();
		else this.#gap = Math.min(2, this.#gap + 1);
	}

	/** Ends a block, or begins one: the next text stands on a line of its own, below `gap` empty ones. */
	block(gap: 0 | 1 = 0): void {
		this.#end();
		this.#gap = Math.max(this.#gap, gap);
	}

	/** Sets the lines that follow two characters further to the right, or back with -1. */
	indent(by: 1 | -1): void {
		this.#indent += by;
	}

	/** What stands before the next line, to the left of the lines after it: the `- ` of a list item. Forgotten when given again before. */
	mark(marker: string | undefined): void {
		this.#marker = marker;
	}

	/** Lines as they are, below each other. */
	lines(lines: Iterable<string>): void {
		for (const line of lines) {
			if (this.isFull) return;
			if (line === '') this.block(1);
			else {
				this.block();
				this.#write(line);
			}
		}
		this.block();
	}

	/** All lines so far. Those between them that are empty are, too. */
	finish(): string[] {
		this.#end();
		return this.#lines;
	}

	#write(text: string): void {
		if (this.isFull) return;
		if (!this.#isStarted) this.#start();
		else if (this.#isBlankDue && !this.#isAfterBlank) this.#line += ' ';
		this.#isBlankDue = false;
		// Asked of the new part: asking the line would copy it every time.
		this.#isAfterBlank = text.endsWith(' ');
		this.#line += text;
		this.#characters += text.length;
		this.#room.take(text.length);
	}

	#start(): void {
		const level = this.#marker === undefined ? this.#indent : this.#indent - 1;
		this.#line = '  '.repeat(Math.max(0, Math.min(maxIndent, level))) + (this.#marker ?? '');
		this.#characters += this.#line.length + 1;
		this.#marker = undefined;
		this.#isStarted = true;
	}

	#end(): void {
		this.#isBlankDue = false;
		if (!this.#isStarted) return;
		this.#isStarted = false;
		const line = withoutHardBlanks(this.#line).trimEnd();
		this.#line = '';
		// A line of hard blanks is an empty line, as it looks.
		if (line === '') {
			this.#gap = Math.min(2, this.#gap + 1);
			return;
		}
		if (this.#lines.length > 0) {
			for (let gap = this.#gap; gap > 0; gap--) this.#lines.push('');
		}
		this.#lines.push(line);
		this.#gap = 0;
	}
}

function withoutHardBlanks(line: string): string {
	if (!/[\u00A0\u00AD]/.test(line)) return line;
	return line.replace(/\u00AD/g, '').replace(/\u00A0/g, ' ');
}
