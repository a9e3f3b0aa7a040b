/** A failed request. `message` comes from the server: show it as text, never as HTML. */
export class ApiError extends Error {
	/** The HTTP status; 0 when there was no response. */
	readonly status: number;
	/** For programs: `invalid_value`; `unreachable` when there was no response. */
	readonly code: string | null;
	/** The parameter that caused the error: `prompt`, `messages[1].content`. */
	readonly param: string | null;
	/** The id of the request in the server's log. */
	readonly requestId: string | undefined;

	constructor(message: string, facts: Partial<Omit<ApiError, 'name'>> = {}) {
		super(message);
		this.name = 'ApiError';
		this.status = facts.status ?? 0;
		this.code = facts.code ?? null;
		this.param = facts.param ?? null;
		this.requestId = facts.requestId;
	}
}

/** Whether an error is an abort by the caller. Such an error is not shown. */
export function isAbort(error: unknown): boolean {
	return error instanceof DOMException && error.name === 'AbortError';
}

/** Converts any error to one that can be shown. */
export function toApiError(error: unknown): ApiError {
	if (error instanceof ApiError) return error;
	return new ApiError(error instanceof Error ? error.message : String(error));
}

/** The error when there was no response. */
export function unreachable(): ApiError {
	return new ApiError('The server cannot be reached.', { code: 'unreachable' });
}

/** The error in the body of a response, or in an event `error` of a stream. */
export function errorFrom(
	text: string,
	{ status, header }: { readonly status: number; readonly header: (name: string) => string | null },
): ApiError {
	const { message, code = null, param = null } = parseError(text);
	return new ApiError(message ?? `The server answered with status ${status}.`, {
		status,
		code,
		param,
		requestId: header('x-request-id') ?? undefined,
	});
}

interface WireError {
	readonly message?: string;
	readonly code?: string | null;
	readonly param?: string | null;
}

function parseError(text: string): WireError {
	try {
		const { error } = JSON.parse(text) as { readonly error?: WireError };
		return error ?? {};
	} catch {
		// An error page of a proxy is not JSON.
		return {};
	}
}
