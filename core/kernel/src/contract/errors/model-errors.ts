import { defineErrors } from './error-spec.ts';

const serverError = { type: 'server_error' } as const;
const noRetry = { 'x-should-retry': 'false' } as const;

/** What a model may fail with, or not take. */
export const modelErrorTable = defineErrors({
	E_MODEL_NOT_FOUND: {
		status: 404,
		type: 'invalid_request_error',
		code: 'model_not_found',
		message: 'There is no such model.',
		remedy: 'GET /v1/models lists the models of this server.',
	},
	E_MODEL_FAILED: {
		...serverError,
		status: 502,
		code: 'model_error',
		message: 'The model failed. The log of the server has the reason.',
	},
	E_MODEL_BUSY: {
		status: 429,
		type: 'requests',
		code: 'rate_limit_exceeded',
		message: 'The model has as much to do as it takes.',
		remedy: 'Try again in a while.',
		headers: { 'retry-after': '5' },
	},
	E_MODEL_UNAVAILABLE: {
		status: 503,
		type: 'server_error',
		code: 'model_unavailable',
		message: 'The model cannot be reached, or is not ready.',
		remedy: 'Try again in a while.',
		headers: { 'retry-after': '5' },
	},
	E_MODEL_TIMEOUT: {
		status: 504,
		type: 'server_error',
		code: 'model_timeout',
		message: 'The model did not answer in time.',
		headers: noRetry,
	},
});
