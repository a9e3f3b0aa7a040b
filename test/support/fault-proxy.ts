import { EventEmitter, once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A fault of one request: its connection is reset after `cutAfter` bytes of the response. */
export interface Fault {
	readonly cutAfter: number;
}

/** A TCP proxy in front of a server. It reports the progress of uploads and can cut responses off. */
export interface FaultProxy {
	/** The URL that clients use instead of the server's, without a trailing slash. */
	readonly url: string;
	/** How many responses it has cut off. */
	readonly cuts: number;
	/** Sets the function that chooses the fault of each following request by its head; undefined for no faults. */
	setFaults(choose: ((head: string) => Fault | undefined) | undefined): void;
	/** Resolves when an upload in progress has sent at least this many bytes. Rejects when the signal aborts. */
	uploading(bytes: number, signal: AbortSignal): Promise<void>;
	close(): Promise<void>;
}

/** Requires that each head arrives in one chunk, and that a connection has one request at a time, as with the SDK. */
export async function faultProxy(target: string): Promise<FaultProxy> {
	const { hostname, port } = new URL(target);
	const uploads = new EventEmitter();
	uploads.setMaxListeners(0);
	const sockets = new Set<Socket>();
	let choose: ((head: string) => Fault | undefined) | undefined;
	let cuts = 0;

	const proxy = createServer({ noDelay: true }, (client) => {
		const server = connect({ host: hostname, port: Number(port), noDelay: true });
		join(sockets, client, server);
		let fault: Fault | undefined;
		let sent = 0;
		let isUpload = false;
		client.on('data', (bytes) => {
			const head = /^[A-Z]+ \//.test(bytes.toString('latin1', 0, 9)) ? bytes.toString('latin1') : undefined;
			if (head) [fault, sent, isUpload] = [choose?.(head), 0, head.startsWith('PUT ')];
			sent += bytes.length;
			pass(client, server, bytes);
			if (isUpload) uploads.emit('sent', sent);
		});
		let left = 0;
		server.on('data', (bytes) => {
			if (!fault) return pass(server, client, bytes);
			if (sent > 0) [left, sent] = [fault.cutAfter, 0];
			left -= bytes.length;
			if (left > 0) return pass(server, client, bytes);
			cuts += 1;
			client.write(bytes.subarray(0, bytes.length + left), () => client.resetAndDestroy());
			fault = undefined;
		});
	});
	await once(proxy.listen(0, '127.0.0.1'), 'listening');
	return {
		url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
		get cuts() {
			return cuts;
		},
		setFaults(chosen) {
			choose = chosen;
		},
		async uploading(bytes, signal) {
			for (;;) if ((await once(uploads, 'sent', { signal }))[0] >= bytes) return;
		},
		async close() {
			const closed = once(proxy, 'close');
			proxy.close();
			for (const socket of sockets) socket.destroy();
			await closed;
		},
	};
}

/** Destroys each side when the other one closes. */
function join(sockets: Set<Socket>, client: Socket, server: Socket): void {
	for (const [socket, other] of [
		[client, server],
		[server, client],
	] as const) {
		sockets.add(socket);
		socket.on('error', () => other.destroy());
		socket.on('close', () => {
			sockets.delete(socket);
			other.destroy();
		});
	}
}

/** Forwards bytes at the pace of the receiver. */
function pass(from: Socket, to: Socket, bytes: Uint8Array): void {
	if (to.write(bytes)) return;
	from.pause();
	to.once('drain', () => from.resume());
}
