import { defineErrors, errorFrom, type PlinthError } from '@plinth/core';

const badDocument = { status: 400, type: 'invalid_request_error' } as const;

/** The coded errors of reading documents. */
export const documentErrors = defineErrors({
	E_DOCUMENT_UNREADABLE: {
		...badDocument,
		code: 'document_unreadable',
		message: 'The document cannot be read.',
		remedy: 'Check that the file is whole and open it in a viewer to save it again.',
	},
	E_DOCUMENT_ENCRYPTED: {
		...badDocument,
		code: 'document_encrypted',
		message: 'The document needs a password to open.',
		remedy: 'Save it without a password.',
	},
	E_DOCUMENT_TOO_LARGE: {
		...badDocument,
		code: 'document_too_large',
		message: 'The document is too large.',
		remedy: 'Ask for some of its pages, or split it.',
	},
});

/** Makes a coded error about a document. */
export function documentError(
	code: keyof typeof documentErrors,
	details?: { readonly message?: string; readonly cause?: unknown },
): PlinthError {
	return errorFrom(documentErrors, code, details);
}
