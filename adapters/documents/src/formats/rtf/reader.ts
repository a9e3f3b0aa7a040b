import type { DocumentMetadata } from '@plinth/toolkit';
import { ByteRun } from './byte-run.ts';
import { type Destination, destinationOf } from './destinations.ts';
import { Edges, isEdge } from './edges.ts';
import { FontTable } from './font-table.ts';
import { symbolText } from './fonts.ts';
import { Paragraphs } from './paragraphs.ts';
import { changeOf, firstState, type State } from './state.ts';
import type { RtfHandler } from './tokens.ts';
import { characters, headPages } from './words.ts';

/** Deeper groups change nothing: no document has a hundred. */
const maxDepth = 1_000;

/** Turns the tokens of an RTF file into pages of text. */
export class RtfReader implements RtfHandler {
	readonly #body = new Paragraphs();
	readonly #fonts = new FontTable();
	readonly #run = new ByteRun();
	readonly #outer: State[] = [];
	readonly #edges = new Edges();
	readonly #metadata: { title?: string; author?: string; created?: string } = {};
	readonly #time = new Map<string, number>();
	readonly #headings = new Set<number>();
	#styleNumber = 0;
	#state: State = firstState(this.#body);
	/** Groups beyond the deepest that counts. */
	#beyond = 0;
	/** Groups within one that is left out, itself included. */
	#ignored = 0;
	/** Nothing but the opening brace of the group came yet. */
	#isFirst = false;
	#isStarred = false;
	/** Characters still to be left out behind a `\u`. */
	#skip = 0;
	#notes = 0;
	/** A section has ended; whether the next one begins a page is not known yet. */
	#sectionEnded = false;

	open(): void {
		if (this.#ignored > 0) {
			this.#ignored++;
			return;
		}
		this.#flush();
		this.#skip = 0;
		this.#isFirst = true;
		this.#isStarred = false;
		if (this.#outer.length >= maxDepth) this.#beyond++;
		else {
			this.#outer.push(this.#state);
			this.#state = { ...this.#state, place: listOf(this.#state) };
		}
	}

	close(): void {
		if (this.#ignored > 1) {
			this.#ignored--;
			return;
		}
		this.#ignored = 0;
		this.#flush();
		this.#skip = 0;
		this.#isFirst = false;
		if (this.#beyond > 0) {
			this.#beyond--;
			return;
		}
		const inner = this.#state;
		this.#state = this.#outer.pop() ?? this.#state;
		if (inner.place && inner !== this.#state) this.#leave(inner.place, inner.flow);
	}

	word(name: string, number: number | undefined): void {
		if (this.#ignored > 0) return;
		this.#flush();
		const place = this.#isFirst ? this.#placeOf(name) : undefined;
		this.#isFirst = false;
		if (place) this.#enter(place);
		else if (this.#state.place === 'fonts') this.#fonts.word(name, number);
		else if (this.#state.place === 'styles') this.#style(name, number);
		else this.#plainWord(name, number);
	}

	#styleName(name: string): void {
		if (/^heading [1-9]\b/i.test(name)) this.#headings.add(this.#styleNumber);
	}

	/** Many writers tell headings by their style only. */
	#style(name: string, number = 0): void {
		if (name === 's') this.#styleNumber = number;
		else if (name === 'outlinelevel' && number < 9) this.#headings.add(this.#styleNumber);
	}

	#plainWord(name: string, number: number | undefined): void {
		if (this.#state.place === 'created') this.#time.set(name, number ?? 0);
		const text = characters.get(name);
		if (text !== undefined) this.#character(text);
		else if (name === 'u') this.#unicode(number ?? 0);
		else if (name === 's') {
			this.#state = { ...this.#state, isHeading: this.#headings.has(number ?? 0) };
		} else this.#change(name, number);
	}

	#change(name: string, number: number | undefined): void {
		const change = changeOf(name, number);
		if (change) this.#state = { ...this.#state, ...change };
		else this.#mark(name, number);
	}

	symbol(character: string): void {
		if (this.#ignored > 0) return;
		this.#flush();
		if (character === '*') {
			this.#isStarred = this.#isFirst;
			return;
		}
		this.#isFirst = false;
		if (character === '\n' || character === '\r') this.#mark('par', undefined);
		const text = characters.get(character);
		if (text !== undefined) this.#character(text);
	}

	hex(byte: number): void {
		if (this.#ignored > 0) return;
		if (this.#skip > 0) this.#skip--;
		else {
			this.#isFirst = false;
			if (this.#run.isFull) this.#flush();
			this.#run.add(byte);
		}
	}

	raw(bytes: Buffer): void {
		if (this.#ignored > 0) return;
		const skipped = Math.min(this.#skip, bytes.length);
		this.#skip -= skipped;
		for (let at = skipped; at < bytes.length; ) {
			this.#isFirst = false;
			if (this.#run.isFull) this.#flush();
			at += this.#run.addAll(bytes.subarray(at));
		}
	}

	/** What was read, once all tokens came. Groups that were never closed count as closed. */
	finish(): { readonly pages: readonly string[]; readonly metadata: DocumentMetadata } {
		this.#ignored = 0;
		this.#beyond = 0;
		while (this.#outer.length > 0) this.close();
		this.#flush();
		const pages = this.#body.finish();
		pages[0] = [...this.#edges.headers, pages[0]].join('\n');
		pages.push([pages.pop(), ...this.#edges.footers].join('\n'));
		return { pages, metadata: this.#metadata };
	}

	/** Places within each other are no more than two, such as a list mark in a note; beyond that, all is text of the outer one. */
	#placeOf(name: string): Destination | undefined {
		const place = destinationOf(name, this.#isStarred);
		const isFull = this.#beyond > 0 || this.#state.nesting >= 2;
		return isFull && place !== 'ignore' ? undefined : place;
	}

	#enter(place: Destination): void {
		if (place === 'ignore') this.#ignored = 1;
		else if (place === 'frame') this.#state = { ...this.#state, isShown: false };
		else if (place === 'shown') this.#state = { ...this.#state, isShown: true };
		else {
			if (place === 'note') this.#emit(`[${this.#notes + 1}]`);
			const nesting = this.#state.nesting + 1;
			const isShown = place !== 'styles';
			this.#state = { ...this.#state, place, flow: new Paragraphs(), isShown, nesting };
		}
	}

	#leave(place: Destination, flow: Paragraphs): void {
		const text = flow.finish().join('\n').trim();
		const outer = this.#state;
		if (isEdge(place)) this.#edges.add(place, text);
		else if (place === 'title' || place === 'author') {
			if (text) this.#metadata[place] = text;
		} else if (place === 'created') this.#created();
		else if (place === 'marker') outer.flow.marker(markerOf(text));
		else if (place === 'box' && !isLeftOut(outer)) outer.flow.aside(text);
		else if (place === 'comment' && isVisible(outer) && text) outer.flow.note(`Comment: ${text}`);
		else if (place === 'note' && isVisible(outer)) {
			this.#notes++;
			outer.flow.note(`[${this.#notes}] ${text}`);
		}
	}

	#created(): void {
		const part = (name: string) => this.#time.get(name) ?? 0;
		const time = Date.UTC(part('yr'), part('mo') - 1, part('dy'), part('hr'), part('min'));
		if (part('yr') > 0 && !Number.isNaN(time)) {
			this.#metadata.created = new Date(time).toISOString();
		}
	}

	/** Words that end something. */
	#mark(name: string, number: number | undefined): void {
		const { flow, inTable, isHeading } = this.#state;
		if (name === 'ansicpg') this.#fonts.setPage(number ?? 1252);
		else if (name === 'deff') this.#fonts.setDefault(number ?? 0);
		else if (headPages.has(name)) this.#fonts.setPage(headPages.get(name) ?? 1252);
		else if (name === 'sbknone' || name === 'sbkcol') this.#sectionEnded = false;
		else this.#edges.word(name);
		if (!isVisible(this.#state) || !marks.has(name)) return;
		if (name === 'par') {
			this.#breakSection();
			flow.paragraph(inTable, isHeading);
		} else if (name === 'cell') flow.cell();
		else if (name === 'row') flow.row();
		else if (name === 'nestcell' || name === 'nestrow') flow.paragraph(true);
		else if (name === 'sect') {
			flow.paragraph();
			this.#sectionEnded = true;
		} else flow.page();
	}

	#breakSection(): void {
		if (!this.#sectionEnded || this.#state.flow !== this.#body) return;
		this.#sectionEnded = false;
		this.#body.page();
	}

	#character(text: string): void {
		if (this.#skip > 0) this.#skip--;
		else this.#emit(text);
	}

	#unicode(number: number): void {
		const code = number < 0 ? number + 65_536 : number;
		this.#skip = this.#state.fallback;
		const isSymbol = code >= 0xf000 && code <= 0xf0ff;
		if (isSymbol) this.#emit(symbolText(code, this.#fonts.isGreek(this.#state.font)));
		else if (code >= 0 && code <= 0x10_ff_ff) this.#emit(String.fromCodePoint(code));
	}

	#flush(): void {
		if (this.#run.isEmpty) return;
		const bytes = this.#run.take();
		if (this.#state.place === 'fonts') this.#fonts.name(bytes.toString('latin1'));
		else if (this.#state.place === 'styles') this.#styleName(bytes.toString('latin1'));
		else if (isVisible(this.#state)) this.#emit(this.#fonts.decode(bytes, this.#state.font));
	}

	#emit(written: string): void {
		const { flow, breaksPage, place } = this.#state;
		// A symbol that nobody knows is a bullet where one is due.
		const text = place === 'marker' ? written || '•' : written;
		if (!isVisible(this.#state) || text === '') return;
		this.#breakSection();
		if (breaksPage && flow.isBetween && !flow.isFresh) flow.page();
		flow.text(text);
	}
}

/** The tables of fonts and styles list each of them in a group of its own. */
function listOf({ place }: State): Destination | undefined {
	return place === 'fonts' || place === 'styles' ? place : undefined;
}

/** Numbers as they are, bullets of any kind as `-`. Headings without a number have an empty mark. */
function markerOf(text: string): string {
	return text === '' || /[\p{L}\p{N}]/u.test(text) ? text : '-';
}

function isVisible(state: State): boolean {
	return state.isShown && !isLeftOut(state);
}

/** Whether there is a frame around it or not. */
function isLeftOut({ isHidden, isDeleted }: State): boolean {
	return isHidden || isDeleted;
}

const marks = new Set(['par', 'cell', 'row', 'nestcell', 'nestrow', 'sect', 'page', 'softpage']);
