import { defineErrors } from '../error-spec.ts';

const badRequest = { status: 400, type: 'invalid_request_error' } as const;

/** What may be wrong with a document that is to be read. */
export const documentErrors = defineErrors({
	E_DOCUMENT_UNSUPPORTED: {
		...badRequest,
		code: 'document_unsupported',
		message: 'No text can be read from a file of this format.',
		remedy:
			'Send a document, a spreadsheet, a presentation, an e-mail, a picture of a page, or text.',
	},
	E_DOCUMENT_UNREADABLE: {
		...badRequest,
		code: 'document_unreadable',
		message: 'The document cannot be read.',
		remedy: 'Check that the file is whole and open it in a viewer to save it again.',
	},
	E_DOCUMENT_ENCRYPTED: {
		...badRequest,
		code: 'document_encrypted',
		message: 'The document needs a password to open.',
		remedy: 'Save it without a password.',
	},
	E_DOCUMENT_TOO_LARGE: {
		...badRequest,
		code: 'document_too_large',
		message: 'The document is too large.',
		remedy: 'Ask for some of its pages, or split it.',
	},
	E_DOCUMENT_TIMEOUT: {
		...badRequest,
		code: 'document_timeout',
		message: 'The document takes too long to read.',
		remedy: 'Ask for some of its pages, or split it.',
	},
});
