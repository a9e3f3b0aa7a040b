/**
 * An encoded document: its bytes, or the path of a file, which is not read into the caller's memory. Both
 * must not change until the read has settled, because they are hashed and read one after the other.
 */
export type EncodedDocument =
	| Uint8Array
	| {
			readonly path: string;
			/** Lower-case hex SHA-256 of the file, when known. */
			readonly sha256?: string;
	  };

/** Pages from `first` to `last`, both included, counted from 1. */
export interface PageRange {
	readonly first: number;
	readonly last: number;
}

/** What to read of a document. Equal options give equal texts. */
export interface DocumentOptions {
	/** All pages when absent. Pages after the end are ignored, and so are all ranges in formats without pages. */
	readonly pages?: readonly PageRange[];
	/** `auto`, the default, reads pages that are pictures by OCR if the reader supports it; `off` leaves them empty. */
	readonly ocr?: 'auto' | 'off';
	/** `text`, the default, or Markdown: headings, lists and emphasis if the format marks them, tables as pipe tables. */
	readonly format?: 'text' | 'markdown';
}

/** Options that do not affect the result. */
export interface DocumentRun {
	readonly signal?: AbortSignal;
	/** Called from time to time with the number of finished pages (or parts, in formats without pages) and the total. */
	progress?(done: number, of: number): void;
}

/** One page of a PDF, slide of a presentation, sheet of a spreadsheet, or chapter of a book. */
export interface DocumentPage {
	/** Counted from 1. */
	readonly page: number;
	/** NFC, LF, no form feeds, no trailing blanks, at most two empty lines in a row. Empty when the page has no text. */
	readonly text: string;
	/** Points, where the format has a page size. */
	readonly width?: number;
	readonly height?: number;
	/** True for a picture whose text was not read. */
	readonly needsOcr?: boolean;
}

/** Metadata in the document. */
export interface DocumentMetadata {
	readonly title?: string;
	readonly author?: string;
	/** ISO 8601. */
	readonly created?: string;
}

/** The text of a document: by page where the format has pages, otherwise in one piece. */
export interface DocumentText {
	/** Detected from the content: `application/pdf`, `text/csv`. */
	readonly mediaType: string;
	/** The requested pages in order, including empty ones. Absent for formats without pages. */
	readonly pages?: readonly DocumentPage[];
	/** The whole text of a format without pages. */
	readonly text?: string;
	/** Number of pages of the whole document. Absent for formats without pages. */
	readonly pageCount?: number;
	/** Whether text was left out because of a limit. */
	readonly truncated: boolean;
	readonly metadata: DocumentMetadata;
}

/**
 * Extracts text from documents, in reading order of columns and with the rows of tables.
 *
 * Documents are untrusted bytes. Implementations detect the format from the content, never from a name or label. They
 * bound memory, time and output for any input, and reject unreadable documents with a client error:
 * `E_DOCUMENT_UNSUPPORTED` (unknown format), `E_DOCUMENT_UNREADABLE` (damaged), `E_DOCUMENT_ENCRYPTED` (needs a
 * password), `E_DOCUMENT_TOO_LARGE` (exceeds a limit), `E_DOCUMENT_TIMEOUT`. An aborted signal rejects with its
 * reason and ends the work. Calls above the concurrency limit wait.
 */
export interface DocumentReader {
	/** Part of the cache key: changes whenever the same bytes may give another text. */
	readonly version: string;
	read(document: EncodedDocument, options?: DocumentOptions, run?: DocumentRun): Promise<DocumentText>;
}
