import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Opens `count` event streams in place of those that are open, and waits until each has seen so many heartbeats. */
export interface StreamsRound {
	readonly port: number;
	readonly request: string;
	readonly count: number;
	readonly heartbeats: number;
}

/** Streams that begin at the same time: a tenant may have 256 requests under way. */
const batch = 100;

interface OpenStream {
	readonly socket: Socket;
	/** Resolves when the stream has had its heartbeats. */
	readonly beaten: Promise<void>;
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
	await Promise.all(open.map(({ beaten }) => beaten));
	process.send?.('open');
});
process.send?.('ready');

async function close(socket: Socket): Promise<void> {
	const closed = once(socket, 'close');
	socket.destroy();
	await closed;
}

/** Resolves when the head has come. */
function openStream(port: number, request: string, heartbeats: number): Promise<OpenStream> {
	const beaten = Promise.withResolvers<void>();
	return new Promise((resolve, reject) => {
		const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(request));
		let seen = '';
		socket.setEncoding('latin1');
		socket.on('error', reject);
		socket.on('data', (text: unknown) => {
			seen += String(text);
			const [head, ...rest] = seen.split('\r\n\r\n');
			if (rest.length === 0) return;
			if (!head?.startsWith('HTTP/1.1 200')) reject(new Error(`No stream:\n${seen}`));
			resolve({ socket, beaten: beaten.promise });
			if (rest.join('').split(': ping').length > heartbeats) beaten.resolve();
		});
	});
}
