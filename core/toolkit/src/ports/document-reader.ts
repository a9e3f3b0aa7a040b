/**
 * A document as a client sent it: its bytes, or the path of a file that holds them, which is not read into the caller's memory. Both stay as
 * they are until the read has settled: they are hashed and read one after the other.
 */
export type EncodedDocument =
	| Uint8Array
	| {
			readonly path: string;
			/** Lower-case hex SHA-256 of the file, when it is known already. */
			readonly sha256?: string;
	  };

/** Pages from `first` to `last`, both included, counted from 1. */
export interface PageRange {
	readonly first: number;
	readonly last: number;
}

/** What of a document is read. Two requests with equal options give equal texts. */
export interface DocumentOptions {
	/** All pages when absent. Pages beyond the end are no error; formats without pages ignore it. */
	readonly pages?: readonly PageRange[];
	/** `auto`, the default, reads pages that are pictures by OCR where the reader has it; `off` leaves them empty. */
	readonly ocr?: 'auto' | 'off';
}

/** How a document is read, without influence on what comes out. */
export interface DocumentRun {
	readonly signal?: AbortSignal;
	/** Told now and then how many pages (or parts, for formats without pages) are done, of how many. */
	progress?(done: number, of: number): void;
}

/** One page: of a PDF, a presentation's slide, a spreadsheet's sheet, a book's chapter. */
export interface DocumentPage {
	/** Counted from 1. */
	readonly page: number;
	/** NFC, LF, no form feeds, no blanks at line ends, at most two empty lines in a row. Empty when the page holds no text. */
	readonly text: string;
	/** Points, where the format has a page size. */
	readonly width?: number;
	readonly height?: number;
	/** True for a picture whose text nobody has read. */
	readonly needsOcr?: boolean;
}

/** What a document says of itself. */
export interface DocumentMetadata {
	readonly title?: string;
	readonly author?: string;
	/** ISO 8601. */
	readonly created?: string;
}

/** The text of a document: by page where the format has pages, else whole. */
export interface DocumentText {
	/** Decided by content: `application/pdf`, `text/csv`. */
	readonly mediaType: string;
	/** Those that were asked for, in order, empty ones included. Absent for formats without pages. */
	readonly pages?: readonly DocumentPage[];
	/** The whole text of a format without pages. */
	readonly text?: string;
	/** Pages of the whole document, whichever were asked for. Absent for formats without pages. */
	readonly pageCount?: number;
	/** Text was left out because there was too much of it. */
	readonly truncated: boolean;
	readonly metadata: DocumentMetadata;
}

/**
 * Turns documents into text that keeps the reading order of columns and the rows of tables.
 *
 * Documents are untrusted bytes. Implementations decide the format by content, never by name or label; bound memory, time and output
 * whatever the bytes are; and reject what cannot be read with a client error: `E_DOCUMENT_UNSUPPORTED` (no format it knows),
 * `E_DOCUMENT_UNREADABLE` (damaged), `E_DOCUMENT_ENCRYPTED` (a password is needed to open it), `E_DOCUMENT_TOO_LARGE` (more than a bound
 * allows), `E_DOCUMENT_TIMEOUT`. An aborted signal rejects with its reason and ends the work. Calls beyond what runs at once wait.
 *
 * Core wraps whatever provides this service in a cache by content: the same bytes with the same options are read once.
 */
export interface DocumentReader {
	/** Another one whenever the same bytes may give another text: part of the cache's key. */
	readonly version: string;
	read(
		document: EncodedDocument,
		options?: DocumentOptions,
		run?: DocumentRun,
	): Promise<DocumentText>;
}
