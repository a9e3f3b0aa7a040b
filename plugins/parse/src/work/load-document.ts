import { toWireError, type WireError } from '@plinth/core';
import { ReferencedFileError, type ReferencedFiles, type SentDocument } from '@plinth/toolkit';
import type { RequestDocument } from '../request/documents.ts';

/** A loaded document and its stored name, or the error of its entry. */
export type LoadedDocument =
	| { readonly document: SentDocument; readonly filename?: string | undefined }
	| { readonly error: Pick<WireError, 'code' | 'message'> };

/**
 * Loads the bytes of a document. A failure becomes the error of its entry; `log` receives failures of the
 * server. Rejects with the signal's reason once that aborts.
 */
export async function loadDocument(
	content: RequestDocument['content'],
	referenced: ReferencedFiles,
	signal: AbortSignal,
	log: (error: unknown) => void,
): Promise<LoadedDocument> {
	if ('document' in content) return content;
	if ('error' in content) return { error: toWireError(content.error).body.error };
	try {
		const document = await referenced.load(content.fileId, signal);
		return { document, filename: document.filename || undefined };
	} catch (error) {
		signal.throwIfAborted();
		if (error instanceof ReferencedFileError) {
			return { error: { code: error.code, message: `${content.param}: ${error.message}` } };
		}
		const { status, body } = toWireError(error);
		if (status >= 500) log(error);
		return { error: body.error };
	}
}
