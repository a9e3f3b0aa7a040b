import { defineErrors } from '@plinth/core';

// Clients retry by status alone, and a retry would not change these responses.
const headers = { 'x-should-retry': 'false' } as const;
const invalidRequest = { type: 'invalid_request_error', headers } as const;

/** Every coded error of the files plugin. */
export const fileErrors = defineErrors({
	// One error for malformed, unknown, foreign, deleted and expired ids, so that clients cannot probe.
	E_FILE_NOT_FOUND: {
		...invalidRequest,
		status: 404,
		code: 'file_not_found',
		message: 'There is no such file, or it has expired.',
	},
	E_FILE_CONTENT_MISSING: {
		...invalidRequest,
		status: 404,
		code: 'file_content_missing',
		message: 'The content of the file is no longer in the storage of this server.',
		remedy: 'Upload the file again.',
	},
	E_FILE_QUOTA_EXCEEDED: {
		...invalidRequest,
		status: 403,
		code: 'file_quota_exceeded',
		message: 'The quota of stored files is exceeded.',
		remedy: 'Delete some files first.',
	},
});
