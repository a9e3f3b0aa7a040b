import type { DocumentMetadata, DocumentPage, DocumentText } from '@plinth/toolkit';
import { maxCharacters } from './formats/budget.ts';
import type { Content } from './formats/format.ts';

/** Lines that are held apart before they are joined: every one of them is an object. */
const maxHeld = 65_536;
/** Characters that are cleaned at a time: copies of a whole long text would take much memory. */
const pieceLength = 1_048_576;
const maxMetadata = 1_000;

/** What the reader of a format gave, as `DocumentText` promises it. Text beyond `limit` characters is left out. */
export function tidied(content: Content, limit: number = maxCharacters): DocumentText {
	const { mediaType, text, pages, pageCount } = content;
	const metadata = tidyMetadata(content.metadata);
	if (!pages) {
		const whole = tidyText(text ?? '');
		const kept = cut(whole, limit);
		return { mediaType, text: kept, truncated: kept.length < whole.length, metadata };
	}
	const whole = pages.map((page) => ({ ...page, text: tidyText(page.text) }));
	const { pages: kept, truncated } = cutPages(whole, limit);
	return { mediaType, pages: kept, pageCount: pageCount ?? kept.length, truncated, metadata };
}

/** Pages with at most `limit` characters in all. What is beyond is left out, and the pages stay. */
export function cutPages(
	pages: readonly DocumentPage[],
	limit: number,
): { readonly pages: DocumentPage[]; readonly truncated: boolean } {
	let left = limit;
	let truncated = false;
	const kept = pages.map((page) => {
		const text = cut(page.text, left);
		left -= text.length;
		truncated ||= text.length < page.text.length;
		return { ...page, text };
	});
	return { pages: kept, truncated };
}

/** NFC and LF; no form feeds, no control characters, no blanks at line ends, at most two empty lines in a row and none at the ends. */
export function tidyText(text: string): string {
	if (text.length <= pieceLength) return tidyLines(clean(text));
	const pieces: string[] = [];
	for (let at = 0; at < text.length; ) {
		const end = endOfPiece(text, at);
		pieces.push(clean(text.slice(at, end)));
		at = end;
	}
	return tidyLines(pieces.join(''));
}

function clean(text: string): string {
	const plain = text.replace(lineBreaks, '\n').replace(controls, '');
	return isAscii(plain) ? plain : plain.toWellFormed().normalize('NFC');
}

/** Behind a line; or, in a very long one, behind a blank or a character. So nothing is torn that belongs together. */
function endOfPiece(text: string, start: number): number {
	const piece = text.slice(start, start + pieceLength);
	if (piece.length < pieceLength) return start + piece.length;
	const length = piece.lastIndexOf('\n') + 1 || piece.lastIndexOf(' ') + 1;
	if (length > 0) return start + length;
	const end = start + pieceLength;
	for (let at = end; at > end - maxMarks; at--) if (!belongs.test(text.charAt(at))) return at;
	return end;
}

/** More of them on one character are no writing. */
const maxMarks = 64;
/** What belongs to the unit before it. */
const belongs = /[\p{M}\n\udc00-\udfff]/u;

const lineBreaks = /\r\n?|[\v\f\u0085\u2028\u2029]/g;
/** Those of C0 but TAB and LF, DEL, those of C1, byte order marks and what is no character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const controls = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\ufeff\ufffe\uffff]/g;

function isAscii(text: string): boolean {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: they are part of ASCII
	return !/[^\u0000-\u007f]/.test(text);
}

/** Line by line: an expression for blanks at line ends would go over long runs of blanks again and again. */
function tidyLines(text: string): string {
	const parts: string[] = [];
	let held: string[] = [];
	let empty = 2;
	for (let at = 0; at < text.length; ) {
		const next = text.indexOf('\n', at);
		const end = next < 0 ? text.length : next;
		const line = text.slice(at, end).trimEnd();
		empty = line === '' ? empty + 1 : 0;
		if (empty <= 2) held.push(line);
		if (held.length >= maxHeld) {
			parts.push(held.join('\n'));
			held = [];
		}
		at = end + 1;
	}
	if (held.length > 0) parts.push(held.join('\n'));
	return parts.join('\n').trimEnd();
}

/** Never through the middle of a character. */
function cut(text: string, length: number): string {
	if (text.length <= length) return text;
	const last = text.charCodeAt(length - 1);
	const isHalf = last >= 0xd800 && last < 0xdc00;
	return text.slice(0, isHalf ? length - 1 : length);
}

function tidyMetadata({ title, author, created }: DocumentMetadata = {}): DocumentMetadata {
	const members = Object.entries({ title, author, created })
		.map(([name, value]) => [name, value && tidyText(value).replace(/\s+/g, ' ').trim()] as const)
		.filter(([, value]) => value);
	return Object.fromEntries(members.map(([name, value = '']) => [name, cut(value, maxMetadata)]));
}
