import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A request that the scripted server received. */
export interface UpstreamRequest {
	readonly method: string;
	readonly path: string;
	readonly headers: IncomingHttpHeaders;
	readonly bytes: Buffer;
	/** The JSON body; `{}` for other bodies. */
	readonly json: Readonly<Record<string, unknown>>;
	/** The form; empty for other bodies. */
	readonly form: FormData;
}

/** Answers one request. */
export type Handler = (request: UpstreamRequest, res: ServerResponse) => unknown;

/** A server that answers with the handlers of a test. */
export interface ScriptedUpstream {
	/** The base URL, including `/v1`. */
	readonly baseURL: string;
	readonly port: number;
	/** All received requests. */
	readonly requests: UpstreamRequest[];
	/** The number of requests that were aborted by the client before the response ended. */
	readonly aborted: { count: number };
	/** Sets the handlers of later requests. Each of several handlers answers one request; the last one repeats. */
	on(...handlers: Handler[]): void;
	close(): Promise<void>;
}

/** Starts a server that is stopped at the end of the test. */
export async function scripted(...handlers: Handler[]): Promise<ScriptedUpstream> {
	const server = await startScripted(...handlers);
	onTestFinished(() => server.close());
	return server;
}

/** Starts a server outside a test; the caller stops it. */
export async function startScripted(...first: Handler[]): Promise<ScriptedUpstream> {
	let handlers = first;
	const requests: UpstreamRequest[] = [];
	const aborted = { count: 0 };
	const server = createServer(async (req, res) => {
		res.on('close', () => {
			if (!res.writableFinished) aborted.count += 1;
		});
		try {
			const request = await read(req);
			requests.push(request);
			const handler = handlers.length > 1 ? handlers.shift() : handlers[0];
			await handler?.(request, res);
		} catch {
			res.destroy();
		}
	});
	server.listen(0, '127.0.0.1');
	await new Promise((resolve) => server.once('listening', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		baseURL: `http://127.0.0.1:${port}/v1`,
		port,
		requests,
		aborted,
		on(...more) {
			handlers = more;
		},
		close: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
}

async function read(req: IncomingMessage): Promise<UpstreamRequest> {
	const chunks: Buffer[] = [];
	for await (const chunk of req) chunks.push(chunk);
	const bytes = Buffer.concat(chunks);
	const type = req.headers['content-type'] ?? '';
	const isForm = type.startsWith('multipart/form-data');
	return {
		method: req.method ?? '',
		path: req.url ?? '',
		headers: req.headers,
		bytes,
		json: type === 'application/json' ? JSON.parse(bytes.toString()) : {},
		form: isForm
			? await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData()
			: new FormData(),
	};
}

/** A response with JSON. */
export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Handler {
	return (_, res) =>
		res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
}

/** A response with bytes. */
export function bytes(body: Uint8Array | string, type: string, status = 200): Handler {
	return (_, res) => res.writeHead(status, { 'content-type': type }).end(body);
}

/** A response with server-sent events: objects are sent as JSON, strings unchanged. */
export function sse(...events: readonly (object | string)[]): Handler {
	return (_, res) => {
		res.writeHead(200, { 'content-type': 'text/event-stream' });
		for (const event of events) res.write(frame(event));
		res.end();
	};
}

/** A server-sent event. */
export function frame(event: object | string): string {
	return `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`;
}

/** An error response in the format of OpenAI. */
export function failure(status: number, error: object, headers?: Record<string, string>): Handler {
	return json({ error }, status, headers);
}

/** Sends these pieces and cuts the connection. */
export function cutAfter(type: string, ...pieces: readonly (string | Uint8Array)[]): Handler {
	return (_, res) => {
		res.writeHead(200, { 'content-type': type });
		for (const piece of pieces) res.write(piece);
		// After the pieces were written, because they would be lost otherwise.
		res.write('', () => setImmediate(() => res.destroy()));
	};
}

/** Closes the connection without a response. */
export const hangUp: Handler = (_, res) => res.destroy();

/** Never responds. */
export const silent: Handler = () => {};

/** Sends data without an end, as fast as it is read. */
export function endless(type: string, beginning = '', status = 200): Handler {
	const block = Buffer.alloc(1_048_576, 'a');
	return (_, res) => {
		res.writeHead(status, { 'content-type': type }).write(beginning);
		const fill = () => {
			while (!res.destroyed && res.write(block));
		};
		res.on('drain', fill);
		fill();
	};
}
