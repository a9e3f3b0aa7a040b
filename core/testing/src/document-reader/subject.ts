import type { DocumentReader, DocumentText } from '@plinth/toolkit';
import type { CaseMaker, Subject } from '../conformance.ts';

/** A reader. Several cases may share one. */
export interface DocumentReaderSubject extends Subject {
	readonly reader: DocumentReader;
}

/** Makes the cases of a reader. */
export type ReaderCase = CaseMaker<DocumentReaderSubject>;

/** All text of a document. */
export function allText({ pages, text = '' }: DocumentText): string {
	return pages ? pages.map((page) => page.text).join('\n') : text;
}
