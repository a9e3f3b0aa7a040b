import { defineErrors } from '@plinth/core';

/** The coded errors of this adapter. */
export const hostErrors = defineErrors({
	E_HOST_STRANGER: {
		status: 401,
		type: 'invalid_request_error',
		code: null,
		message: 'The caller is not authenticated.',
		remedy: 'Sign in to the application that hosts this API.',
		headers: { 'x-should-retry': 'false' },
	},
	E_HOST_PRINCIPAL: {
		status: 500,
		type: 'server_error',
		code: null,
		message: 'The function passed to fromHost must return { id, tenant, scopes }.',
		remedy: 'Return names of 1 to 256 characters and a list of scopes, or undefined for an unknown caller.',
		headers: { 'x-should-retry': 'false' },
	},
});
