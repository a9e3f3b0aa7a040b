import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Opens `count` event streams in place of those that are open, and waits until each has seen so many heartbeats. */
export interface StreamsRound {
	readonly port: number;
	readonly request: string;
	readonly count: number;
	readonly heartbeats: number;
}

let open: readonly Socket[] = [];

process.on('message', async ({ port, request, count, heartbeats }: StreamsRound) => {
	await Promise.all(open.map(close));
	open = await Promise.all(
		Array.from({ length: count }, () => openStream(port, request, heartbeats)),
	);
	process.send?.('open');
});
process.send?.('ready');

async function close(socket: Socket): Promise<void> {
	const closed = once(socket, 'close');
	socket.destroy();
	await closed;
}

function openStream(port: number, request: string, heartbeats: number): Promise<Socket> {
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
			if (rest.join('').split(': ping').length > heartbeats) resolve(socket);
		});
	});
}
