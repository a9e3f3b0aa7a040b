import { decodeText } from '../charset.ts';
import type { FormatReader } from '../format.ts';
import { markdownText } from '../office/markdown.ts';
import { brokenContent } from '../pages.ts';
import { textType } from '../sniff/texts.ts';
import { delimiterOf, tableText } from './csv.ts';

/**
 * Reads plain text, source code, JSON and XML unchanged, text tables with TAB between their values, and Markdown
 * without its marks. Form feeds separate the pages of a plain text.
 */
export const readText: FormatReader = async (bytes, { options }) => {
	const { text } = decodeText(bytes);
	// The start and end of a long text decide, so that it is not parsed as a whole.
	const isLong = text.length > 196_608;
	const mediaType = isLong ? textType(text.slice(0, 65_536), text.slice(-1_000)) : textType(text, text);
	if (mediaType === 'text/csv' || mediaType === 'text/tab-separated-values') {
		return { mediaType, text: tableText(text, delimiterOf(text) ?? ',', options.format === 'markdown') };
	}
	if (mediaType === 'text/markdown' && options.format !== 'markdown' && text.length <= maxMarkdown) {
		return { mediaType, text: await markdownText(text) };
	}
	return { mediaType, ...brokenContent(pagesOf(text.replace(terminalCodes, '').replace(overprinted, '')), options) };
};

/** In characters. A longer text stays unchanged, because its tree would need too much memory. */
const maxMarkdown = 524_288;

/** Colours of terminals, and letters that are overprinted in bold, as in manual pages. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
const terminalCodes = /\x1b(?:\[[\d;?]{0,40}[@-~]|[()][0-9A-B])/g;
const overprinted = /[^\n][\b]/g;

/** A text with more form feeds is not split into pages. */
const maxPages = 20_000;

function pagesOf(text: string): string[] {
	const end = text.indexOf('\f', text.trimEnd().length);
	const parts = (end === -1 ? text : text.slice(0, end)).split('\f', maxPages + 1);
	return parts.length > maxPages ? [text] : parts;
}
