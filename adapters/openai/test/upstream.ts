import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A request that the scripted server got. */
export interface Got {
	readonly method: string;
	readonly path: string;
	readonly headers: IncomingHttpHeaders;
	readonly bytes: Buffer;
	/** Its JSON; `{}` for other bodies. */
	readonly json: Readonly<Record<string, unknown>>;
	/** Its form; empty for other bodies. */
	readonly form: FormData;
}

/** Answers one request. */
export type Handler = (got: Got, res: ServerResponse) => unknown;

/** A server that does what a test says. */
export interface Scripted {
	/** With `/v1`. */
	readonly baseURL: string;
	readonly port: number;
	/** Everything it got. */
	readonly got: Got[];
	/** How many requests have lost their client before the answer was over. */
	readonly left: { count: number };
	/** Answers from now on; of several, each answers one request, the last one the rest. */
	on(...handlers: Handler[]): void;
	close(): Promise<void>;
}

/** Starts a server; who does not stop it in an `afterAll` says nothing: it ends with its test. */
export async function scripted(...handlers: Handler[]): Promise<Scripted> {
	const server = await startScripted(...handlers);
	onTestFinished(() => server.close());
	return server;
}

/** The same outside a test. */
export async function startScripted(...first: Handler[]): Promise<Scripted> {
	let handlers = first;
	const got: Got[] = [];
	const left = { count: 0 };
	const server = createServer(async (req, res) => {
		res.on('close', () => {
			if (!res.writableFinished) left.count += 1;
		});
		try {
			const one = await read(req);
			got.push(one);
			const handler = handlers.length > 1 ? handlers.shift() : handlers[0];
			await handler?.(one, res);
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
		got,
		left,
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

async function read(req: IncomingMessage): Promise<Got> {
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

/** Answers with JSON. */
export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Handler {
	return (_, res) =>
		res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
}

/** Answers with bytes. */
export function bytes(body: Uint8Array | string, type: string, status = 200): Handler {
	return (_, res) => res.writeHead(status, { 'content-type': type }).end(body);
}

/** Answers with server-sent events: objects become their JSON, texts stay as they are. */
export function sse(...events: readonly (object | string)[]): Handler {
	return (_, res) => {
		res.writeHead(200, { 'content-type': 'text/event-stream' });
		for (const event of events) res.write(frame(event));
		res.end();
	};
}

/** One event as it is written. */
export function frame(event: object | string): string {
	return `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`;
}

/** A failure in OpenAI's form. */
export function failure(status: number, error: object, headers?: Record<string, string>): Handler {
	return json({ error }, status, headers);
}

/** Writes something and cuts the connection. */
export function cutAfter(type: string, ...pieces: readonly (string | Uint8Array)[]): Handler {
	return (_, res) => {
		res.writeHead(200, { 'content-type': type });
		for (const piece of pieces) res.write(piece);
		// Behind what was written, or it would be lost with the connection.
		res.write('', () => setImmediate(() => res.destroy()));
	};
}

/** Ends the connection without a word. */
export const hangUp: Handler = (_, res) => res.destroy();

/** Never answers. */
export const silent: Handler = () => {};

/** Writes and never ends, as fast as it is read. */
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
