import { documentError } from '../../refusal.ts';

/** The head of a Word document ([MS-DOC] 2.5): what it is and where its parts are. */
export interface WordHeader {
	/** Word 95 and before: one charset, no table stream. */
	readonly isAncient: boolean;
	readonly table: '0Table' | '1Table';
	/** Characters of each part; the parts follow each other in this order. */
	readonly lengths: readonly { readonly part: Part; readonly length: number }[];
	/** The bytes in the table stream that an entry of the head points to. */
	entry(table: Buffer, index: number): Buffer;
	/** The table stream from where an entry points to. */
	from(table: Buffer, index: number): Buffer;
	/** Where the text begins in a file of Word 95. */
	readonly start: number;
}

/** The parts that the text of a document is divided into. */
export type Part = 'body' | 'footnotes' | 'headers' | 'macros' | 'comments' | 'endnotes' | 'boxes' | 'headerBoxes';

/** Indexes of the parts that the head points to. */
export const entries = {
	footnoteReferences: 2,
	footnoteTexts: 3,
	commentReferences: 4,
	commentTexts: 5,
	sections: 6,
	headers: 11,
	characters: 12,
	paragraphs: 13,
	document: 31,
	pieces: 33,
	endnoteReferences: 46,
	endnoteTexts: 47,
	lists: 73,
	listOverrides: 74,
} as const;

/** Reads the head. Throws `E_DOCUMENT_ENCRYPTED` for documents with a password, `E_DOCUMENT_UNREADABLE` for what is no Word document. */
export function wordHeader(stream: Buffer): WordHeader {
	const magic = stream.length > 1_024 ? stream.readUInt16LE(0) : 0;
	if (magic !== 0xa5ec && magic !== 0xa5dc) {
		throw documentError('E_DOCUMENT_UNREADABLE', { message: 'The Word document has no head.' });
	}
	const flags = stream.readUInt16LE(0x0a);
	if ((flags & 0x0100) !== 0) throw documentError('E_DOCUMENT_ENCRYPTED');
	const isAncient = stream.readUInt16LE(2) < 193;
	const first = isAncient ? 0x34 : 0x4c;
	return {
		isAncient,
		table: (flags & 0x0200) === 0 ? '0Table' : '1Table',
		lengths: parts.map((part, at) => ({ part, length: stream.readUInt32LE(first + at * 4) })),
		entry(table, index) {
			const from = stream.readUInt32LE(firstEntry + index * 8);
			return table.subarray(from, from + stream.readUInt32LE(firstEntry + index * 8 + 4));
		},
		from: (table, index) => table.subarray(stream.readUInt32LE(firstEntry + index * 8)),
		start: stream.readUInt32LE(0x18),
	};
}

const firstEntry = 0x9a;
const parts: readonly Part[] = [
	'body',
	'footnotes',
	'headers',
	'macros',
	'comments',
	'endnotes',
	'boxes',
	'headerBoxes',
];
