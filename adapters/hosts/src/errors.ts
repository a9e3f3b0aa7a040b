import { defineErrors } from '@plinth/core';

/** The coded errors of this adapter. */
export const hostErrors = defineErrors({
	E_HOST_STRANGER: {
		status: 401,
		type: 'invalid_request_error',
		code: null,
		message: 'This server does not know who is asking.',
		remedy: 'Sign in as the application around this API wants it.',
		headers: { 'x-should-retry': 'false' },
	},
	E_HOST_PRINCIPAL: {
		status: 500,
		type: 'server_error',
		code: null,
		message: 'The function given to fromHost returned something else than { id, tenant, scopes }.',
		remedy:
			'Return names of 1 to 256 characters and a list of scopes, or undefined for a stranger.',
		headers: { 'x-should-retry': 'false' },
	},
});
