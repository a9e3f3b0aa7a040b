import { toWireError } from '@plinth/core';
import type { DocumentOptions, DocumentReader, DocumentRun, DocumentText, EncodedDocument } from '@plinth/toolkit';
import { failed, type ParsedAttachment, parsed } from '../response/result.ts';
import { cutText, unitsOfFirst } from './cut.ts';

/** Options for one document. */
export interface ParseDocumentOptions {
	/** A label, returned with the result. */
	readonly filename?: string | undefined;
	readonly options: DocumentOptions;
	/** Maximum characters (Unicode code points) of text; absent: no limit. */
	readonly maxChars?: number | undefined;
}

/** How one document is read. */
export interface ParseRun extends DocumentRun {
	/** Receives failures of the server. */
	readonly log?: (error: unknown) => void;
	/** Limits the text before it is used. Its errors are thrown. */
	readonly limitText?: (read: DocumentText) => DocumentText;
}

/**
 * Reads one document and resolves with its entry of a response. Failures of the document or of reading it
 * become the error of the entry. Rejects with the signal's reason once that aborts.
 */
export async function parseDocument(
	reader: DocumentReader,
	document: EncodedDocument,
	{ filename, options, maxChars }: ParseDocumentOptions,
	{ log, limitText = (read) => read, ...run }: ParseRun = {},
): Promise<ParsedAttachment> {
	let read: DocumentText;
	try {
		read = await reader.read(document, options, run);
		if (maxChars !== undefined) read = cutText(read, await unitsOfFirst(maxChars, read));
	} catch (error) {
		run.signal?.throwIfAborted();
		const { status, body } = toWireError(error);
		if (status >= 500) log?.(error);
		return failed(filename, body.error);
	}
	// The reader may finish although the signal has aborted.
	run.signal?.throwIfAborted();
	return parsed(filename, limitText(read));
}
