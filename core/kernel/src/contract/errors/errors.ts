import { defineErrors } from './error-spec.ts';
import { modelErrorTable } from './model-errors.ts';

const badRequest = { status: 400, type: 'invalid_request_error' } as const;
const serverError = { type: 'server_error' } as const;
const noRetry = { 'x-should-retry': 'false' } as const;

/** Every coded error of the kernel. Plugins add their own tables with {@link defineErrors}. */
export const errors = defineErrors({
	E_VALUE_MISSING: {
		...badRequest,
		code: 'missing_required_parameter',
		message: 'A required parameter is missing.',
	},
	E_VALUE_INVALID: {
		...badRequest,
		code: 'invalid_value',
		message: 'A parameter has a value that is not allowed.',
	},
	E_VALUE_TYPE: { ...badRequest, code: 'invalid_type', message: 'A parameter has the wrong type.' },
	E_VALUE_UNKNOWN: {
		...badRequest,
		code: 'unknown_parameter',
		message: 'A parameter is not known here.',
	},
	E_VALUE_UNSUPPORTED: {
		...badRequest,
		code: 'unsupported_value',
		message: 'The model does not support this value.',
	},
	E_STRING_TOO_LONG: {
		...badRequest,
		code: 'string_above_max_length',
		message: 'A string is too long.',
	},
	E_STRING_TOO_SHORT: {
		...badRequest,
		code: 'string_below_min_length',
		message: 'A string is too short.',
	},
	E_INTEGER_TOO_LARGE: {
		...badRequest,
		code: 'integer_above_max_value',
		message: 'A number is too large.',
	},
	E_INTEGER_TOO_SMALL: {
		...badRequest,
		code: 'integer_below_min_value',
		message: 'A number is too small.',
	},
	E_BODY_MALFORMED: {
		...badRequest,
		code: 'invalid_body',
		message: 'The request body cannot be read.',
	},
	...modelErrorTable,
	E_KEY_MISSING: {
		status: 401,
		type: 'invalid_request_error',
		code: null,
		message: 'No API key was sent.',
		remedy: 'Send it as "Authorization: Bearer <key>" or as "x-api-key: <key>".',
		headers: { 'www-authenticate': 'Bearer', ...noRetry },
	},
	E_KEY_INVALID: {
		status: 401,
		type: 'invalid_request_error',
		code: 'invalid_api_key',
		message: 'The API key is not valid.',
		remedy: 'Check the key, and send it once: if both headers are used, they must carry the same key.',
		headers: { 'www-authenticate': 'Bearer error="invalid_token"', ...noRetry },
	},
	E_SCOPE_MISSING: {
		status: 403,
		type: 'invalid_request_error',
		code: 'insufficient_permissions',
		message: 'The API key may not use this operation.',
		remedy: 'Use a key that has the scope named here.',
	},
	E_ROUTE_NOT_FOUND: {
		status: 404,
		type: 'invalid_request_error',
		code: null,
		message: 'There is no such route.',
		remedy: 'GET /openapi.json lists the routes of this server.',
	},
	E_JOB_NOT_FOUND: {
		status: 404,
		type: 'invalid_request_error',
		code: 'job_not_found',
		message: 'There is no such job.',
	},
	E_OPERATION_UNSUPPORTED: {
		status: 404,
		type: 'invalid_request_error',
		code: 'unsupported_operation',
		message: 'This server does not offer this operation.',
	},
	E_METHOD_NOT_ALLOWED: {
		status: 405,
		type: 'invalid_request_error',
		code: 'method_not_allowed',
		message: 'The route does not answer to this method.',
	},
	E_REQUEST_TIMEOUT: {
		status: 408,
		type: 'invalid_request_error',
		code: 'request_timeout',
		message: 'The request arrived too slowly.',
		headers: noRetry,
	},
	E_DEADLINE: {
		...serverError,
		status: 504,
		code: 'deadline_exceeded',
		message: 'The request was not finished in the time that this route has.',
		headers: noRetry,
	},
	E_BODY_TOO_LARGE: {
		status: 413,
		type: 'invalid_request_error',
		code: 'request_too_large',
		message: 'The request is larger than this route allows.',
	},
	E_MEDIA_TYPE_UNSUPPORTED: {
		status: 415,
		type: 'invalid_request_error',
		code: 'unsupported_media_type',
		message: 'The request has a content type that this route does not take.',
	},
	E_RANGE_NOT_SATISFIABLE: {
		status: 416,
		type: 'invalid_request_error',
		code: 'range_not_satisfiable',
		message: 'The requested range lies outside the content.',
	},
	E_IDEMPOTENCY_MISMATCH: {
		status: 422,
		type: 'invalid_request_error',
		code: 'idempotency_mismatch',
		message: 'This Idempotency-Key was used with another request.',
		remedy: 'Use a new key for a new request.',
	},
	E_RATE_LIMITED: {
		status: 429,
		type: 'requests',
		code: 'rate_limit_exceeded',
		message: 'Too many requests with a wrong API key came from this address.',
		remedy: 'Check the key: a valid one is never limited here.',
		headers: { 'retry-after': '60', ...noRetry },
	},
	E_TENANT_BUSY: {
		status: 429,
		type: 'requests',
		code: 'rate_limit_exceeded',
		message: 'This tenant has as many requests under way as the server allows.',
		remedy: 'Wait for some of them to end, then try again.',
		headers: { 'retry-after': '2' },
	},
	E_QUEUE_FULL: {
		status: 429,
		type: 'requests',
		code: 'queue_full',
		message: 'Too many of your jobs wait or run already.',
		remedy: 'Wait until some of them have ended, or delete some.',
		headers: { 'retry-after': '30' },
	},
	E_INTERNAL: {
		...serverError,
		status: 500,
		code: null,
		message: 'The server failed.',
		remedy: 'The log has the reason under this request id.',
	},
	E_NOT_READY: {
		...serverError,
		status: 503,
		code: 'server_not_ready',
		message: 'The server could not be started; its log has the reason.',
		headers: { 'retry-after': '5' },
	},
	E_STOPPING: {
		...serverError,
		status: 503,
		code: 'server_stopping',
		message: 'The server is stopping.',
		remedy: 'Try again in a few seconds.',
		headers: { 'retry-after': '2' },
	},
	E_OVERLOADED: {
		...serverError,
		status: 503,
		code: 'server_overloaded',
		message: 'The server has as much to do as it can take.',
		remedy: 'Try again in a few seconds.',
		headers: { 'retry-after': '5' },
	},
	E_STORE_UNAVAILABLE: {
		...serverError,
		status: 503,
		code: 'storage_unavailable',
		message: 'A storage backend does not answer.',
		remedy: 'Try again in a few seconds.',
		headers: { 'retry-after': '5' },
	},
	E_STORE_FULL: {
		...serverError,
		status: 507,
		code: 'storage_full',
		message: 'The storage of the server is full.',
		headers: noRetry,
	},
	E_JOB_CANCELLED: { ...badRequest, code: 'cancelled', message: 'The job was cancelled.' },
	E_JOB_TIMEOUT: {
		...serverError,
		status: 504,
		code: 'job_timeout',
		message: 'The job ran longer than this server allows and was stopped.',
	},
	E_JOB_ATTEMPTS: {
		...serverError,
		status: 500,
		code: 'attempts_exhausted',
		message: 'The job was interrupted too often and was given up.',
		remedy: 'Submit it again.',
	},
	E_JOB_NO_WORKER: {
		...serverError,
		status: 503,
		code: 'no_worker_for_model',
		message: 'No worker of this server has offered the model of the job for an hour.',
		remedy: 'Start a worker whose config binds this model, or name another model.',
	},
});

/** What a checked body can be refused for: the rows that routes with a body have in common. */
export const valueErrors = [
	errors.E_VALUE_MISSING,
	errors.E_VALUE_INVALID,
	errors.E_VALUE_TYPE,
	errors.E_VALUE_UNSUPPORTED,
	errors.E_STRING_TOO_LONG,
	errors.E_STRING_TOO_SHORT,
	errors.E_INTEGER_TOO_LARGE,
	errors.E_INTEGER_TOO_SMALL,
] as const;

/** What any model may fail with: the rows that routes which ask one have in common. */
export const modelErrors = [
	errors.E_MODEL_NOT_FOUND,
	errors.E_MODEL_FAILED,
	errors.E_MODEL_BUSY,
	errors.E_MODEL_UNAVAILABLE,
	errors.E_MODEL_TIMEOUT,
] as const;
