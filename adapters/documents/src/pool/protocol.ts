import type { DocumentOptions, DocumentPage, DocumentText, PageRange } from '@plinth/toolkit';
import { maxCharacters } from '../formats/budget.ts';
import type { OcrContext } from '../formats/format.ts';

/** The request to a reading process. Without a path, the document is the body of the frame. */
export interface ReadTask {
	readonly path?: string | undefined;
	readonly options: DocumentOptions;
	/** Absent when no page is read by OCR. */
	readonly ocr?: OcrSettings | undefined;
	/** Above this number of pages, the second half is left to another process. Absent to read all pages. */
	readonly shareAbove?: number | undefined;
}

/** The languages of OCR and the folder of their data. */
export type OcrSettings = Omit<OcrContext, 'page'>;

/** The updates of a reading process. A text comes in pieces, so that the server parses little at once. */
export type ReadUpdate =
	/** The first update, also of a process that reads the document again after a crash. */
	| { readonly kind: 'begin' }
	| { readonly kind: 'progress'; readonly done: number; readonly of: number }
	/** A page is about to be read by OCR. */
	| { readonly kind: 'ocr' }
	/** These pages are left to another process. */
	| { readonly kind: 'rest'; readonly pages: readonly PageRange[] }
	/** A piece of text: the start of a page, or without a page, the continuation of the last page or of the whole text. */
	| ({ readonly kind: 'text' } & TextPiece);

interface TextPiece {
	readonly page?: Omit<DocumentPage, 'text'>;
	readonly text: string;
}

/** The result of a reading process. Its text was sent before, in updates. */
export type ReadEnd = Omit<DocumentText, 'pages' | 'text'>;

/** Characters of a piece of text, which takes some milliseconds to parse. */
const pieceLength = 262_144;
/** More than any document has: a PDF has at most 20,000, and a container has at most 5,000 files. */
const maxPages = 100_000;

/** Sends a text in pieces, and returns the rest. */
export async function sendText(
	{ pages = [], text = '', ...end }: DocumentText,
	send: (update: ReadUpdate) => Promise<void>,
): Promise<ReadEnd> {
	const sendFrom = async (start: number, whole: string) => {
		for (let at = start; at < whole.length; at += pieceLength) {
			await send({ kind: 'text', text: whole.slice(at, at + pieceLength) });
		}
	};
	for (const { text, ...page } of pages) {
		await send({ kind: 'text', page, text: text.slice(0, pieceLength) });
		await sendFrom(pieceLength, text);
	}
	await sendFrom(0, text);
	return end;
}

/** Joins the pieces of a text. */
export class TextBuilder {
	readonly #pages: (DocumentPage & { text: string })[] = [];
	#text = '';
	#length = 0;

	/** Throws for more text or pages than a document can have. */
	add({ page, text }: TextPiece): void {
		if (page) this.#pages.push({ ...page, text: '' });
		this.#length += text.length;
		// Negated, so that a value without a length is refused too.
		if (this.#pages.length > maxPages || !(this.#length <= maxCharacters)) {
			throw new RangeError('The process sent too much text.');
		}
		const last = this.#pages.at(-1);
		if (last) last.text += text;
		else this.#text += text;
	}

	/** The whole text. Only a document with pages has a number of pages. */
	build(end: ReadEnd): DocumentText {
		return end.pageCount === undefined ? { ...end, text: this.#text } : { ...end, pages: this.#pages };
	}
}
