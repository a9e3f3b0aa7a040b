import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy that breaks connections. */
export interface CuttingProxy {
	/** Where clients go in place of the server; without a trailing slash. */
	readonly url: string;
	/** How many answers it has kept from their clients. */
	readonly cuts: number;
	close(): Promise<void>;
}

/**
 * Makes a proxy before a server. When the server answers a request whose head `isDoomed`, the client's connection is reset in
 * place of the answer: the server has done its work and the client cannot know. Heads are expected in one piece.
 */
export async function cuttingProxy(target: string, isDoomed: (head: string) => boolean): Promise<CuttingProxy> {
	const { hostname, port } = new URL(target);
	const sockets = new Set<Socket>();
	let cuts = 0;

	const proxy = createServer({ noDelay: true }, (client) => {
		const server = connect({ host: hostname, port: Number(port), noDelay: true });
		let doomed = false;
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
		client.on('data', (bytes) => {
			const head = bytes.toString('latin1');
			if (/^[A-Z]+ \//.test(head)) doomed = isDoomed(head);
			server.write(bytes);
		});
		server.on('data', (bytes) => {
			if (!doomed) client.write(bytes);
			else if (!client.destroyed) {
				cuts += 1;
				client.resetAndDestroy();
			}
		});
	});
	proxy.listen(0, '127.0.0.1');
	await once(proxy, 'listening');
	return {
		url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
		get cuts() {
			return cuts;
		},
		async close() {
			const closed = once(proxy, 'close');
			proxy.close();
			for (const socket of sockets) socket.destroy();
			await closed;
		},
	};
}
