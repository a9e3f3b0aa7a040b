import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Replaces the open event streams by `count` new ones, and waits until each has received this many heartbeats. */
export interface StreamsRound {
	readonly port: number;
	readonly request: string;
	readonly count: number;
	readonly heartbeats: number;
}

/** Streams that are opened at the same time: a tenant may have 256 running requests. */
const batch = 100;

interface OpenStream {
	readonly socket: Socket;
	/** Resolves when the stream has received its heartbeats. */
	readonly heartbeatsReceived: Promise<void>;
}

let open: OpenStream[] = [];

process.on('message', async ({ port, request, count, heartbeats }: StreamsRound) => {
	await Promise.all(open.map(({ socket }) => close(socket)));
	open = [];
	while (open.length < count) {
		const more = Math.min(batch, count - open.length);
		const opening = Array.from({ length: more }, () => openStream(port, request, heartbeats));
		open.push(...(await Promise.all(opening)));
	}
	await Promise.all(open.map(({ heartbeatsReceived }) => heartbeatsReceived));
	process.send?.('open');
});
process.send?.('ready');

async function close(socket: Socket): Promise<void> {
	const closed = once(socket, 'close');
	socket.destroy();
	await closed;
}

/** Resolves when the head has arrived. */
function openStream(port: number, request: string, heartbeats: number): Promise<OpenStream> {
	const heartbeatsReceived = Promise.withResolvers<void>();
	return new Promise((resolve, reject) => {
		const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(request));
		let received = '';
		socket.setEncoding('latin1');
		socket.on('error', reject);
		socket.on('data', (text: unknown) => {
			received += String(text);
			const [head, ...rest] = received.split('\r\n\r\n');
			if (rest.length === 0) return;
			if (!head?.startsWith('HTTP/1.1 200')) reject(new Error(`No stream:\n${received}`));
			resolve({ socket, heartbeatsReceived: heartbeatsReceived.promise });
			if (rest.join('').split(': ping').length > heartbeats) heartbeatsReceived.resolve();
		});
	});
}
