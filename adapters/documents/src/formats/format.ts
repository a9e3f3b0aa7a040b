import type { DocumentMetadata, DocumentOptions, DocumentPage, PageRange } from '@plinth/toolkit';
import type { Budget } from './budget.ts';

/** What a reader of one format returns. Pages come in order, counted from 1, with empty ones; the caller tidies. */
export interface Content {
	readonly mediaType: string;
	/** Formats with pages. */
	readonly pages?: readonly DocumentPage[];
	readonly pageCount?: number;
	/** Formats without pages. */
	readonly text?: string;
	readonly metadata?: DocumentMetadata;
}

/** What OCR needs. */
export interface OcrContext {
	/** As Tesseract names them: `eng`, `deu`. */
	readonly languages: readonly string[];
	/** The folder of their data, where the deployment names one; otherwise those of the system are looked for. */
	readonly tessdata?: string;
	/** Called before each page that OCR reads, for which the document may take 10 seconds more, 300 in all. */
	page(): void;
}

/** How a long document is shared with another read of the same file. */
export interface Share {
	/** With more pages to read, it is. */
	readonly above: number;
	/** Told of the pages that this read leaves to the other one, before the first of its own. */
	leave(pages: readonly PageRange[]): void;
}

/** The surroundings of one read. */
export interface ReadContext {
	readonly options: DocumentOptions;
	/** What may be inflated and put out in all, attachments included. */
	readonly budget: Budget;
	/** Containers around this document: 0 for the file itself. Attachments and members are read at 0 only. */
	readonly depth: number;
	progress(done: number, of: number): void;
	/** Takes pages of a long document. Absent where nobody does. */
	readonly share?: Share | undefined;
	/** How pictures of text are read. Absent when they are not to be: by the caller's options, or the deployment's. */
	readonly ocr?: OcrContext;
	/** Reads a file inside this one, whatever its format, one level deeper and from the same budget. */
	readInner(bytes: Uint8Array): Promise<Content>;
}

/** Reads one format. Throws a `Refusal`. */
export type FormatReader = (bytes: Uint8Array, context: ReadContext) => Promise<Content>;

/** What a document says of itself, as far as it does. `time` is in any form that `Date` reads. */
export function metadataOf(title?: string, author?: string, time?: string | Date): DocumentMetadata {
	const created = new Date(time ?? Number.NaN);
	const isTime = !Number.isNaN(created.getTime());
	return { ...(title && { title }), ...(author && { author }), ...(isTime && { created: created.toISOString() }) };
}
