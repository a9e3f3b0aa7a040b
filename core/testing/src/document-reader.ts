import { type ConformanceCase, caseMaker } from './conformance.ts';
import { readingCases } from './document-reader/reading.ts';
import { refusingCases } from './document-reader/refusing.ts';
import { runningCases } from './document-reader/running.ts';
import type { DocumentReaderSubject } from './document-reader/subject.ts';

/** The reader under test. */
export interface DocumentReaderSuiteOptions {
	create(): Promise<DocumentReaderSubject>;
}

/**
 * Every sentence of the `DocumentReader` contract that applies to any reader of text, CSV and PDF, as a case. The
 * suite makes the documents. Layout is not tested.
 */
export function documentReaderSuite({ create }: DocumentReaderSuiteOptions): ConformanceCase[] {
	const it = caseMaker(create);
	return [...readingCases(it), ...refusingCases(it), ...runningCases(it)];
}
