import { decodeText } from '../charset.ts';
import type { FormatReader } from '../format.ts';
import { brokenContent } from '../pages.ts';
import { textType } from '../sniff/texts.ts';
import { delimiterOf, tableText } from './csv.ts';

/**
 * Reads plain text, source code, JSON and XML as they are, and tables of text with TAB between their values. Form feeds
 * in a plain text part its pages.
 */
export const readText: FormatReader = async (bytes, { options }) => {
	const { text } = decodeText(bytes);
	// Long texts are judged by their ends, so that they are not parsed to be named.
	const isLong = text.length > 196_608;
	const mediaType = isLong ? textType(text.slice(0, 65_536), text.slice(-1_000)) : textType(text, text);
	if (mediaType === 'text/csv' || mediaType === 'text/tab-separated-values') {
		return { mediaType, text: tableText(text, delimiterOf(text) ?? ',', options.format === 'markdown') };
	}
	return { mediaType, ...brokenContent(pagesOf(text.replace(terminalCodes, '').replace(struckOver, '')), options) };
};

/** Colours of terminals, and letters that are struck over each other for boldness, as manuals do. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const terminalCodes = /\x1b(?:\[[\d;?]{0,40}[@-~]|[()][0-9A-B])/g;
const struckOver = /[^\n][\b]/g;

/** More form feeds than any listing has are just characters. */
const maxPages = 20_000;

function pagesOf(text: string): string[] {
	const end = text.indexOf('\f', text.trimEnd().length);
	const parts = (end === -1 ? text : text.slice(0, end)).split('\f', maxPages + 1);
	return parts.length > maxPages ? [text] : parts;
}
