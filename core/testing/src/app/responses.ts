import assert from 'node:assert/strict';

/** An error response as clients receive it. */
export interface ErrorResponse {
	readonly status: number;
	readonly type: unknown;
	readonly code: unknown;
	readonly param: unknown;
	readonly message: string;
}

/** The JSON body of a response. Throws an error that contains the body when the status differs. */
export async function jsonOf<T>(response: Response, status = 200): Promise<T> {
	const text = await response.text();
	assert.equal(response.status, status, `the status is ${response.status} and not ${status}: ${text}`);
	return JSON.parse(text) as T;
}

/** The status and members of an error response. Throws unless its error has exactly the four members of every error. */
export async function errorOf(response: Response): Promise<ErrorResponse> {
	const text = await response.text();
	const { error = {} } = JSON.parse(text) as { error?: Record<string, unknown> };
	const members = Object.keys(error).sort().join();
	assert.equal(members, 'code,message,param,type', `the response is not an error: ${text}`);
	const { type, code, param, message } = error;
	return { status: response.status, type, code, param, message: String(message) };
}
