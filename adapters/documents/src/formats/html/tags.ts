import { Tokenizer } from 'htmlparser2';
import { closedBy, endedBy, isVoid, scopeOf } from './nesting.ts';

/** Those attributes of an element that say something about its text. */
export type Attributes = ReadonlyMap<string, string>;

/** What happens at the end of an element. */
export type Close = () => void;

/** Told what an HTML text holds, in its order. */
export interface TagHandler {
	/** An element begins. Those for which nothing is returned are no part of the nesting: nobody asks where they end. */
	open(name: string, attributes: Attributes): Close | undefined;
	text(text: string): void;
}

/** How an HTML text is read. */
export interface TagOptions {
	/** `<title/>` is an element without content, as in XHTML; in HTML it is the begin of one. */
	readonly isXhtml?: boolean;
}

const kept = new Set(
	'alt checked colspan content epub:type hidden href label multiple name open property reversed role rowspan selected start style type value'.split(
		' ',
	),
);

/** How far up an end tag looks for its element. It is next to always the last one; what is looked up in vain must not cost. */
const maxSteps = 64;

/**
 * Reads HTML without a tree, however wrong it is: end tags that are missing are supplied as browsers do, those without an element are
 * ignored. Takes time by the length of the text, whatever stands in it, and no stack for elements within elements.
 */
export function readTags(text: string, handler: TagHandler, options: TagOptions = {}): void {
	const tags = new Tags(text, handler, options.isXhtml === true);
	const tokenizer = new Tokenizer({ recognizeSelfClosing: options.isXhtml === true }, tags);
	tokenizer.write(text);
	tokenizer.end();
}

interface Element {
	readonly name: string;
	readonly close: Close;
}

/** The tokenizer's events as elements. Positions are those of the text. */
class Tags {
	readonly #text: string;
	readonly #handler: TagHandler;
	readonly #isXhtml: boolean;
	readonly #elements: Element[] = [];
	/** How many elements of a name are open. */
	readonly #open = new Map<string, number>();
	#name = '';
	#attributes = new Map<string, string>();
	#attribute = '';
	#value = '';

	constructor(text: string, handler: TagHandler, isXhtml: boolean) {
		this.#text = text;
		this.#handler = handler;
		this.#isXhtml = isXhtml;
	}

	isInForeignContext(): boolean {
		return this.#isOpen('svg') || this.#isOpen('math');
	}

	ontext(start: number, end: number): void {
		this.#handler.text(this.#text.slice(start, end));
	}

	ontextentity(codepoint: number): void {
		this.#handler.text(String.fromCodePoint(codepoint));
	}

	oncdata(start: number, end: number, endOffset: number): void {
		if (this.#isXhtml || this.isInForeignContext()) this.ontext(start, end - endOffset);
	}

	onopentagname(start: number, end: number): void {
		this.#name = this.#nameAt(start, end);
		this.#attributes = new Map();
	}

	onattribname(start: number, end: number): void {
		this.#attribute = end - start > 20 ? '' : this.#text.slice(start, end).toLowerCase();
		this.#value = '';
	}

	onattribdata(start: number, end: number): void {
		if (kept.has(this.#attribute)) this.#value += this.#text.slice(start, end);
	}

	onattribentity(codepoint: number): void {
		if (kept.has(this.#attribute)) this.#value += String.fromCodePoint(codepoint);
	}

	onattribend(): void {
		if (!kept.has(this.#attribute) || this.#attributes.has(this.#attribute)) return;
		this.#attributes.set(this.#attribute, this.#value);
	}

	onopentagend(): void {
		this.#begin(this.#name, this.#attributes);
	}

	onselfclosingtag(): void {
		const isEmpty = this.#isXhtml || this.isInForeignContext();
		const element = this.#begin(this.#name, this.#attributes);
		if (isEmpty && element) this.#closeFrom(this.#elements.length - 1);
	}

	onclosetag(start: number, end: number): void {
		const name = this.#nameAt(start, end);
		// What browsers make of end tags without an element.
		if (name === 'br' || (name === 'p' && !this.#isOpen('p'))) this.#begin(name, new Map());
		this.#close(endedBy(name), scopeOf(name));
	}

	onend(): void {
		this.#closeFrom(0);
	}

	oncomment(): void {}
	ondeclaration(): void {}
	onprocessinginstruction(): void {}

	#nameAt(start: number, end: number): string {
		const name = this.#text.slice(start, end).toLowerCase();
		return name === 'image' ? 'img' : name.replace(/^(x?html|h):/, '');
	}

	#isOpen(name: string): boolean {
		return (this.#open.get(name) ?? 0) > 0;
	}

	#begin(name: string, attributes: Attributes): Element | undefined {
		if ((name === 'tr' || name === 'td' || name === 'th') && !this.#isOpen('table')) {
			this.#begin('table', new Map());
		}
		for (const { names, within } of closedBy(name)) this.#close(names, within);
		const close = this.#handler.open(name, attributes);
		if (!close) return undefined;
		if (isVoid(name)) {
			close();
			return undefined;
		}
		const element = { name, close };
		this.#elements.push(element);
		this.#open.set(name, (this.#open.get(name) ?? 0) + 1);
		return element;
	}

	/** Closes the innermost element of these names, with all inside it, unless an element of `within` is further in. */
	#close(names: readonly string[], within: ReadonlySet<string>): void {
		if (!names.some((name) => this.#isOpen(name))) return;
		const last = this.#elements.length - 1;
		for (let at = last; at >= 0 && at > last - maxSteps; at--) {
			const name = this.#elements[at]?.name ?? '';
			if (names.includes(name)) {
				this.#closeFrom(at);
				return;
			}
			if (within.has(name)) return;
		}
	}

	#closeFrom(depth: number): void {
		while (this.#elements.length > depth) {
			const element = this.#elements.pop();
			if (!element) return;
			this.#open.set(element.name, (this.#open.get(element.name) ?? 1) - 1);
			element.close();
		}
	}
}
