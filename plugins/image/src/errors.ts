import { defineErrors } from '@plinth/core';

// Clients re-send by status alone; these answers do not change by asking again at once.
const headers = { 'x-should-retry': 'false' } as const;
const invalidRequest = { type: 'invalid_request_error', headers } as const;

/** Every coded error of the image plugin. */
export const imageErrors = defineErrors({
	// One row for malformed, unsigned and unknown addresses, so that nothing can be probed.
	E_IMAGE_NOT_FOUND: {
		...invalidRequest,
		status: 404,
		code: 'image_not_found',
		message: 'There is no such picture, or its address is not complete.',
	},
	E_IMAGE_EXPIRED: {
		...invalidRequest,
		status: 404,
		code: 'image_expired',
		message: 'The address of the picture has expired.',
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
