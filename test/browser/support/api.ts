import { key } from './server.ts';

/** The API of a test server, with the same key as the browser. */
export interface Api {
	get<T>(path: string): Promise<T>;
	post<T>(path: string, body: unknown): Promise<T>;
	remove(path: string): Promise<void>;
	/** Submits a job of the scripted model and returns its id. */
	job(prompt: string): Promise<string>;
	upload(name: string, bytes: Uint8Array<ArrayBuffer> | string): Promise<string>;
}

/** Calls the API without a browser. Rejects unless the response is a success. */
export function apiOf(url: string): Api {
	const call = async <T>(method: string, path: string, body?: RequestInit): Promise<T> => {
		const headers = { authorization: `Bearer ${key}`, ...body?.headers };
		const response = await fetch(`${url}${path}`, { method, ...body, headers });
		const text = await response.text();
		if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
		return JSON.parse(text) as T;
	};
	const post = <T>(path: string, json: unknown) =>
		call<T>('POST', path, { body: JSON.stringify(json), headers: { 'content-type': 'application/json' } });
	return {
		get: (path) => call('GET', path),
		post,
		async remove(path) {
			await call('DELETE', path);
		},
		async job(prompt) {
			return (await post<{ id: string }>('/v1/videos', { model: 'scripted', prompt })).id;
		},
		async upload(name, bytes) {
			const form = new FormData();
			form.set('purpose', 'user_data');
			form.set('file', new File([bytes], name));
			return (await call<{ id: string }>('POST', '/v1/files', { body: form })).id;
		},
	};
}
