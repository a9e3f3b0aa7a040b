import { decodeText } from '../charset.ts';
import type { FormatReader } from '../format.ts';
import { markdownText } from '../office/markdown.ts';
import { brokenContent } from '../pages.ts';
import { textType } from '../sniff/texts.ts';
import { delimiterOf, tableText } from './csv.ts';

/**
 * Reads plain text, source code, JSON and XML as they are, tables of text with TAB between their values, and Markdown
 * without its marks. Form feeds in a plain text part its pages.
 */
export const readText: FormatReader = async (bytes, { options }) => {
	const { text } = decodeText(bytes);
	// The start and end of a long text decide, so that it is not parsed as a whole.
	const isLong = text.length > 196_608;
	const mediaType = isLong ? textType(text.slice(0, 65_536), text.slice(-1_000)) : textType(text, text);
	if (mediaType === 'text/csv' || mediaType === 'text/tab-separated-values') {
		return { mediaType, text: tableText(text, delimiterOf(text) ?? ',', options.format === 'markdown') };
	}
	if (mediaType === 'text/markdown' && options.format !== 'markdown' && text.length <= longestMarkdown) {
		return { mediaType, text: await markdownText(text) };
	}
	return { mediaType, ...brokenContent(pagesOf(text.replace(terminalCodes, '').replace(overprinted, '')), options) };
};

/** In characters. The tree of a longer text takes too much memory: the text stays as it is. */
const longestMarkdown = 524_288;

/** Colours of terminals, and letters printed over each other for boldness, as in manual pages. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const terminalCodes = /\x1b(?:\[[\d;?]{0,40}[@-~]|[()][0-9A-B])/g;
const overprinted = /[^\n][\b]/g;

/** A text with more form feeds has no pages. */
const maxPages = 20_000;

function pagesOf(text: string): string[] {
	const end = text.indexOf('\f', text.trimEnd().length);
	const parts = (end === -1 ? text : text.slice(0, end)).split('\f', maxPages + 1);
	return parts.length > maxPages ? [text] : parts;
}
