import { key, signOut } from '../state/session.ts';
import { type ApiError, errorFrom, isAbort, unreachable } from './error.ts';

/** The values of a query. Undefined ones are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** The options of a request. */
export interface RequestOptions {
	readonly query?: Query | undefined;
	/** A JSON body. */
	readonly json?: unknown;
	/** A multipart body. `sendForm` also reports its progress. */
	readonly form?: FormData;
	readonly headers?: Readonly<Record<string, string>>;
	readonly signal?: AbortSignal | undefined;
	/** Used instead of the key of the session. */
	readonly key?: string;
}

type Method = 'GET' | 'POST' | 'DELETE';

/** The folder of the page: the part before `v1/…` in every URL, including any mount prefix. */
const base = new URL('.', location.href.replace(/[?#].*$/s, ''));

/** The URL of a path such as `/v1/models`. It never contains the key. */
export function addressOf(path: string, query: Query = {}): string {
	const url = new URL(path.replace(/^\//, ''), base);
	for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
	return url.href;
}

/** The header with the key. The key is sent only in this header. */
export function keyHeader(apiKey = key.value): Record<string, string> {
	return apiKey ? { authorization: `Bearer ${apiKey}` } : {};
}

/** Sends a request. Rejects with `ApiError` unless it succeeds, and with an abort error when `signal` aborts. */
export async function send(method: Method, path: string, options: RequestOptions = {}): Promise<Response> {
	const { query, json, form, headers, signal } = options;
	const apiKey = options.key ?? key.value;
	const body = form ?? (json === undefined ? undefined : JSON.stringify(json));
	let response: Response;
	try {
		response = await fetch(addressOf(path, query), {
			method,
			headers: {
				...keyHeader(apiKey),
				...(json === undefined ? {} : { 'content-type': 'application/json' }),
				...headers,
			},
			// The API needs no cookies; this host may have cookies of other programs.
			credentials: 'omit',
			cache: 'no-store',
			...(body === undefined ? {} : { body }),
			...(signal ? { signal } : {}),
		});
	} catch (error) {
		throw isAbort(error) || signal?.aborted ? error : unreachable();
	}
	if (response.ok) return response;
	const { status } = response;
	const failure = errorFrom(await response.text(), { status, header: (name) => response.headers.get(name) });
	throw signOutOn401(failure, options.key === undefined ? apiKey : undefined);
}

/** Signs out when the server rejects the key of the session. Returns the failure. */
export function signOutOn401(failure: ApiError, usedKey: string | undefined): ApiError {
	if (failure.status === 401 && usedKey !== undefined && usedKey === key.value) signOut(failure.message);
	return failure;
}

/** Rethrows an error of reading a body: a `TypeError` means that the connection broke. */
function rejectBroken(error: unknown): never {
	throw error instanceof TypeError ? unreachable() : error;
}

/** Sends a GET; resolves with the JSON response. */
export async function getJson<T>(path: string, options?: RequestOptions): Promise<T> {
	return (await (await send('GET', path, options)).json().catch(rejectBroken)) as T;
}

/** Sends a POST with a JSON body; resolves with the JSON response. */
export async function postJson<T>(path: string, json: unknown, options?: RequestOptions): Promise<T> {
	return (await (await send('POST', path, { ...options, json })).json().catch(rejectBroken)) as T;
}

/** Sends a DELETE; resolves with the JSON response. */
export async function deleteJson<T>(path: string, options?: RequestOptions): Promise<T> {
	return (await (await send('DELETE', path, options)).json().catch(rejectBroken)) as T;
}

/** Sends a GET; resolves with the bytes. `URL.createObjectURL(blob)` makes a URL for pictures, videos and audio. */
export async function getBlob(path: string, options?: RequestOptions): Promise<Blob> {
	return await (await send('GET', path, options)).blob().catch(rejectBroken);
}
