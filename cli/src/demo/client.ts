/** A small client for the demo's own server. */
export interface DemoClient {
	/** A GET whose response is streamed. */
	get(path: string): Promise<Response>;
	/** A GET that returns JSON. */
	json<T>(path: string): Promise<T>;
	/** A GET that returns bytes. */
	bytes(path: string): Promise<Uint8Array>;
	/** A POST with a JSON body, or with a form. */
	post(path: string, body: object | FormData): Promise<Response>;
	delete(path: string): Promise<Response>;
}

/** Makes a client that throws the message of the server on every failure. */
export function demoClient(baseUrl: string, key: string): DemoClient {
	const send = async (path: string, init: RequestInit = {}): Promise<Response> => {
		const headers = { 'x-api-key': key, ...init.headers };
		const response = await fetch(`${baseUrl}${path}`, { ...init, headers });
		if (response.ok) return response;
		throw new Error(`${init.method ?? 'GET'} ${path} answered ${response.status}: ${await response.text()}`);
	};
	return {
		get: (path) => send(path),
		json: async <T>(path: string) => (await (await send(path)).json()) as T,
		bytes: async (path) => new Uint8Array(await (await send(path)).arrayBuffer()),
		post: (path, body) => {
			if (body instanceof FormData) return send(path, { method: 'POST', body });
			const headers = { 'content-type': 'application/json' };
			return send(path, { method: 'POST', headers, body: JSON.stringify(body) });
		},
		delete: (path) => send(path, { method: 'DELETE' }),
	};
}

/** Yields the JSON data of an event stream as it arrives. Throws the message of a frame that reports an error. */
export async function* eventsOf(response: Response): AsyncGenerator<unknown> {
	let text = '';
	for await (const chunk of response.body ?? []) {
		text += Buffer.from(chunk).toString('latin1');
		const frames = text.split('\n\n');
		text = frames.pop() ?? '';
		for (const frame of frames) {
			const [, data] = /^data: (.+)$/m.exec(frame) ?? [];
			if (data === undefined || data === '[DONE]') continue;
			const event: { error?: { message: string } } = JSON.parse(Buffer.from(data, 'latin1').toString());
			if (event.error) throw new Error(event.error.message);
			yield event;
		}
	}
}
