import { Agent, request as sendRequest } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

/** A request that is ready to be sent. */
export interface ReadyRequest {
	readonly method: string;
	/** Path and query. */
	readonly target: string;
	readonly headers: Readonly<Record<string, string | readonly string[]>>;
	readonly body: Uint8Array | undefined;
	/** Whether an event stream in the response never ends. Then only its head is read. */
	readonly isEndless?: boolean;
}

/** A complete response. The body of an endless event stream is empty. */
export interface Received {
	readonly status: number;
	readonly headers: Headers;
	readonly body: Uint8Array;
}

/** Sends requests to a `fetch` function, without a socket. */
export function fetchTransport(
	fetchFn: (request: Request) => Promise<Response>,
): (request: ReadyRequest) => Promise<Received> {
	return async ({ method, target, headers, body, isEndless = false }) => {
		const response = await fetchFn(
			new Request(`http://fuzz.test${target}`, {
				method,
				headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
				...(body === undefined ? {} : { body: new Uint8Array(body) }),
			}),
		);
		const { status } = response;
		if (isEndless && isStream(response.headers)) {
			await response.body?.cancel();
			return { status, headers: response.headers, body: new Uint8Array() };
		}
		return { status, headers: response.headers, body: new Uint8Array(await response.arrayBuffer()) };
	};
}

/** Sends requests over keep-alive connections. Half of the bodies have a content length, half are chunked. */
export function socketTransport(url: string): {
	send(request: ReadyRequest): Promise<Received>;
	close(): void;
} {
	const agent = new Agent({ keepAlive: true, maxSockets: 4 });
	const send = (request: ReadyRequest) =>
		new Promise<Received>((resolve, reject) => {
			const { method, target, headers, body, isEndless = false } = request;
			const outgoing = sendRequest(`${url}/`, {
				method,
				agent,
				path: target,
				headers: {
					...(headers as Record<string, string | string[]>),
					...(body && body.byteLength % 2 === 0 ? { 'content-length': body.byteLength } : {}),
				},
			});
			outgoing.on('error', reject);
			outgoing.on('response', (response) => {
				const lists = Object.entries(response.headersDistinct);
				const head = {
					status: response.statusCode ?? 0,
					headers: new Headers(lists.map(([name, list]) => [name, String(list)])),
				};
				if (isEndless && isStream(head.headers)) {
					response.on('error', () => {});
					response.destroy();
					resolve({ ...head, body: new Uint8Array() });
					return;
				}
				const chunks: Buffer[] = [];
				response.on('data', (chunk: Buffer) => chunks.push(chunk));
				response.on('error', reject);
				response.on('end', () => resolve({ ...head, body: decoded(Buffer.concat(chunks), head.headers) }));
			});
			outgoing.end(body);
		});
	return { send, close: () => agent.destroy() };
}

/** Decodes the content encoding, as `fetch` does. */
function decoded(bytes: Buffer, headers: Headers): Uint8Array {
	if (bytes.length === 0) return bytes;
	if (headers.get('content-encoding') === 'gzip') return gunzipSync(bytes);
	return headers.get('content-encoding') === 'br' ? brotliDecompressSync(bytes) : bytes;
}

function isStream(headers: Headers): boolean {
	return headers.get('content-type')?.startsWith('text/event-stream') ?? false;
}
