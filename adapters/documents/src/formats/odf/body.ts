import type { Attributes, XmlHandler } from '../../markup/xml.ts';
import { Flow, Room } from '../flow/flow.ts';
import type { FormulaReader } from '../flow/formula.ts';
import { refuseBeyond } from '../pages.ts';
import { Masters } from './masters.ts';
import type { Shape } from './reading-order.ts';
import type { ListRun, SheetRun, TableRun } from './runs.ts';
import { Styles } from './styles.ts';

/** What happens at the end of an element. */
export type Close = () => void;

/** What the beginning of an element does. What it returns is done at the element's end. */
export type Opening = (body: Body, attributes: Attributes) => Close | undefined;

/** What a document says of itself, as written. */
export interface Facts {
	title?: string;
	author?: string;
	/** Who changed it last. */
	editor?: string;
	created?: string;
}

/** A document in OpenDocument's format while it is read: where its text goes, and what it stands in. */
export class Body implements XmlHandler {
	readonly facts: Facts = {};
	readonly styles = new Styles();
	readonly masters = new Masters();
	readonly room: Room;
	/** Lines of the charts and formulas inside the document, by their names. */
	readonly objects: ReadonlyMap<string, readonly string[]>;
	/** Pages that are complete. */
	readonly pages: (readonly string[])[] = [];
	/** Where text goes: the page, a cell, a frame, or what is no part of the text. */
	flow: Flow;
	/** Empty lines between paragraphs. */
	gap: 0 | 1 = 1;
	/** Lines of frames, which follow the paragraph that they are anchored in. */
	after: string[] = [];
	/** Notes of this page, and of the end. */
	notes: string[] = [];
	readonly endnotes: string[] = [];
	list: ListRun | undefined;
	/** The numbers of the last heading, by level. */
	headings: readonly number[] = [];
	table: TableRun | undefined;
	/** The cell that is being read holds a table of its own. */
	hasTable = false;
	/** Text stands in a cell of a table on the page. */
	isInCell = false;
	/** The frame that is being read: whether it holds a picture, and what is said of that. */
	picture: { isPicture: boolean; text: string } | undefined;
	formula: FormulaReader['formula'];
	sheet: SheetRun | undefined;
	isInMeta = false;
	isInNotes = false;
	/** What the speaker of a slide is to say. */
	speakerNotes: string[] = [];
	/** Footers and dates that slides refer to. */
	readonly declarations = new Map<string, string>();
	/** The slide or group whose shapes are being read. */
	shapes: Shape[] | undefined;
	/** Something stands on this page, if only an empty paragraph. */
	isPageBegun = false;
	/** A page ends as soon as what cannot be split does. */
	isBreakDue = false;
	/** The document says somewhere that a page ends. */
	hasBreaks = false;
	#page: Flow;
	/** Paragraphs around the current place: text is text within them only. */
	#paragraphs = 0;
	#hidden = 0;
	#noteCount = 0;
	readonly #openings: ReadonlyMap<string, Opening>;
	readonly #closes: (Close | undefined)[] = [];

	constructor(
		openings: ReadonlyMap<string, Opening>,
		objects: ReadonlyMap<string, readonly string[]> = new Map(),
		room = new Room(),
	) {
		this.#openings = openings;
		this.objects = objects;
		this.room = room;
		this.#page = new Flow(room);
		this.flow = this.#page;
	}

	open(name: string, attributes: Attributes): void {
		if (this.#hidden > 0) this.#closes.push(undefined);
		else this.#closes.push(this.#openings.get(name)?.(this, attributes));
	}

	text(text: string): void {
		if (this.#hidden === 0 && this.#paragraphs > 0) this.flow.text(text);
	}

	close(): void {
		this.#closes.pop()?.();
	}

	/** Ends all that is open, after a part that broke off. */
	unwind(): void {
		while (this.#closes.length > 0) this.close();
	}

	/** Text stands directly in a paragraph here. */
	get isInParagraph(): boolean {
		return this.#paragraphs > 0;
	}

	/** What stands here can be split between two pages. */
	get isOnPage(): boolean {
		return this.flow === this.#page;
	}

	/** Leaves out everything to the element's end. */
	hide(): Close {
		this.#hidden++;
		return () => {
			this.#hidden--;
		};
	}

	/** Takes text as such to the element's end. */
	paragraph(): Close {
		this.#paragraphs++;
		return () => {
			this.#paragraphs--;
		};
	}

	/** Sends text to a flow of its own to the element's end, where `done` gets its lines. What it stands in does not count inside it. */
	apart(done: (lines: readonly string[]) => void, gap: 0 | 1 = 0): Close {
		const flow = new Flow(this.room);
		const outer = {
			flow: this.flow,
			gap: this.gap,
			list: this.list,
			table: this.table,
			after: this.after,
			isInCell: this.isInCell,
		};
		const paragraphs = this.#paragraphs;
		this.#paragraphs = 0;
		Object.assign(this, {
			flow,
			gap,
			list: undefined,
			table: undefined,
			after: [],
			isInCell: false,
		});
		return () => {
			flow.block();
			flow.lines(this.after);
			this.#paragraphs = paragraphs;
			Object.assign(this, outer);
			done(flow.finish());
		};
	}

	/** Ends the page, or lets it end as soon as it can. */
	breakPage(): void {
		this.hasBreaks = true;
		this.isBreakDue = this.isInCell;
		if (!this.isOnPage) return;
		this.endPage();
		this.#page = new Flow(this.room);
		this.flow = this.#page;
		for (let level = this.list?.level ?? 0; level > 0; level--) this.flow.indent(1);
	}

	/** The number of a note that begins. */
	nextNote(): number {
		this.#noteCount++;
		return this.#noteCount;
	}

	/** Completes the page: notes stand at its end. */
	endPage(): void {
		const page = this.#page;
		page.block(1);
		page.lines(this.notes);
		this.notes = [];
		this.isPageBegun = false;
		this.pages.push(page.finish());
		refuseBeyond(this.pages.length);
	}
}
