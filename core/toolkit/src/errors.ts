import { defineErrors, type ErrorDetails, type ErrorSpec, errorFrom, errorRow, type PlinthError } from '@plinth/core';

/** Errors about pictures, documents and conversations, shared by all capabilities. */
export const mediaErrors = defineErrors({
	E_IMAGE_UNREADABLE: errorRow(400, 'invalid_image', 'The file is not a readable PNG, JPEG or WebP image.'),
	E_IMAGE_TOO_LARGE: errorRow(400, 'image_too_large', 'The image has more than 50 megapixels.'),
	E_MODERATION_BLOCKED: {
		status: 400,
		type: 'image_generation_user_error',
		code: 'moderation_blocked',
		message: 'The filter of the model refused the request.',
	},
	E_CONTEXT_TOO_LONG: errorRow(400, 'context_length_exceeded', 'The conversation is longer than the model accepts.', {
		remedy: 'Leave out earlier messages, or attach less.',
	}),
	E_DOCUMENT_UNSUPPORTED: errorRow(400, 'document_unsupported', 'No text can be read from a file of this format.', {
		remedy: 'Send a document, a spreadsheet, a presentation, an e-mail, a picture of a page, or text.',
	}),
	E_DOCUMENT_UNREADABLE: errorRow(400, 'document_unreadable', 'The document cannot be read.', {
		remedy: 'Check that the file is whole and open it in a viewer to save it again.',
	}),
	E_DOCUMENT_ENCRYPTED: errorRow(400, 'document_encrypted', 'The document needs a password to open.', {
		remedy: 'Save it without a password.',
	}),
	E_DOCUMENT_TOO_LARGE: errorRow(400, 'document_too_large', 'The document is too large.', {
		remedy: 'Ask for some of its pages, or split it.',
	}),
	E_DOCUMENT_TIMEOUT: errorRow(400, 'document_timeout', 'The document takes too long to read.', {
		remedy: 'Ask for some of its pages, or split it.',
	}),
});

/** Creates a coded error from {@link mediaErrors}. */
export function mediaError(code: keyof typeof mediaErrors, details?: ErrorDetails): PlinthError {
	return errorFrom(mediaErrors, code, details);
}

/** An error of a storage server that keeps Plinth from starting. In a response, its status is 503. */
export function storageError(message: string, remedy: string): ErrorSpec {
	return errorRow(503, 'storage_unavailable', message, { remedy, headers: { 'retry-after': '5' } });
}
