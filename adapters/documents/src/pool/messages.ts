import type { DocumentOptions, DocumentPage, DocumentText, PageRange } from '@plinth/toolkit';

/** What a reading process is asked. Without a path, the document is the frame's body. */
export interface ReadTask {
	readonly path?: string;
	readonly options: DocumentOptions;
	/** How pictures of text are read; absent where they are not. */
	readonly ocr?: OcrSettings | undefined;
	/** With more pages, the second half of them is left to another process. Absent where all are to be read. */
	readonly shareAbove?: number;
}

/** How pictures of text are read. */
export interface OcrSettings {
	readonly languages: readonly string[];
	readonly tessdata?: string | undefined;
}

/** What it tells meanwhile. The text comes in pieces, so that nobody has to take apart much of it at once. */
export type ReadNews =
	/** Comes first. */
	| { readonly kind: 'begin' }
	| { readonly kind: 'progress'; readonly done: number; readonly of: number }
	/** A page is about to be read by OCR. */
	| { readonly kind: 'ocr' }
	/** These pages are left to another process. */
	| { readonly kind: 'rest'; readonly pages: readonly PageRange[] }
	| { readonly kind: 'pages'; readonly pages: readonly DocumentPage[] }
	| { readonly kind: 'text'; readonly text: string };

/** What is left to say then. */
export type ReadEnd = Omit<DocumentText, 'pages' | 'text'>;
