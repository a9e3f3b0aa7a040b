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

/** One document that a {@link fakeDocuments} was asked for. */
export interface ReadDocument {
	readonly sha256: string;
	readonly bytes: Uint8Array;
	readonly options: DocumentOptions | undefined;
	readonly run: DocumentRun | undefined;
}

/**
 * A reader that takes every text for one page, refuses what begins with `broken`, and remembers what it was asked. `before` is waited for at
 * each document.
 */
export function fakeDocuments(
	asked: ReadDocument[] = [],
	before: (document: ReadDocument) => Promise<void> | void = () => {},
) {
	const reader: DocumentReader = {
		version: 'fake',
		async read(document, options, run) {
			const bytes = 'path' in document ? await readFile(document.path) : document;
			const sha256 = createHash('sha256').update(bytes).digest('hex');
			const one = { sha256, bytes, options, run };
			asked.push(one);
			await before(one);
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
