import { defineErrors } from '@plinth/core';

// Clients retry by status alone, and a retry would not change these responses.
const headers = { 'x-should-retry': 'false' } as const;
const invalidRequest = { type: 'invalid_request_error', headers } as const;

/** Every coded error of the image plugin. */
export const imageErrors = defineErrors({
	// One error for malformed, unsigned and unknown URLs, so that clients cannot probe.
	E_IMAGE_NOT_FOUND: {
		...invalidRequest,
		status: 404,
		code: 'image_not_found',
		message: 'There is no such picture, or its URL is incomplete.',
	},
	E_IMAGE_EXPIRED: {
		...invalidRequest,
		status: 404,
		code: 'image_expired',
		message: 'The URL of the picture has expired.',
		remedy: 'Make the picture again.',
	},
	E_IMAGES_FILTERED: {
		type: 'image_generation_user_error',
		headers,
		status: 400,
		code: 'moderation_blocked',
		message: 'The model has withheld every picture of this request.',
		remedy: 'Change the prompt.',
	},
});
