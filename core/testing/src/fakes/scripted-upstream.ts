import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request that an upstream received. */
export interface UpstreamRequest {
	readonly method: string;
	/** Path and query. */
	readonly path: string;
	readonly headers: IncomingHttpHeaders;
	readonly body: Buffer;
	/** Whether the client has closed the connection before the whole response was sent. */
	readonly isAborted: () => boolean;
}

/** Responds to one request. A function that does nothing leaves the request without a response. */
export type UpstreamScript = (response: ServerResponse, request: UpstreamRequest) => unknown;

/** An HTTP server on the loopback interface that responds with scripts of the test. */
export interface ScriptedUpstream {
	/** `http://127.0.0.1:` and a free port. */
	readonly url: string;
	/** All received requests. */
	readonly requests: readonly UpstreamRequest[];
	/** Replaces the scripts: each responds to one request, the last one to all further requests. */
	script(...scripts: readonly [UpstreamScript, ...UpstreamScript[]]): void;
	/** Closes the server and every connection. Needed only without `onTestFinished`. */
	stop(): Promise<void>;
}

/** Starts a server that responds with `script` until it is replaced. A script that throws closes the connection. */
export async function scriptedUpstream(
	script: UpstreamScript,
	{ onTestFinished }: { readonly onTestFinished?: (stop: () => Promise<void>) => void } = {},
): Promise<ScriptedUpstream> {
	let scripts: UpstreamScript[] = [script];
	const requests: UpstreamRequest[] = [];
	const server = createServer(async (incoming, response) => {
		try {
			const request = await read(incoming, response);
			requests.push(request);
			const next = scripts.length > 1 ? scripts.shift() : scripts[0];
			await next?.(response, request);
		} catch {
			response.destroy();
		}
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const stop = () =>
		new Promise<void>((resolve) => {
			server.close(() => resolve());
			server.closeAllConnections();
		});
	onTestFinished?.(stop);
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		requests,
		script(...more) {
			scripts = [...more];
		},
		stop,
	};
}

async function read(incoming: IncomingMessage, response: ServerResponse): Promise<UpstreamRequest> {
	let isAborted = false;
	response.on('close', () => {
		isAborted = !response.writableFinished;
	});
	const chunks: Buffer[] = [];
	for await (const chunk of incoming) chunks.push(chunk);
	const { method = '', url: path = '', headers } = incoming;
	return { method, path, headers, body: Buffer.concat(chunks), isAborted: () => isAborted };
}

/** A script that responds with JSON. */
export function jsonResponse(value: unknown, status = 200, headers: Record<string, string> = {}): UpstreamScript {
	const type = { 'content-type': 'application/json' };
	return (response) => response.writeHead(status, { ...type, ...headers }).end(JSON.stringify(value));
}

/** A script that responds with server-sent events. Objects are sent as JSON, texts as they are. */
export function eventResponse(...events: readonly (object | string)[]): UpstreamScript {
	const frames = events.map((data) => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
	return (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(frames.join(''));
}
