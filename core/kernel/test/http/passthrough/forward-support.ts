import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Agent } from 'undici';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { plinthError } from '../../../src/contract/errors/coded-error.ts';
import { defineRoute, type Route, type RouteDefinition } from '../../../src/contract/http/route.ts';
import type { ForwardDispatcher, ForwardRequest, RawBody } from '../../../src/contract/ports/forward.ts';

/** A server with scripted responses, and its address. */
export interface Upstream {
	readonly origin: string;
	readonly dispatcher: ForwardDispatcher;
	readonly server: Server;
	readonly sockets: Set<Socket>;
}

/** Responds to one request whose body has been read. */
export type Script = (req: IncomingMessage, res: ServerResponse, body: Buffer) => void;

/** Opens an upstream for the duration of a test. */
export async function upstream(script: Script): Promise<Upstream> {
	const sockets = new Set<Socket>();
	const server = createServer((req, res) => {
		const chunks: Buffer[] = [];
		req.on('data', (chunk: Buffer) => chunks.push(chunk));
		req.on('end', () => script(req, res, Buffer.concat(chunks)));
	});
	server.on('connection', (socket) => {
		sockets.add(socket);
		socket.on('error', () => {});
		socket.on('close', () => sockets.delete(socket));
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const agent = new Agent();
	onTestFinished(async () => {
		await agent.destroy();
		server.closeAllConnections();
		server.close();
	});
	const { port } = server.address() as AddressInfo;
	return { origin: `http://127.0.0.1:${port}`, dispatcher: dispatcherOf(agent), server, sockets };
}

/** Adapts an agent to the interface of the kernel. */
export function dispatcherOf(agent: Agent): ForwardDispatcher {
	return {
		dispatch: ({ headers, ...options }, handler) =>
			agent.dispatch({ ...options, headers: [...headers] }, handler as never),
	};
}

/** A forwarded request with default values, except for its address. */
export function forwarded(
	to: Pick<Upstream, 'origin' | 'dispatcher'>,
	raw: RawBody,
	more: Partial<ForwardRequest> = {},
): ForwardRequest {
	const failure = (why: string) => plinthError('E_VALUE_INVALID', { param: why, message: `The upstream: ${why}.` });
	return {
		dispatcher: to.dispatcher,
		origin: to.origin,
		path: '/v1/chat/completions',
		headers: ['content-type', 'application/json', 'authorization', 'Bearer of-the-upstream'],
		body: raw.withModel('upstream-model'),
		quietMs: 60_000,
		accepts: (mediaType) => ['application/json', 'text/event-stream', 'audio/wav'].includes(mediaType),
		refused: (status, headers, body) =>
			plinthError('E_VALUE_INVALID', {
				param: 'refused',
				message: `${status} ${headers['x-why'] ?? ''} ${body.length} ${body.toString().slice(0, 40)}`,
			}),
		lost: () => failure('lost'),
		silent: () => failure('silent'),
		unfit: (mediaType) => failure(`unfit ${mediaType}`),
		usage: (end) => {
			const counts = end.matchAll(/"(\w+)":(\d+)(?=[^"]*$)/g);
			return Object.fromEntries([...counts].map(([, name, count]) => [name, Number(count)]));
		},
		...more,
	};
}

/** A route with a `forward`. Its handler responds with the received body. */
export function forwarding(
	forward: NonNullable<RouteDefinition['forward']>,
	more: Partial<RouteDefinition> = {},
): Route {
	return defineRoute({
		method: 'POST',
		path: '/v1/chat/completions',
		scope: 'authenticated',
		summary: 's',
		response: { description: 'x' },
		errors: [],
		body: z.looseObject({ model: z.string() }),
		limits: { json: 8_388_608 },
		handler: ({ body }) => ({ handled: body }),
		...more,
		forward,
	});
}
