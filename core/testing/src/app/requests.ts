import type { App } from '@plinth/core';

/** Everything of a request except its method and path. `body` takes precedence over `form`, and `form` over `json`. */
export interface RequestOptions extends Omit<RequestInit, 'headers' | 'method'> {
	/** The value of `x-api-key`; `null` sends none. */
	readonly key?: string | null;
	/** Further headers. They replace those that the helpers set. */
	readonly headers?: Readonly<Record<string, string>>;
	/** A JSON body. */
	readonly json?: unknown;
	/** A multipart body. */
	readonly form?: FormFields | FormData;
}

/** The value of a form field: a text, a file, or bytes, which become a file named `input.bin`. */
export type FormValue = string | Uint8Array | Blob;

/** Fields in order. A list sends its field once for each value. */
export type FormFields = Readonly<Record<string, FormValue | readonly FormValue[]>>;

/** Requests to an app, by `app.fetch`. A path may be a whole URL. */
export interface Requests {
	/** Sends any request. */
	send(method: string, path: string, options?: RequestOptions): Promise<Response>;
	/** Sends a GET. */
	get(path: string, options?: RequestOptions): Promise<Response>;
	/** Sends a POST with a JSON body. */
	post(path: string, json: unknown, options?: RequestOptions): Promise<Response>;
	/** Sends a POST with a multipart body. */
	form(path: string, fields: FormFields | FormData, options?: RequestOptions): Promise<Response>;
}

/** Makes requests to an app. `defaultKey` is sent unless a request sets another key. */
export function requestsTo(app: Pick<App, 'fetch'>, defaultKey: string): Requests {
	const send: Requests['send'] = (method, path, options = {}) => {
		const { key = defaultKey, headers, json, form, ...init } = options;
		const body = bodyOf(options);
		return app.fetch(
			new Request(new URL(path, 'http://localhost'), {
				...init,
				method,
				headers: {
					...(key === null ? {} : { 'x-api-key': key }),
					...(json === undefined ? {} : { 'content-type': 'application/json' }),
					// HTTP clients send the length of a text; `Request` does not.
					...(typeof body === 'string' ? { 'content-length': `${Buffer.byteLength(body)}` } : {}),
					...headers,
				},
				...(body === undefined ? {} : { body }),
			}),
		);
	};
	return {
		send,
		get: (path, options) => send('GET', path, options),
		post: (path, json, options) => send('POST', path, { ...options, json }),
		form: (path, form, options) => send('POST', path, { ...options, form }),
	};
}

function bodyOf({ body, json, form }: RequestOptions): RequestInit['body'] | undefined {
	if (body !== undefined) return body;
	if (form !== undefined) return form instanceof FormData ? form : formOf(form);
	return json === undefined ? undefined : JSON.stringify(json);
}

/** Makes a multipart body. Files of bytes are labelled `application/octet-stream`. */
export function formOf(fields: FormFields): FormData {
	const form = new FormData();
	for (const [name, values] of Object.entries(fields)) {
		for (const value of [values].flat()) {
			if (value instanceof Uint8Array) form.append(name, new Blob([Uint8Array.from(value)]), 'input.bin');
			else form.append(name, value);
		}
	}
	return form;
}
