import { toWireError } from '@plinth/core';
import type {
	DocumentOptions,
	DocumentReader,
	DocumentRun,
	DocumentText,
	EncodedDocument,
} from '@plinth/toolkit';
import { failed, type ParsedAttachment, parsed } from '../answer/result.ts';
import { cutText, unitsOfFirst } from './cut.ts';

/** What is read of a document, and under which label it is given back. */
export interface ParseOrder {
	/** A label; nothing depends on it. */
	readonly filename?: string | undefined;
	readonly options: DocumentOptions;
	/** Most characters (Unicode code points) of its text; absent: as many as the reader gives. */
	readonly maxChars?: number | undefined;
}

/** The surroundings of one document. */
export interface ParseRun extends DocumentRun {
	/** Told of failures that are no fault of the document. */
	readonly log?: (error: unknown) => void;
	/** What stays of a text, which is otherwise used as it is. What it throws is thrown. */
	readonly keep?: (read: DocumentText) => DocumentText;
}

/**
 * Reads one document and resolves with its entry of an answer. What is wrong with it, or with reading it, is part of the entry. Rejects
 * with the signal's reason once that aborts.
 */
export async function parseDocument(
	reader: DocumentReader,
	document: EncodedDocument,
	{ filename, options, maxChars }: ParseOrder,
	{ log, keep = (read) => read, ...run }: ParseRun = {},
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
	// A reader may be done before it hears that nobody wants it.
	run.signal?.throwIfAborted();
	return parsed(filename, keep(read));
}
