import { decodeText } from './charset.ts';
import { delimiterOf, tableText } from './csv.ts';
import type { FormatReader } from './format.ts';
import { brokenContent } from './pages.ts';
import { textType } from './sniff/texts.ts';

/**
 * Reads plain text, source code, JSON and XML as they are, and tables of text (CSV, TSV) with TAB between their values. Form feeds part a
 * plain text into pages, as listings for printers do.
 */
export const readText: FormatReader = async (bytes, { options }) => {
	const { text } = decodeText(bytes);
	const mediaType = typeOf(text);
	if (mediaType === 'text/csv' || mediaType === 'text/tab-separated-values') {
		return { mediaType, text: tableText(text, delimiterOf(text) ?? ',') };
	}
	const shown = withoutTerminalCodes(text);
	return { mediaType, ...brokenContent(pagesOf(shown), options) };
};

/** Long texts are judged by their ends, so that they are not parsed to be named. */
function typeOf(text: string): string {
	return text.length <= 196_608 ? textType(text, text) : textType(text.slice(0, 65_536), text.slice(-1_000));
}

/** More form feeds than any listing has are just characters. */
const maxPages = 20_000;

function pagesOf(text: string): string[] {
	const end = text.indexOf('\f', text.trimEnd().length);
	const parts = (end === -1 ? text : text.slice(0, end)).split('\f', maxPages + 1);
	return parts.length > maxPages ? [text] : parts;
}

/** Colours of terminals, and letters that are struck over each other for boldness, as manuals do. */
function withoutTerminalCodes(text: string): string {
	const plain = text.includes('\x1b') ? text.replace(terminalCodes, '') : text;
	return plain.includes('\b') ? plain.replace(struckOver, '') : plain;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const terminalCodes = /\x1b(?:\[[\d;?]{0,40}[@-~]|[()][0-9A-B])/g;
const struckOver = /[^\n][\b]/g;
