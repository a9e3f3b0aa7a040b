import { delimiterOf } from '../text/csv.ts';
import { isMail } from './mail.ts';
import { isMarkdown } from './markdown.ts';

/** The media type of a text by its start and its end. For a short text, both are the whole text. */
export function textType(start: string, end: string): string {
	if (isMail(start)) return 'message/rfc822';
	const trimmed = start.slice(0, 65_536).trimStart();
	const isMarkup = trimmed.startsWith('<');
	const markup = isMarkup ? markupType(trimmed, end.slice(-1_000)) : undefined;
	if (markup) return markup;
	if (!isMarkup && isJson(start, end)) return 'application/json';
	if (isMarkdown(trimmed)) return 'text/markdown';
	if (isMarkup) return 'text/plain';
	const delimiter = delimiterOf(start);
	if (delimiter === undefined) return 'text/plain';
	return delimiter === '\t' ? 'text/tab-separated-values' : 'text/csv';
}

function markupType(start: string, end: string): string | undefined {
	// A DOCTYPE other than that of HTML identifies the format, like a root element.
	const root = start.replace(/^(?:(?:<\?[^>]*\?>|<!--[\s\S]*?-->)\s*)+/, '');
	if (/^<(?:!doctype\s+html|(?:html|head|body)[\s>])/i.test(root)) return 'text/html';
	const flat = flatDocument.exec(root)?.[1];
	if (flat) return flat;
	if (start.startsWith('<?xml')) return 'application/xml';
	if (!end.trimEnd().endsWith('>')) return undefined;
	if (fragment.test(root)) return markdown.test(start) ? undefined : 'text/html';
	return /^<(?:[A-Za-z_][\w.:-]*[\s/>]|!DOCTYPE\s)/.test(root) ? 'application/xml' : undefined;
}

/** A document of OpenDocument that is one XML file. */
const flatDocument =
	/^<office:document\s[^>]*?office:mimetype="(application\/vnd\.oasis\.opendocument\.(?:text|presentation|spreadsheet))/;

const elements =
	'title|meta|link|base|style|h[1-6]|p|div|span|table|tbody|tr|td|th|ul|ol|li|dl|dt|dd|pre|code|blockquote|section|' +
	'article|main|nav|header|footer|aside|figure|form|fieldset|details|center|font|img|br|hr|a|b|i|u|em|strong|small';
/** A fragment of HTML. One that starts with a script is more likely the source of a component. */
const fragment = new RegExp(`^<(?:${elements})[\\s/>]`, 'i');
/** Markdown often starts with HTML. These marks identify it. */
const markdown = /^(?:#{1,6} \S|```|\[!\[)/m;

/** Checks only the start and the end of a long text. */
function isJson(start: string, end: string): boolean {
	const opens = /^\s*[[{]\s*["'[{\]}\d\-tfn]/.test(start.slice(0, 1_000));
	if (!opens || !/[\]}]\s*$/.test(end.slice(-1_000))) return false;
	if (start !== end) return true;
	try {
		JSON.parse(start);
		return true;
	} catch {
		return false;
	}
}
