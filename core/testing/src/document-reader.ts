import { type ConformanceCase, caseMaker } from './conformance.ts';
import { readingCases } from './document-reader/reading.ts';
import { refusingCases } from './document-reader/refusing.ts';
import { runningCases } from './document-reader/running.ts';
import type { DocumentReaderSubject } from './document-reader/subject.ts';

/** What is under test. */
export interface DocumentReaderSuiteOptions {
	create(): Promise<DocumentReaderSubject>;
}

/**
 * Every sentence of the `DocumentReader` contract that holds for any reader of text, CSV and PDF, as a case. The suite
 * makes the documents. Layout is not part of it.
 */
export function documentReaderSuite({ create }: DocumentReaderSuiteOptions): ConformanceCase[] {
	const it = caseMaker(create);
	return [...readingCases(it), ...refusingCases(it), ...runningCases(it)];
}
