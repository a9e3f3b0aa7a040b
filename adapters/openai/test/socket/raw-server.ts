import { type AddressInfo, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A connection that the server has accepted. */
export interface Accepted {
	readonly socket: Socket;
	/** Everything that has come on it, as Latin-1. */
	received: string;
}

/** A server that speaks no protocol by itself. */
export interface RawServer {
	readonly origin: string;
	/** In the order in which they came, also those that are closed. */
	readonly connections: readonly Accepted[];
	/** How many requests have come whole, on all of them. */
	readonly requests: number;
	/** How many connections are open. */
	readonly open: number;
}

/** Writes something on a connection, at each whole request that comes on it. */
export type Reaction = (socket: Socket) => unknown;

/** Starts one that reacts to one request after the other, to all further ones as to the last. It ends with its test. */
export async function rawServer(...reactions: Reaction[]): Promise<RawServer> {
	const connections: Accepted[] = [];
	let requests = 0;
	const server = createServer({ noDelay: true }, (socket) => {
		const accepted = { socket, received: '' };
		connections.push(accepted);
		let taken = 0;
		socket.on('error', () => {});
		socket.on('data', (chunk) => {
			accepted.received += chunk.toString('latin1');
			for (let end = wholeTo(accepted.received, taken); end > 0; ) {
				taken = end;
				const react = reactions[Math.min(requests, reactions.length - 1)];
				requests += 1;
				react?.(socket);
				end = wholeTo(accepted.received, taken);
			}
		});
	});
	server.listen(0, '127.0.0.1');
	await new Promise((resolve) => server.once('listening', resolve));
	onTestFinished(() => {
		for (const { socket } of connections) socket.destroy();
		server.close();
	});
	return {
		origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		connections,
		get requests() {
			return requests;
		},
		get open() {
			return connections.filter(({ socket }) => !socket.destroyed).length;
		},
	};
}

/** Where the request ends that begins at `from`; 0 while it is not whole. */
function wholeTo(text: string, from: number): number {
	const headEnd = text.indexOf('\r\n\r\n', from);
	const [, length] = /content-length: (\d+)/i.exec(text.slice(from, Math.max(headEnd, from))) ?? [];
	const end = headEnd + 4 + Number(length);
	return headEnd >= 0 && text.length >= end ? end : 0;
}

/** Writes these bytes. */
export function writes(text: string): Reaction {
	return (socket) => socket.write(text, 'latin1');
}

/** An answer with a length. */
export function answer(body: string, ...headers: string[]): string {
	const lines = ['HTTP/1.1 200 OK', ...headers, `content-length: ${body.length}`];
	return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
