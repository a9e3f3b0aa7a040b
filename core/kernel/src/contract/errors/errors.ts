/** One row of an error table: the response for a coded error, and its remedy. */
export interface ErrorSpec {
	readonly status: number;
	/** `error.code` in the response; null for errors that have none. */
	readonly code: string | null;
	readonly type:
		| 'invalid_request_error'
		| 'image_generation_user_error'
		| 'requests'
		| 'insufficient_quota'
		| 'server_error';
	readonly message: string;
	/** What the reader can do about it; appended to the message. */
	readonly remedy?: string;
	/** Extra response headers, for example `x-should-retry`. */
	readonly headers?: Readonly<Record<string, string>>;
}

/** Declares the errors of a plugin in the form of the kernel's own table. */
export function defineErrors<const T extends Record<`E_${string}`, ErrorSpec>>(table: T): T {
	return table;
}

const noRetry = { 'x-should-retry': 'false' } as const;
const retryAfter = (seconds: number) => ({ 'retry-after': String(seconds) });

/** Makes a row of an error table. Its `type` follows from the status. */
function row<C extends string | null>(
	status: number,
	code: C,
	message: string,
	more?: Pick<ErrorSpec, 'remedy' | 'headers'>,
): ErrorSpec & { readonly code: C } {
	const type = status === 429 ? 'requests' : status < 500 ? 'invalid_request_error' : 'server_error';
	return { status, code, type, message, ...more };
}

export { row as errorRow };

/** Every coded error of the kernel. Plugins add their own tables with {@link defineErrors}. */
export const errors = defineErrors({
	E_VALUE_MISSING: row(400, 'missing_required_parameter', 'A required parameter is missing.'),
	E_VALUE_INVALID: row(400, 'invalid_value', 'A parameter has a value that is not allowed.'),
	E_VALUE_TYPE: row(400, 'invalid_type', 'A parameter has the wrong type.'),
	E_VALUE_UNKNOWN: row(400, 'unknown_parameter', 'A parameter is not known here.'),
	E_VALUE_UNSUPPORTED: row(400, 'unsupported_value', 'The model does not support this value.'),
	E_STRING_TOO_LONG: row(400, 'string_above_max_length', 'A string is too long.'),
	E_STRING_TOO_SHORT: row(400, 'string_below_min_length', 'A string is too short.'),
	E_INTEGER_TOO_LARGE: row(400, 'integer_above_max_value', 'An integer is too large.'),
	E_INTEGER_TOO_SMALL: row(400, 'integer_below_min_value', 'An integer is too small.'),
	E_NUMBER_TOO_LARGE: row(400, 'decimal_above_max_value', 'A number is too large.'),
	E_NUMBER_TOO_SMALL: row(400, 'decimal_below_min_value', 'A number is too small.'),
	E_BODY_MALFORMED: row(400, 'invalid_body', 'The request body cannot be read.'),
	E_MODEL_NOT_FOUND: row(404, 'model_not_found', 'There is no such model.', {
		remedy: 'GET /v1/models lists the models of this server.',
	}),
	E_MODEL_FAILED: row(502, 'model_error', 'The model failed. The log of the server has the reason.'),
	E_MODEL_BUSY: row(429, 'rate_limit_exceeded', 'The model is at its capacity.', {
		remedy: 'Try again in a while.',
		headers: retryAfter(5),
	}),
	E_MODEL_UNAVAILABLE: row(503, 'model_unavailable', 'The model cannot be reached, or is not ready.', {
		remedy: 'Try again in a while.',
		headers: retryAfter(5),
	}),
	E_MODEL_TIMEOUT: row(504, 'model_timeout', 'The model did not answer in time.', { headers: noRetry }),
	E_KEY_MISSING: row(401, null, 'No API key was sent.', {
		remedy: 'Send it as "Authorization: Bearer <key>" or as "x-api-key: <key>".',
		headers: { 'www-authenticate': 'Bearer', ...noRetry },
	}),
	E_KEY_INVALID: row(401, 'invalid_api_key', 'The API key is not valid.', {
		remedy: 'Check the key, and send it once: if both headers are used, they must carry the same key.',
		headers: { 'www-authenticate': 'Bearer error="invalid_token"', ...noRetry },
	}),
	E_SCOPE_MISSING: row(403, 'insufficient_permissions', 'The API key may not use this operation.', {
		remedy: 'Use a key that has the scope named here.',
	}),
	E_ROUTE_NOT_FOUND: row(404, null, 'There is no such route.', {
		remedy: 'GET /openapi.json lists the routes of this server.',
	}),
	E_JOB_NOT_FOUND: row(404, 'job_not_found', 'There is no such job.'),
	E_OPERATION_UNSUPPORTED: row(404, 'unsupported_operation', 'This server does not offer this operation.'),
	E_METHOD_NOT_ALLOWED: row(405, 'method_not_allowed', 'The route does not support this method.'),
	E_REQUEST_TIMEOUT: row(408, 'request_timeout', 'The request arrived too slowly.', { headers: noRetry }),
	E_DEADLINE: row(504, 'deadline_exceeded', 'The request exceeded the time limit of this route.', {
		headers: noRetry,
	}),
	E_BODY_TOO_LARGE: row(413, 'request_too_large', 'The request is larger than this route allows.'),
	E_MEDIA_TYPE_UNSUPPORTED: row(415, 'unsupported_media_type', 'The route does not accept this content type.'),
	E_PRECONDITION_FAILED: row(412, 'precondition_failed', 'The content does not have the requested version.', {
		headers: noRetry,
	}),
	E_RANGE_NOT_SATISFIABLE: row(416, 'range_not_satisfiable', 'The requested range lies outside the content.'),
	E_IDEMPOTENCY_MISMATCH: row(422, 'idempotency_mismatch', 'This Idempotency-Key was used with another request.', {
		remedy: 'Use a new key for a new request.',
	}),
	E_RATE_LIMITED: row(429, 'rate_limit_exceeded', 'Too many requests with a wrong API key came from this address.', {
		remedy: 'Check the key: a valid one is never limited here.',
		headers: { ...retryAfter(60), ...noRetry },
	}),
	E_TENANT_BUSY: row(429, 'rate_limit_exceeded', 'This tenant has too many concurrent requests.', {
		remedy: 'Wait for some of them to end, then try again.',
		headers: retryAfter(2),
	}),
	E_QUEUE_FULL: row(429, 'queue_full', 'Too many of your jobs wait or run already.', {
		remedy: 'Wait until some of them have ended, or delete some.',
		headers: retryAfter(30),
	}),
	E_INTERNAL: row(500, null, 'The server failed.', { remedy: 'The log has the reason under this request id.' }),
	E_NOT_READY: row(503, 'server_not_ready', 'The server could not be started; its log has the reason.', {
		headers: retryAfter(5),
	}),
	E_STOPPING: row(503, 'server_stopping', 'The server is stopping.', {
		remedy: 'Try again in a few seconds.',
		headers: retryAfter(2),
	}),
	E_OVERLOADED: row(503, 'server_overloaded', 'The server is at its capacity.', {
		remedy: 'Try again in a few seconds.',
		headers: retryAfter(5),
	}),
	E_STORE_UNAVAILABLE: row(503, 'storage_unavailable', 'A storage backend does not answer.', {
		remedy: 'Try again in a few seconds.',
		headers: retryAfter(5),
	}),
	E_STORE_DIFFERS: row(409, 'storage_differs', 'The data in the store differs from the data to be loaded.', {
		remedy: 'Load it into an empty store.',
	}),
	E_STORE_FULL: row(507, 'storage_full', 'The storage of the server is full.', { headers: noRetry }),
	E_JOB_CANCELLED: row(400, 'cancelled', 'The job was cancelled.'),
	E_JOB_TIMEOUT: row(504, 'job_timeout', 'The job ran longer than this server allows and was stopped.'),
	E_JOB_ATTEMPTS: row(500, 'attempts_exhausted', 'The job was interrupted too often and has failed.', {
		remedy: 'Submit it again.',
	}),
	E_JOB_NO_WORKER: row(
		503,
		'no_worker_for_model',
		'No worker of this server has offered the model of the job for an hour.',
		{ remedy: 'Start a worker whose config binds this model, or name another model.' },
	),
});

/** The errors of a body that fails validation, for routes with a body. */
export const valueErrors = [
	errors.E_VALUE_MISSING,
	errors.E_VALUE_INVALID,
	errors.E_VALUE_TYPE,
	errors.E_VALUE_UNSUPPORTED,
	errors.E_STRING_TOO_LONG,
	errors.E_STRING_TOO_SHORT,
	errors.E_INTEGER_TOO_LARGE,
	errors.E_INTEGER_TOO_SMALL,
	errors.E_NUMBER_TOO_LARGE,
	errors.E_NUMBER_TOO_SMALL,
] as const;

/** The errors of any model, for routes that call one. */
export const modelErrors = [
	errors.E_MODEL_NOT_FOUND,
	errors.E_MODEL_FAILED,
	errors.E_MODEL_BUSY,
	errors.E_MODEL_UNAVAILABLE,
	errors.E_MODEL_TIMEOUT,
] as const;
