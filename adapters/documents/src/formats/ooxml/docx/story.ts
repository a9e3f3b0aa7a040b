import type { Attributes, XmlHandler } from '../../../markup/xml.ts';
import { documentError } from '../../../refusal.ts';
import { maxCharacters } from '../../budget.ts';
import { shown } from '../shown.ts';
import type { Block } from './blocks.ts';
import { Inline } from './inline.ts';
import { Paragraph } from './paragraph.ts';
import { Sections } from './sections.ts';
import { setLook } from './styles.ts';
import type { Surroundings } from './surroundings.ts';
import { Table } from './table.ts';

/** Characters that may be written in all, those of tables within tables again and again. */
const maxWritten = 2 * maxCharacters;

type Act = (attributes: Attributes, name: string) => void;
type Acts = Readonly<Record<string, Act>>;

interface Place {
	readonly blocks: Block[];
	/** Page breaks count here. */
	readonly isPaged: boolean;
}

/** Elements that hold what was before a change, what is not shown, or what is shown another time. */
const hidden: ReadonlySet<string> = new Set([
	'w:moveFrom',
	'w:pPrChange',
	'w:rPrChange',
	'w:sectPrChange',
	'w:tblPrChange',
	'w:tcPrChange',
	'w:trPrChange',
	'w:rt',
]);

/** A handler that reads one story (the body, a header, notes) into the blocks of `story`. */
export function storyHandler(story: Story): XmlHandler {
	return shown(story, (name) => hidden.has(name) || (name === 'w:del' && !story.isStyle));
}

/** Reads the blocks of one story. Notes and comments go by their ids into `parts`. */
export class Story implements XmlHandler {
	readonly blocks: Block[] = [];
	readonly sections = new Sections();
	readonly parts = new Map<string, { readonly blocks: Block[]; readonly attributes: Attributes }>();
	readonly #around: Surroundings;
	/** Where blocks go: the body, cells, text boxes, notes. */
	readonly #places: Place[];
	readonly #paragraphs: Paragraph[] = [];
	readonly #tables: Table[] = [];
	readonly #inline = new Inline();
	/** A paragraph whose end is deleted. */
	#carried: Paragraph | undefined;
	#isParagraphStyle = false;
	#tableCount = 0;
	#noteCount = 0;
	#size = 0;

	constructor(around: Surroundings) {
		this.#around = around;
		this.#places = [{ blocks: this.blocks, isPaged: true }];
	}

	/** Within the properties of a paragraph or a row, where a deletion is the paragraph's end or the row. */
	get isStyle(): boolean {
		return this.#isParagraphStyle || this.#tables.at(-1)?.isRowStyle === true;
	}

	open(name: string, attributes: Attributes): void {
		const act = this.#opens.get(name);
		if (act) act(attributes, name);
		else if (this.sections.isOpen) this.sections.set(name, attributes);
		else if (!this.#isParagraphStyle) this.#add(this.#inline.open(name, attributes));
		else if (this.#paragraph) setLook(this.#paragraph.look, name, attributes);
	}

	text(text: string): void {
		this.#add(this.#inline.text(text));
	}

	close(name: string): void {
		this.#closes.get(name)?.();
		this.#add(this.#inline.close(name));
	}

	readonly #opens = new Map<string, Act>(
		Object.entries({
			'w:p': () => this.#beginParagraph(),
			'w:pPr': () => this.#setStyle(true),
			'w:pStyle': ({ 'w:val': id }) => {
				if (this.#paragraph) this.#paragraph.style = id ?? '';
			},
			'w:del': () => this.#delete(),
			'w:tab': () => this.#isParagraphStyle || this.#add(this.#inline.shown('\t')),
			'w:br': ({ 'w:type': type }) => (type === 'page' ? this.#break(true) : this.#add(this.#inline.shown('\n'))),
			'w:lastRenderedPageBreak': () => this.#break(false),
			'w:footnoteReference': (attributes, name) => this.#refer(name, attributes),
			'w:endnoteReference': (attributes, name) => this.#refer(name, attributes),
			'c:chart': ({ 'r:id': id }) => this.#show(id),
			'cx:chart': ({ 'r:id': id }) => this.#show(id),
			'dgm:relIds': ({ 'r:dm': id }) => this.#show(id),
			'w:tbl': () => this.#beginTable(),
			'w:tr': () => this.#tables.at(-1)?.beginRow(),
			'w:trPr': () => this.#setRowStyle(true),
			'w:gridBefore': ({ 'w:val': value }) => this.#tables.at(-1)?.skip(Number(value)),
			'w:tc': () => this.#beginCell(),
			'w:gridSpan': ({ 'w:val': value }) => this.#tables.at(-1)?.span(Number(value)),
			'w:vMerge': ({ 'w:val': value }) => this.#merge(value),
			'w:hMerge': ({ 'w:val': value }) => this.#merge(value),
			'w:txbxContent': () => this.#places.push({ blocks: [], isPaged: false }),
			'w:altChunk': ({ 'r:id': id }) => this.#insert(id),
			'w:footnote': (attributes, name) => this.#beginPart(name, attributes),
			'w:endnote': (attributes, name) => this.#beginPart(name, attributes),
			'w:comment': (attributes, name) => this.#beginPart(name, attributes),
			'w:sectPr': () => this.sections.begin(),
		} satisfies Acts),
	);

	readonly #closes = new Map<string, () => void>(
		Object.entries({
			'w:p': () => this.#endParagraph(),
			'w:pPr': () => this.#setStyle(false),
			'w:trPr': () => this.#setRowStyle(false),
			'w:tc': () => this.#endPlace(),
			'w:tr': () => this.#endRow(),
			'w:tbl': () => this.#tables.pop(),
			'w:txbxContent': () => this.#endBox(),
			'w:footnote': () => this.#endPlace(),
			'w:endnote': () => this.#endPlace(),
			'w:comment': () => this.#endPlace(),
			'w:sectPr': () => this.#endSection(),
			'w:body': () => this.#endCarried(),
		}),
	);

	get #paragraph(): Paragraph | undefined {
		return this.#paragraphs.at(-1);
	}

	get #place(): Place {
		return this.#places.at(-1) as Place;
	}

	#setStyle(isStyle: boolean): void {
		this.#isParagraphStyle = isStyle;
	}

	#setRowStyle(isStyle: boolean): void {
		const table = this.#tables.at(-1);
		if (table) table.isRowStyle = isStyle;
	}

	#add(text: string): void {
		if (this.#paragraph && text !== '' && this.#takes(text)) this.#paragraph.text += text;
	}

	/** Whether there is room for a text: what a document refers to again and again is as long as it likes. */
	#takes(text: string): boolean {
		if (this.#size > maxCharacters) return false;
		this.#size += text.length;
		return true;
	}

	#push(blocks: readonly Block[]): void {
		for (const block of blocks) this.#place.blocks.push(block);
	}

	#endRow(): void {
		const table = this.#tables.at(-1);
		const blocks = table?.endRow() ?? [];
		// Each table around a row writes its text anew.
		for (const block of blocks) {
			if (block.kind === 'row' && block.table === table?.id) this.#size += block.text.length;
		}
		if (this.#size > maxWritten) throw documentError('E_DOCUMENT_TOO_LARGE');
		this.#push(blocks);
	}

	#beginParagraph(): void {
		const paragraph = new Paragraph();
		paragraph.text = this.#carried?.text ?? '';
		paragraph.after = this.#carried?.after ?? [];
		this.#carried = undefined;
		this.#paragraphs.push(paragraph);
	}

	#endParagraph(): void {
		const paragraph = this.#paragraph;
		if (!paragraph) return;
		if (paragraph.isJoined) this.#carried = paragraph;
		else this.#flush(paragraph);
		this.#paragraphs.pop();
		if (paragraph.endsSection) this.#push([this.sections.breakAfter()]);
	}

	/** Nothing follows here that a paragraph without an end could go on in. */
	#endCarried(): void {
		const carried = this.#carried;
		this.#carried = undefined;
		if (carried) this.#flush(carried);
	}

	#endPlace(): Place | undefined {
		this.#endCarried();
		return this.#places.pop();
	}

	#flush(paragraph: Paragraph): void {
		const look = paragraph.fullLook(this.#around.styles);
		const startsPage = look.startsPage && !paragraph.isContinued && this.#place.isPaged;
		if (startsPage && this.#place.blocks.length > 0 && !this.#isAtPageStart()) {
			this.#push([{ kind: 'break', isPage: true }]);
		}
		this.#push(paragraph.take(look, this.#around.numbering));
	}

	#isAtPageStart(): boolean {
		return this.#place.blocks.at(-1)?.kind === 'break';
	}

	/** A page ends here. Word notes where it began pages, also where the document asked for it: that is one break, not two. */
	#break(isAsked: boolean): void {
		const table = this.#tables.at(-1);
		if (table && this.#places.length > 1) {
			table.hasBreak = true;
			return;
		}
		const paragraph = this.#paragraph;
		if (!paragraph || !this.#place.isPaged) return;
		if (paragraph.text.trim() !== '') this.#flush(paragraph);
		if (!isAsked && this.#isAtPageStart()) this.sections.confirm();
		else this.#push([{ kind: 'break', isPage: true }]);
	}

	#delete(): void {
		if (this.#isParagraphStyle && this.#paragraph) this.#paragraph.isJoined = true;
		else this.#tables.at(-1)?.deleteRow();
	}

	#refer(name: string, { 'w:id': id }: Attributes): void {
		const text = this.#around.notes.get(`${name} ${id}`);
		if (text === undefined || !this.#paragraph || !this.#takes(text)) return;
		const sign = `[${++this.#noteCount}]`;
		this.#add(this.#inline.shown(sign));
		const kind = name === 'w:footnoteReference' ? 'note' : 'endnote';
		this.#paragraph.after.push({ kind, text: `${sign} ${text}` });
	}

	#show(id: string | undefined): void {
		const table = ++this.#tableCount;
		for (const text of this.#around.graphics.get(id ?? '') ?? []) {
			if (!this.#takes(text)) return;
			this.#attach([{ kind: 'row', text, table }]);
		}
	}

	#insert(id: string | undefined): void {
		const text = this.#around.inserted.get(id ?? '')?.trim() ?? '';
		if (text !== '' && this.#takes(text)) this.#push([{ kind: 'text', text }]);
	}

	#beginTable(): void {
		this.#endCarried();
		this.#tables.push(new Table(++this.#tableCount));
	}

	#beginCell(): void {
		this.#places.push({ blocks: this.#tables.at(-1)?.beginCell() ?? [], isPaged: false });
	}

	#merge(value: string | undefined): void {
		if (value !== 'restart') this.#tables.at(-1)?.continueCell();
	}

	#endBox(): void {
		const box = this.#endPlace();
		if (box) this.#attach(box.blocks);
	}

	/** Puts what hangs on a paragraph behind it. */
	#attach(blocks: readonly Block[]): void {
		const paragraph = this.#paragraph;
		if (paragraph) for (const block of blocks) paragraph.after.push(block);
		else this.#push(blocks);
	}

	#beginPart(name: string, attributes: Attributes): void {
		const place = { blocks: [], isPaged: false };
		this.#places.push(place);
		this.parts.set(`${name}Reference ${attributes['w:id']}`, { ...place, attributes });
	}

	#endSection(): void {
		this.sections.end();
		if (this.#isParagraphStyle && this.#paragraph) this.#paragraph.endsSection = true;
	}
}
