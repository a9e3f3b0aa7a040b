import { Agent, request as sendRequest } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

/** A request that is ready to be sent. */
export interface Ready {
	readonly method: string;
	/** Path and query. */
	readonly target: string;
	readonly headers: Readonly<Record<string, string | readonly string[]>>;
	readonly body: Uint8Array | undefined;
	/** Of an event stream only the head is read: it has no end. */
	readonly isEndless?: boolean;
}

/** An answer, read to its end unless it has none. */
export interface Received {
	readonly status: number;
	readonly headers: Headers;
	readonly body: Uint8Array;
}

/** Sends through a web-standard door, without a socket. */
export function throughFetch(door: (request: Request) => Promise<Response>): (ready: Ready) => Promise<Received> {
	return async ({ method, target, headers, body, isEndless = false }) => {
		const answer = await door(
			new Request(`http://fuzz.test${target}`, {
				method,
				headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
				...(body === undefined ? {} : { body: new Uint8Array(body) }),
			}),
		);
		const { status } = answer;
		if (isEndless && isStream(answer.headers)) {
			await answer.body?.cancel();
			return { status, headers: answer.headers, body: new Uint8Array() };
		}
		return { status, headers: answer.headers, body: new Uint8Array(await answer.arrayBuffer()) };
	};
}

/** Sends over connections that are kept open, half of the bodies with a length and half in chunks. */
export function overSockets(url: string): {
	send(ready: Ready): Promise<Received>;
	close(): void;
} {
	const agent = new Agent({ keepAlive: true, maxSockets: 4 });
	const send = (ready: Ready) =>
		new Promise<Received>((resolve, reject) => {
			const { method, target, headers, body, isEndless = false } = ready;
			const sent = sendRequest(`${url}/`, {
				method,
				agent,
				path: target,
				headers: {
					...(headers as Record<string, string | string[]>),
					...(body && body.byteLength % 2 === 0 ? { 'content-length': body.byteLength } : {}),
				},
			});
			sent.on('error', reject);
			sent.on('response', (answer) => {
				const lists = Object.entries(answer.headersDistinct);
				const seen = {
					status: answer.statusCode ?? 0,
					headers: new Headers(lists.map(([name, list]) => [name, String(list)])),
				};
				if (isEndless && isStream(seen.headers)) {
					answer.on('error', () => {});
					answer.destroy();
					resolve({ ...seen, body: new Uint8Array() });
					return;
				}
				const chunks: Buffer[] = [];
				answer.on('data', (chunk: Buffer) => chunks.push(chunk));
				answer.on('error', reject);
				answer.on('end', () => resolve({ ...seen, body: decoded(Buffer.concat(chunks), seen.headers) }));
			});
			sent.end(body);
		});
	return { send, close: () => agent.destroy() };
}

/** What `fetch` would make of the bytes. */
function decoded(bytes: Buffer, headers: Headers): Uint8Array {
	if (bytes.length === 0) return bytes;
	if (headers.get('content-encoding') === 'gzip') return gunzipSync(bytes);
	return headers.get('content-encoding') === 'br' ? brotliDecompressSync(bytes) : bytes;
}

function isStream(headers: Headers): boolean {
	return headers.get('content-type')?.startsWith('text/event-stream') ?? false;
}
