import { compoundOf } from '../../ole/compound.ts';

/** A range of characters with formatting operations in hex: `00 08 01`. */
export interface Look {
	readonly from: number;
	readonly to: number;
	readonly operations: string;
	/** The style, for paragraphs. */
	readonly style?: number;
}

/** A Word 97 document. Note references in the body are `\\x02`. */
export interface WordFile {
	readonly body: string;
	readonly footnotes?: readonly string[];
	/** Comment references in the body are `\\x05`. */
	readonly comments?: readonly string[];
	/** Six separators, then six texts for each section. */
	readonly headers?: readonly string[];
	readonly boxes?: string;
	readonly characters?: readonly Look[];
	readonly paragraphs?: readonly Look[];
	/** The ends of the sections, with the operations of each. */
	readonly sections?: readonly { readonly end: number; readonly operations: string }[];
	readonly flags?: number;
	/** Whether the text is stored as windows-1252. */
	readonly isNarrow?: boolean;
}

const textStart = 2_048;

/** Writes the two streams of a Word 97 document into a compound file. */
export function wordOf(file: WordFile): Buffer {
	const { body, footnotes = [], comments = [], headers = [], boxes = '' } = file;
	const notes = footnotes.map((note) => `\x02 ${note}\r`);
	const remarks = comments.map((comment) => `\x05 ${comment}\r`);
	const edges = headers.map((text) => (text ? `${text}\r` : ''));
	const parts = [body, story(notes), story(edges), '', story(remarks), '', boxes && `${boxes}\r`, ''];
	const text = parts.join('');
	const width = file.isNarrow ? 1 : 2;
	const bytes = Buffer.from(text, file.isNarrow ? 'latin1' : 'utf16le');
	const head = Buffer.alloc(textStart);
	head.writeUInt16LE(0xa5ec, 0);
	head.writeUInt16LE(193, 2);
	head.writeUInt16LE(file.flags ?? 0x0200, 10);
	for (const [at, part] of parts.entries()) head.writeUInt32LE(part.length, 0x4c + at * 4);
	const pages: Buffer[] = [head, padded(bytes)];
	const table: Buffer[] = [];
	const entry = (index: number, content: Buffer) => {
		const place = table.reduce((sum, { length }) => sum + length, 0);
		head.writeUInt32LE(place, 0x9a + index * 8);
		head.writeUInt32LE(content.length, 0x9a + index * 8 + 4);
		table.push(content);
	};
	const place = (character: number) => textStart + character * width;
	const looks = (index: number, list: readonly Look[], write: (look: Look) => Buffer, size: number) => {
		if (list.length === 0) return;
		const number = pages.reduce((sum, { length }) => sum + length, 0) / 512;
		pages.push(propertyPage(list, place, write, size));
		entry(index, numbers([place(0), place(text.length), number]));
	};
	looks(12, file.characters ?? [], characterLook, 1);
	looks(13, file.paragraphs ?? [], paragraphLook, 13);
	entry(33, pieces(text.length, file.isNarrow ? (textStart * 2) | 0x40_00_00_00 : textStart));
	const marked = (index: number, mark: string, texts: readonly string[], size: number) => {
		if (texts.length === 0) return;
		const positions = numbers([...marksOf(body, mark), body.length]);
		entry(index, Buffer.concat([positions, Buffer.alloc(texts.length * size)]));
		entry(index + 1, numbers(endsOf(texts)));
	};
	marked(2, '\x02', notes, 2);
	marked(4, '\x05', remarks, 30);
	if (edges.length > 0) entry(11, numbers(endsOf(edges)));
	if (file.sections) {
		const places = file.sections.map(({ operations }) => {
			const content = Buffer.from(operations.replaceAll(' ', ''), 'hex');
			const at = pages.reduce((sum, { length }) => sum + length, 0);
			pages.push(padded(Buffer.concat([Buffer.of(content.length, 0), content])));
			return at;
		});
		const descriptions = places.map((at) => {
			const description = Buffer.alloc(12);
			description.writeUInt32LE(at, 2);
			return description;
		});
		entry(6, Buffer.concat([numbers([0, ...file.sections.map(({ end }) => end)]), ...descriptions]));
	}
	return compoundOf({ WordDocument: Buffer.concat(pages), '1Table': Buffer.concat(table) });
}

function story(texts: readonly string[]): string {
	return texts.length > 0 ? `${texts.join('')}\r` : '';
}

function marksOf(body: string, mark: string): number[] {
	return [...body].flatMap((character, at) => (character === mark ? [at] : []));
}

function endsOf(texts: readonly string[]): number[] {
	let end = 0;
	return [0, ...texts.map(({ length }) => (end += length))];
}

function pieces(characters: number, code: number): Buffer {
	const piece = Buffer.alloc(8);
	piece.writeUInt32LE(code, 2);
	return Buffer.concat([Buffer.of(2), numbers([16]), numbers([0, characters]), piece]);
}

function propertyPage(
	looks: readonly Look[],
	place: (character: number) => number,
	write: (look: Look) => Buffer,
	size: number,
): Buffer {
	const list = withoutGaps(looks);
	const page = Buffer.alloc(512);
	let bottom = 510;
	for (const [at, look] of list.entries()) {
		page.writeUInt32LE(place(look.from), at * 4);
		page.writeUInt32LE(place(look.to), at * 4 + 4);
		const content = write(look);
		bottom = (bottom - content.length) & ~1;
		content.copy(page, bottom);
		page.writeUInt8(bottom / 2, (list.length + 1) * 4 + at * size);
	}
	page.writeUInt8(list.length, 511);
	return page;
}

/** Each range begins where the previous one ends. */
function withoutGaps(looks: readonly Look[]): Look[] {
	return looks.flatMap((look, at) => {
		const from = looks[at - 1]?.to ?? look.from;
		return from < look.from ? [{ from, to: look.from, operations: '' }, look] : [look];
	});
}

function characterLook({ operations }: Look): Buffer {
	const content = Buffer.from(operations.replaceAll(' ', ''), 'hex');
	return Buffer.concat([Buffer.of(content.length), content]);
}

/** A length of zero means that the next byte counts 16-bit words. */
function paragraphLook({ operations, style = 0 }: Look): Buffer {
	const content = Buffer.from(operations.replaceAll(' ', ''), 'hex');
	const even = padded(Buffer.concat([Buffer.of(style, 0), content]), 2);
	return Buffer.concat([Buffer.of(0, even.length / 2), even]);
}

function padded(bytes: Buffer, size = 512): Buffer {
	return Buffer.concat([bytes, Buffer.alloc((size - (bytes.length % size)) % size)]);
}

function numbers(list: readonly number[]): Buffer {
	const bytes = Buffer.alloc(list.length * 4);
	for (const [at, number] of list.entries()) bytes.writeUInt32LE(number, at * 4);
	return bytes;
}
