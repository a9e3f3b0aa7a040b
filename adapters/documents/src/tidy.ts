import type { DocumentMetadata, DocumentPage, DocumentText } from '@plinth/toolkit';
import { maxCharacters } from './formats/budget.ts';
import type { Content } from './formats/format.ts';

/** Characters that are cleaned at a time, because copies of a long text take much memory. */
const pieceLength = 1_048_576;
/** Maximum number of marks that are kept in one piece with their character. */
const maxMarks = 64;
const maxMetadata = 1_000;

const lineBreaks = /\r\n?|[\v\f\u0085\u2028\u2029]/g;
/** Control characters other than TAB and LF, byte order marks, and noncharacters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
const controls = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\ufeff\ufffe\uffff]/g;
/** Blanks at the end of a line. They match from their start only, so that a long run is not searched repeatedly. */
const trailingBlanks = /(?<![^\S\n])[^\S\n]+(?=\n)/g;
const emptyLines = /\n{4,}/g;
/** Characters that continue a unit: marks, vowels of Hangul, second halves of CR LF and of surrogate pairs. */
const continuing = /[\p{M}\u1160-\u11ff\n\udc00-\udfff]/u;

/** The content of a document as `DocumentText` promises it. Text beyond `limit` characters is left out. */
export function tidied(content: Content, limit: number = maxCharacters): DocumentText {
	const { mediaType, text = '', pages, pageCount = pages?.length ?? 0 } = content;
	const metadata = tidyMetadata(content.metadata);
	if (!pages) {
		const whole = tidyText(text);
		return { mediaType, text: cut(whole, limit), truncated: whole.length > limit, metadata };
	}
	const tidy = pages.map((page) => ({ ...page, text: tidyText(page.text) }));
	return { mediaType, pageCount, ...cutPages(tidy, limit), metadata };
}

/** Pages with at most `limit` characters in all. Further text is left out; all pages stay. */
export function cutPages(pages: readonly DocumentPage[], limit: number) {
	let remaining = limit;
	const kept = pages.map((page) => {
		const text = cut(page.text, remaining);
		remaining -= text.length;
		return { ...page, text };
	});
	return { pages: kept, truncated: kept.some(({ text }, at) => text.length < (pages[at]?.text.length ?? 0)) };
}

/** NFC and LF; no control characters, no blanks at line ends, at most two empty lines in a row, none at the ends. */
export function tidyText(text: string): string {
	const pieces: string[] = [];
	for (let at = 0, end = 0; at < text.length; at = end) {
		end = pieceEnd(text, at + pieceLength);
		const plain = text.slice(at, end).replace(lineBreaks, '\n').replace(controls, '');
		pieces.push(tidyLines(plain.toWellFormed().normalize('NFC')));
	}
	return tidyLines(pieces.join('')).replace(/^\n+/, '').trimEnd();
}

function tidyLines(text: string): string {
	return text.replace(trailingBlanks, '').replace(emptyLines, '\n\n\n');
}

/** The end of a piece, moved forward if it would split a unit. */
function pieceEnd(text: string, end: number): number {
	for (let at = end; at > end - maxMarks; at--) if (!continuing.test(text.charAt(at))) return at;
	return end;
}

/** The start of a text, without half a surrogate pair at its end. */
function cut(text: string, length: number): string {
	if (text.length <= length) return text;
	return text.slice(0, /[\ud800-\udbff]/.test(text.charAt(length - 1)) ? length - 1 : length);
}

function tidyMetadata(metadata: DocumentMetadata = {}): DocumentMetadata {
	const { title = '', author = '', created = '' } = metadata;
	const members = Object.entries({ title, author, created }).map(([name, value]) => {
		return [name, cut(tidyText(value).replace(/\s+/g, ' ').trim(), maxMetadata)] as const;
	});
	return Object.fromEntries(members.filter(([, value]) => value !== ''));
}
