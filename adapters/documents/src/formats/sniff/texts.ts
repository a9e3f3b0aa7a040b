import { delimiterOf } from '../csv.ts';
import { isMail } from './mail.ts';

const openDocument = 'application/vnd.oasis.opendocument.';

/**
 * The media type of a text: a mail, a page of HTML, XML, JSON, a table, or else plain. Of long texts, only how they start and how they end
 * is needed; for short ones both are the whole.
 */
export function textType(start: string, end: string): string {
	if (isMail(start)) return 'message/rfc822';
	const trimmed = start.slice(0, 65_536).trimStart();
	if (trimmed.startsWith('<')) return markupType(trimmed, end) ?? 'text/plain';
	if (isJson(start, end)) return 'application/json';
	const delimiter = delimiterOf(start);
	if (delimiter === undefined) return 'text/plain';
	return delimiter === '\t' ? 'text/tab-separated-values' : 'text/csv';
}

function markupType(start: string, end: string): string | undefined {
	const isDeclared = start.startsWith('<?xml');
	const root = withoutProlog(start);
	if (/^<!doctype\s+html/i.test(root) || /^<(?:html|head|body)[\s>]/i.test(root)) return 'text/html';
	const flat =
		/^<office:document\s[^>]*?office:mimetype="application\/vnd\.oasis\.opendocument\.(text|presentation|spreadsheet)/.exec(
			root,
		);
	if (flat) return openDocument + flat[1];
	const endsInTag = end.slice(-1_000).trimEnd().endsWith('>');
	if (isDeclared) return 'application/xml';
	if (!endsInTag) return undefined;
	if (fragment.test(root)) return markdown.test(start) ? undefined : 'text/html';
	return /^<(?:[A-Za-z_][\w.:-]*[\s/>]|!DOCTYPE\s)/.test(root) ? 'application/xml' : undefined;
}

/** What may stand before the root element. A document type other than HTML's stays: it is as good as a root. */
function withoutProlog(start: string): string {
	let rest = start;
	for (;;) {
		const next = /^\s*(?:<\?[^>]*\?>|<!--[\s\S]*?-->)\s*/.exec(rest);
		if (!next) return rest;
		rest = rest.slice(next[0].length);
	}
}

/** Elements that begin a piece of HTML without its frame. A script begins the source of a component rather, which is more than what shows. */
const fragment =
	/^<(?:title|meta|link|base|style|h[1-6]|p|div|span|table|tbody|tr|td|th|ul|ol|li|dl|dt|dd|pre|code|blockquote|section|article|main|nav|header|footer|aside|figure|form|fieldset|details|center|font|img|br|hr|a|b|i|u|em|strong|small)[\s/>]/i;
/** Markdown often begins with a piece of HTML; its own marks tell it. */
const markdown = /^(?:#{1,6} \S|```|\[!\[)/m;

/** Long texts are judged by their two ends. */
function isJson(start: string, end: string): boolean {
	const opens = /^\s*[[{]\s*["'[{\]}\d\-tfn]/.test(start.slice(0, 1_000));
	const closes = /[\]}]\s*$/.test(end.slice(-1_000));
	return opens && closes && (start !== end || isParsed(start));
}

function isParsed(text: string): boolean {
	try {
		JSON.parse(text);
		return true;
	} catch {
		return false;
	}
}
