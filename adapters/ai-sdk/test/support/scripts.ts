import type { ServerResponse } from 'node:http';
import type { UpstreamRequest, UpstreamScript } from '@plinth/testing';

/** The JSON body of a request. */
export function jsonOf<T = Record<string, unknown>>({ body }: UpstreamRequest): T {
	return JSON.parse(body.toString()) as T;
}

/** The form data of a request. */
export function formOf({ body, headers }: UpstreamRequest): Promise<FormData> {
	const type = { 'content-type': `${headers['content-type']}` };
	return new Response(new Uint8Array(body), { headers: type }).formData();
}

/** A chunk of a chat completion stream in the format of OpenAI's API. */
export function chunk(delta: object, finish: string | null = null): object {
	return { id: 'c', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] };
}

/** A response with an error body in the format of OpenAI's API. */
export function failure(status: number, error: object, headers: Record<string, string> = {}): UpstreamScript {
	return (response) => {
		response.writeHead(status, { 'content-type': 'application/json', ...headers });
		response.end(JSON.stringify({ error: { message: 'no', type: 'x', ...error } }));
	};
}

/** Sends these bytes, then closes the connection without an end. */
export function cut(bytes: string | Uint8Array, type: string): UpstreamScript {
	return (response) => {
		response.writeHead(200, { 'content-type': type, 'content-length': '100000' });
		response.write(bytes, () => response.destroy());
	};
}

/** Sends these bytes as the whole response. */
export function bytes(body: Uint8Array, type: string): UpstreamScript {
	return (response) => response.writeHead(200, { 'content-type': type }).end(body);
}

/** A server with the prediction API of Replicate. Each status request returns the next of the scripted statuses. */
export class Predictions {
	readonly #film: (input: Record<string, unknown>) => Uint8Array;
	readonly #statuses: readonly object[];
	readonly #made: { readonly film: Uint8Array; looks: number }[] = [];

	/** `statuses`: the responses to status requests, in order; the last one repeats. */
	constructor(film: (input: Record<string, unknown>) => Uint8Array, statuses: readonly object[]) {
		this.#film = film;
		this.#statuses = statuses;
	}

	/** The number of predictions that were started. */
	get begun(): number {
		return this.#made.length;
	}

	readonly script: UpstreamScript = (response, request) => {
		const origin = `http://${request.headers.host}`;
		if (request.method === 'POST') {
			const { input } = jsonOf<{ input: Record<string, unknown> }>(request);
			this.#made.push({ film: this.#film(input), looks: 0 });
			return this.#tell(response, origin, this.#made.length - 1, { status: 'starting' });
		}
		const [, kind, number = ''] = /^\/v1\/(predictions|files)\/(\d+)/.exec(request.path) ?? [];
		const made = this.#made[Number(number)];
		if (!made) return response.writeHead(404).end('{"detail":"no such prediction"}');
		if (kind === 'files') return response.writeHead(200, { 'content-type': 'video/mp4' }).end(made.film);
		const status = this.#statuses[Math.min(made.looks++, this.#statuses.length - 1)] ?? {};
		return this.#tell(response, origin, Number(number), status);
	};

	#tell(response: ServerResponse, origin: string, id: number, status: object): void {
		const urls = { get: `${origin}/v1/predictions/${id}` };
		const output = `${origin}/v1/files/${id}`;
		const isDone = 'status' in status && status.status === 'succeeded';
		const body = { id: `${id}`, urls, ...(isDone ? { output } : {}), ...status };
		response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
	}
}
