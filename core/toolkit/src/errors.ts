import { defineErrors, type ErrorDetails, type ErrorSpec, errorFrom, type PlinthError } from '@plinth/core';

const badRequest = { status: 400, type: 'invalid_request_error' } as const;

/** Errors about pictures, documents and conversations, shared by all capabilities. */
export const mediaErrors = defineErrors({
	E_IMAGE_UNREADABLE: {
		...badRequest,
		code: 'invalid_image',
		message: 'The file is not a readable PNG, JPEG or WebP image.',
	},
	E_IMAGE_TOO_LARGE: {
		...badRequest,
		code: 'image_too_large',
		message: 'The image has more than 50 megapixels.',
	},
	E_MODERATION_BLOCKED: {
		status: 400,
		type: 'image_generation_user_error',
		code: 'moderation_blocked',
		message: 'The filter of the model refused the request.',
	},
	E_CONTEXT_TOO_LONG: {
		...badRequest,
		code: 'context_length_exceeded',
		message: 'The conversation is longer than the model takes.',
		remedy: 'Leave out earlier messages, or attach less.',
	},
	E_DOCUMENT_UNSUPPORTED: {
		...badRequest,
		code: 'document_unsupported',
		message: 'No text can be read from a file of this format.',
		remedy: 'Send a document, a spreadsheet, a presentation, an e-mail, a picture of a page, or text.',
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

/** Creates a coded error from {@link mediaErrors}. */
export function mediaError(code: keyof typeof mediaErrors, details?: ErrorDetails): PlinthError {
	return errorFrom(mediaErrors, code, details);
}

/** An error of a storage server that keeps Plinth from starting. A request that met it would get 503. */
export function storageError(message: string, remedy: string): ErrorSpec {
	const headers = { 'retry-after': '5' };
	return { status: 503, type: 'server_error', code: 'storage_unavailable', message, remedy, headers };
}
