import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

/** Calls `use` with the path of a temporary file, whose name has the extension of another format. */
export async function withFile<T>(
	bytes: Uint8Array,
	use: (path: string) => Promise<T>,
): Promise<T> {
	const folder = await mkdtemp(join(tmpdir(), 'document-reader-'));
	try {
		const path = join(folder, 'picture.docx.png');
		await writeFile(path, bytes);
		return await use(path);
	} finally {
		await rm(folder, { recursive: true });
	}
}
