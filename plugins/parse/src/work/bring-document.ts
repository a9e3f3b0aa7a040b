import { toWireError, type WireError } from '@plinth/core';
import { NamedFileError, type NamedFiles, type SentDocument } from '@plinth/toolkit';
import type { Submitted } from '../request/documents.ts';

/** A document whose bytes are here, and the name that it is stored under; or what its entry of the answer says in place of its text. */
export type Brought =
	| { readonly document: SentDocument; readonly filename?: string | undefined }
	| { readonly error: Pick<WireError, 'code' | 'message'> };

/**
 * Brings the bytes of a document. One that cannot be had is the matter of its own entry, like one that cannot be read; `log` is told of failures
 * that are no fault of the request. Rejects with the signal's reason once that aborts.
 */
export async function bringDocument(
	content: Submitted['content'],
	named: NamedFiles,
	signal: AbortSignal,
	log: (error: unknown) => void,
): Promise<Brought> {
	if ('document' in content) return content;
	if ('error' in content) return { error: toWireError(content.error).body.error };
	try {
		const document = await named.bring(content.fileId, signal);
		return { document, filename: document.filename || undefined };
	} catch (error) {
		signal.throwIfAborted();
		if (error instanceof NamedFileError) {
			return { error: { code: error.code, message: `${content.param}: ${error.message}` } };
		}
		const { status, body } = toWireError(error);
		if (status >= 500) log(error);
		return { error: body.error };
	}
}
