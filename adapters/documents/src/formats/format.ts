import type { DocumentMetadata, DocumentOptions, DocumentPage, PageRange } from '@plinth/toolkit';
import type { Budget } from './budget.ts';

/** The result of a format reader. Pages are in order from 1, with empty ones. The caller cleans the text. */
export interface Content {
	readonly mediaType: string;
	/** Formats with pages. */
	readonly pages?: readonly DocumentPage[];
	readonly pageCount?: number;
	/** Formats without pages. */
	readonly text?: string;
	readonly metadata?: DocumentMetadata;
}

/** The settings of OCR, and a callback. */
export interface OcrContext {
	/** Names of Tesseract's languages: `eng`, `deu`. */
	readonly languages: readonly string[];
	/** The folder of their data, if the deployment sets one; otherwise the system's folders are searched. */
	readonly tessdata?: string;
	/** Called before each page that OCR reads, which adds 10 seconds to the document's time limit, at most 300 in all. */
	page(): void;
}

/** How a long document is shared with another read of the same file. */
export interface Share {
	/** A document is shared if more pages than this are to be read. */
	readonly above: number;
	/** Called with the pages that this read leaves to the other one, before it reads its first page. */
	leave(pages: readonly PageRange[]): void;
}

/** The context of one read. */
export interface ReadContext {
	readonly options: DocumentOptions;
	/** The limits of decompressed bytes and of text, attachments included. */
	readonly budget: Budget;
	/** Containers around this document: 0 for the file itself. Attachments and members are read at 0 only. */
	readonly depth: number;
	progress(done: number, of: number): void;
	/** Absent if the document is not shared with another read. */
	readonly share?: Share | undefined;
	/** OCR for pictures of text. Absent if the caller or the deployment turned it off. */
	readonly ocr?: OcrContext;
	/** Reads a file inside this one, whatever its format, one level deeper and from the same budget. */
	readInner(bytes: Uint8Array): Promise<Content>;
}

/** Reads one format. Throws a `Refusal`. */
export type FormatReader = (bytes: Uint8Array, context: ReadContext) => Promise<Content>;

/** The metadata of a document. `time` has any form that `Date` reads. */
export function metadataOf(title?: string, author?: string, time?: string | Date): DocumentMetadata {
	const created = new Date(time ?? Number.NaN);
	const isTime = !Number.isNaN(created.getTime());
	return { ...(title && { title }), ...(author && { author }), ...(isTime && { created: created.toISOString() }) };
}
