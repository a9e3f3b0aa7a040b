// @ts-expect-error The package has no types.
import WordOleExtractor from 'word-extractor/lib/word-ole-extractor.js';
import { documentError } from '../refusal.ts';
import { decodeAs } from './charset.ts';
import { propertiesOf, rewritten } from './compound.ts';
import { type FormatReader, metadataOf } from './format.ts';

/** Reads Word 97 to 2003, and the text of older documents. Tabs separate the cells of tables. */
export const readDoc: FormatReader = async (bytes) => {
	const file = rewritten(bytes);
	const extractor = new WordOleExtractor();
	const { extractWordDocument, writePieces } = extractor;
	extractor.extractWordDocument = async (container: unknown, stream: Buffer) => {
		if ((stream.readUInt16LE(10) & 0x0100) !== 0) throw documentError('E_DOCUMENT_ENCRYPTED');
		if (stream.readUInt16LE(0) !== 0xa5dc) return await extractWordDocument.call(extractor, container, stream);
		const start = stream.readUInt32LE(0x18);
		const text = decodeAs(stream.subarray(start, start + stream.readUInt32LE(0x34)), 'windows-1252');
		return { getBody: () => text };
	};
	// The library writes `undefined` for an optional hyphen, and nothing for a non-breaking hyphen.
	extractor.writePieces = (stream: Buffer, table: Buffer) => {
		writePieces.call(extractor, stream, table);
		for (const piece of extractor._pieces) piece.text = piece.text.replaceAll('\x1f', '\0').replaceAll('\x1e', '-');
	};
	const document = await extractor.extract({
		async read(target: Buffer, offset: number, length: number, position: number) {
			target.set(file.subarray(Math.max(0, position), Math.max(0, position + length)), offset);
			return target;
		},
	});
	const part = (name: string) => document[`get${name}`]?.({ filterUnicode: false, includeFooters: false }).trim() ?? '';
	// Sections repeat the headers and footers of earlier sections.
	const once = (name: string) => [...new Set(part(name).split('\n'))].join('\n');
	const notes = ['Footnotes', 'Endnotes', 'Annotations', 'Textboxes'].map(part);
	const text = [once('Headers'), part('Body'), ...notes, once('Footers')].filter(Boolean).join('\n\n');
	const { Title, Author, CreatedDate } = propertiesOf(file);
	return { mediaType: 'application/msword', text, metadata: metadataOf(Title, Author, CreatedDate) };
};
