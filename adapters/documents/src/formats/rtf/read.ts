import type { FormatReader } from '../format.ts';
import { brokenContent } from '../pages.ts';
import { RtfReader } from './reader.ts';
import { readRtfTokens } from './tokens.ts';

/**
 * Reads RTF: text in the charset of its fonts, tables as rows, list marks, notes and comments at the end of their page, headers and footers once. Hidden
 * and deleted text, pictures and embedded data are left out. Pages where the document breaks them itself.
 */
export const readRtf: FormatReader = async (bytes, { options }) => {
	const { pages, metadata } = rtfText(bytes);
	return { mediaType: 'application/rtf', ...brokenContent(pages, options), metadata };
};

/** The pages of a text in RTF. Anything gives some text; what is no RTF gives itself. */
export function rtfText(bytes: Uint8Array) {
	const reader = new RtfReader();
	readRtfTokens(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), reader);
	return reader.finish();
}
