import type { DocumentPage, DocumentText } from '@plinth/toolkit';
import type { ReadEnd, ReadNews } from './messages.ts';

/** Characters of a piece: some milliseconds of work for whoever takes it apart. */
const pieceLength = 262_144;

/** Tells a text in pieces, and returns the rest. */
export async function sendText(
	{ pages, text, ...end }: DocumentText,
	tell: (news: ReadNews) => Promise<void>,
): Promise<ReadEnd> {
	for (const piece of pages ? piecesOf(pages) : []) await tell({ kind: 'pages', pages: piece });
	for (let at = 0; text !== undefined && at < Math.max(1, text.length); at += pieceLength) {
		await tell({ kind: 'text', text: text.slice(at, at + pieceLength) });
	}
	return end;
}

/** A page may be longer than a piece: it is sent as several of the same number. */
function* piecesOf(pages: readonly DocumentPage[]): Generator<readonly DocumentPage[]> {
	let piece: DocumentPage[] = [];
	let length = 0;
	for (const page of pages) {
		for (let at = 0; at < Math.max(1, page.text.length); at += pieceLength) {
			const text = page.text.slice(at, at + pieceLength);
			piece.push({ ...page, text });
			length += text.length + 100;
			if (length < pieceLength) continue;
			yield piece;
			piece = [];
			length = 0;
		}
	}
	// Also when there is none: a document without pages is something else than one with none.
	if (piece.length > 0 || pages.length === 0) yield piece;
}
