import { Flow, Room } from '../flow/flow.ts';
import type { FormulaReader } from '../flow/formula.ts';
import type { Table } from '../flow/table.ts';
import type { Attributes, Close, TagHandler } from './tags.ts';

/** A list that is being read. */
export interface List {
	/** The number of its next item; undefined in lists that count nothing. */
	next: number | undefined;
	readonly step: 1 | -1;
	readonly counting: string | undefined;
}

/** A choice that is being read: what is selected, and what is when nothing is. */
export interface Choice {
	readonly selected: string[];
	first: string | undefined;
	readonly isMultiple: boolean;
}

/** What an HTML document says of itself. */
export interface PageFacts {
	title?: string;
	author?: string;
	/** As written. */
	created?: string;
}

/** What the beginning of an element does to a page. What it returns is done at the element's end. */
export type Opening = (page: Page, attributes: Attributes) => Close | undefined;

const nothing = () => {};
const invisible = /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all)/i;
const spaced = /(?:^|[;\s])white-space\s*:\s*(?:pre(?!-line)|break-spaces)/i;

/** An HTML document while it is read: where its text goes, and what it stands in. */
export class Page implements TagHandler {
	readonly facts: PageFacts = {};
	readonly room = new Room();
	/** Where text goes: the page, a cell, or what is no part of the page's text. */
	flow = new Flow(this.room);
	list: List | undefined;
	table: Table | undefined;
	choice: Choice | undefined;
	/** How many tables the text stands in. */
	tables = 0;
	formula: FormulaReader['formula'];
	/** Above the line, as signs of notes are. */
	isRaised = false;
	/** Links so far, and those around the text. */
	links = 0;
	openLinks = 0;
	/** Within SVG or MathML. */
	isDrawing = false;
	/** The cell that is being read holds a table of its own. */
	hasTable = false;
	readonly #openings: ReadonlyMap<string, Opening>;
	#hidden = 0;
	/** Elements that keep their white space. */
	#exact = 0;
	#isAtBegin = false;

	constructor(openings: ReadonlyMap<string, Opening>) {
		this.#openings = openings;
	}

	open(name: string, attributes: Attributes): Close | undefined {
		// All elements count in what is hidden, so that its end is found.
		if (this.#hidden > 0) return nothing;
		this.#isAtBegin = false;
		if (isHidden(attributes)) return this.hide();
		const close = this.#openings.get(name)?.(this, attributes);
		if (!spaced.test(attributes.get('style') ?? '')) return close;
		return both(this.keepSpace(), close);
	}

	text(text: string): void {
		if (this.#hidden > 0) return;
		if (this.#exact === 0) this.flow.text(text);
		else this.flow.exact(this.#isAtBegin ? text.replace(/^\r?\n/, '') : text);
		this.#isAtBegin = false;
	}

	/** Leaves out everything to the element's end. */
	hide(): Close {
		this.#hidden++;
		return () => {
			this.#hidden--;
		};
	}

	/** Keeps white space as it is to the element's end, but for a line break at its begin. */
	keepSpace(): Close {
		this.#exact++;
		this.#isAtBegin = true;
		return () => {
			this.#exact--;
		};
	}

	/** A flow apart from the page's text. */
	scratch(): Flow {
		return new Flow(this.room);
	}

	/** Sends text to `flow` to the element's end. */
	divert(flow: Flow): Close {
		const before = this.flow;
		this.flow = flow;
		return () => {
			this.flow = before;
		};
	}
}

/** Does one after the other. */
export function both(one: Close | undefined, other: Close | undefined): Close {
	return () => {
		one?.();
		other?.();
	};
}

function isHidden(attributes: Attributes): boolean {
	if (attributes.size === 0) return false;
	return attributes.has('hidden') || invisible.test(attributes.get('style') ?? '');
}
