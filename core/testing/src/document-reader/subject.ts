import assert from 'node:assert/strict';
import { isPlinthError } from '@plinth/core';
import type { DocumentReader, DocumentText, mediaErrors } from '@plinth/toolkit';
import type { CaseMaker, Subject } from '../conformance.ts';

/** A reader. Several cases may share one. */
export interface DocumentReaderSubject extends Subject {
	readonly reader: DocumentReader;
}

/** Makes the cases of a reader. */
export type ReaderCase = CaseMaker<DocumentReaderSubject>;

/** The error codes of documents. */
export type DocumentErrorCode = Extract<keyof typeof mediaErrors, `E_DOCUMENT_${string}`>;

/** All text of a document. */
export function allText({ pages, text = '' }: DocumentText): string {
	return pages ? pages.map((page) => page.text).join('\n') : text;
}

/** Checks that a call rejects with a coded client error. */
export async function assertRefused(
	call: Promise<unknown>,
	...codes: readonly DocumentErrorCode[]
): Promise<void> {
	await assert.rejects(call, (error) => {
		assert.ok(isPlinthError(error), `it rejects with ${error}, which has no code`);
		assert.ok(
			(codes as readonly string[]).includes(error.code),
			`it rejects with ${error.code}, not with ${codes.join(' or ')}`,
		);
		return error.spec.status === 400;
	});
}
