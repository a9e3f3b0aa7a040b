/** A small client for the demo's own server. */
export interface DemoClient {
	/** A GET that returns JSON. */
	json<T>(path: string): Promise<T>;
	/** A GET that returns bytes. */
	bytes(path: string): Promise<Uint8Array>;
	/** A POST with a JSON body. */
	post(path: string, body: object): Promise<Response>;
	delete(path: string): Promise<Response>;
}

/** Makes a client that throws the server's own message on every failure. */
export function demoClient(baseUrl: string, key: string): DemoClient {
	const send = async (path: string, init: RequestInit = {}): Promise<Response> => {
		const headers = { 'x-api-key': key, 'content-type': 'application/json' };
		const response = await fetch(`${baseUrl}${path}`, { ...init, headers });
		if (response.ok) return response;
		throw new Error(
			`${init.method ?? 'GET'} ${path} answered ${response.status}: ${await response.text()}`,
		);
	};
	return {
		json: async <T>(path: string) => (await (await send(path)).json()) as T,
		bytes: async (path) => new Uint8Array(await (await send(path)).arrayBuffer()),
		post: (path, body) => send(path, { method: 'POST', body: JSON.stringify(body) }),
		delete: (path) => send(path, { method: 'DELETE' }),
	};
}
