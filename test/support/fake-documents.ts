import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { defineBackend } from '@plinth/core';
import { CachedReader } from '@plinth/documents';
import {
	type DocumentOptions,
	type DocumentReader,
	type DocumentRun,
	type DocumentText,
	mediaError,
	mediaServices,
} from '@plinth/toolkit';
import { z } from 'zod';

/** One call of the reader that {@link fakeDocuments} provides. */
export interface ReadDocument {
	readonly sha256: string;
	readonly bytes: Uint8Array;
	readonly options: DocumentOptions | undefined;
	readonly run: DocumentRun | undefined;
}

/**
 * A reader that returns any text as one page, fails for text that begins with `broken`, and records its calls in
 * `calls`. It awaits `before` for each document.
 */
export function fakeDocuments(
	calls: ReadDocument[] = [],
	before: (document: ReadDocument) => Promise<void> | void = () => {},
) {
	const reader: DocumentReader = {
		version: 'fake',
		async read(document, options, run) {
			const bytes = 'path' in document ? await readFile(document.path) : document;
			const sha256 = createHash('sha256').update(bytes).digest('hex');
			const call = { sha256, bytes, options, run };
			calls.push(call);
			await before(call);
			return textOf(bytes);
		},
	};
	return defineBackend({
		name: 'test.documents',
		provides: mediaServices.documents,
		config: z.strictObject({}),
		create: () => new CachedReader(reader),
	});
}

function textOf(bytes: Uint8Array): DocumentText {
	const text = Buffer.from(bytes.subarray(0, 1_000)).toString();
	if (text.startsWith('broken')) throw mediaError('E_DOCUMENT_UNREADABLE');
	return {
		mediaType: 'text/plain',
		pages: [{ page: 1, text }],
		pageCount: 1,
		truncated: false,
		metadata: {},
	};
}
