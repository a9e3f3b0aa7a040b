import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A received request. */
export interface Received {
	readonly path: string;
	readonly headers: IncomingHttpHeaders;
	readonly body: string;
	/** Whether the sender disconnected before the response. */
	readonly isGone: () => boolean;
}

/** A receiver on the loopback interface. */
export interface Receiver {
	readonly url: string;
	/** All received requests. */
	readonly received: Received[];
	/** The response, 200 by default. A function that does nothing leaves the request open. */
	answer: (response: ServerResponse, received: Received) => void;
}

/** Starts a receiver and closes it after the test. */
export async function startReceiver(): Promise<Receiver> {
	const received: Received[] = [];
	const receiver = {
		url: '',
		received,
		answer: ((response) => response.end('ok')) as Receiver['answer'],
	};
	const server = createServer(async (request, response) => {
		let body = '';
		let isGone = false;
		response.on('close', () => {
			isGone = !response.writableEnded;
		});
		request.setEncoding('utf8');
		for await (const chunk of request) body += chunk;
		const { url: path = '', headers } = request;
		const one: Received = { path, headers, body, isGone: () => isGone };
		received.push(one);
		receiver.answer(response, one);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	onTestFinished(() => {
		server.closeAllConnections();
		return new Promise<void>((resolve) => server.close(() => resolve()));
	});
	receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
	return receiver;
}

/** A response with a status and headers. */
export function status(code: number, headers: Record<string, string> = {}): Receiver['answer'] {
	return (response) => response.writeHead(code, headers).end();
}
