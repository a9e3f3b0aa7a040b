import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Replaces the open downloads by this many new ones. The reply is sent when each has its first bytes. */
export interface ReadersRound {
	readonly port: number;
	readonly count: number;
	/** The whole request in base64. */
	readonly request: string;
}

/**
 * Bytes of one read, and how often each client reads. Few large reads, because the clients share the processors of the
 * server that is measured.
 */
const pieceBytes = 10_240;
const everyMs = 1_000;

let open: Socket[] = [];
/** The clients take turns, so that they do not all read at the same moment. */
setInterval(() => {
	for (const socket of open) setTimeout(() => socket.resume(), Math.random() * everyMs);
}, everyMs);

process.on('message', async ({ port, count, request }: ReadersRound) => {
	await Promise.all(open.map(close));
	open = [];
	// One after the other: the S3 server is a single process, which must respond to each in time.
	while (open.length < count) open.push(await begin(port, Buffer.from(request, 'base64')));
	process.send?.('open');
});
process.send?.('ready');

async function close(socket: Socket): Promise<void> {
	const closed = once(socket, 'close');
	socket.destroy();
	await closed;
}

/** Resolves when the head has arrived. */
function begin(port: number, request: Uint8Array): Promise<Socket> {
	return new Promise((resolve, reject) => {
		let isOpen = false;
		const onread = {
			buffer: Buffer.alloc(pieceBytes),
			callback(length: number) {
				if (!isOpen && !onread.buffer.toString('latin1', 0, length).startsWith('HTTP/1.1 200')) {
					reject(new Error(onread.buffer.toString('latin1', 0, length)));
				}
				isOpen = true;
				resolve(socket);
				// The next read resumes the socket.
				socket.pause();
				return false;
			},
		};
		const socket = connect({ port, host: '127.0.0.1', onread }, () => socket.write(request));
		socket.on('error', reject);
	});
}
