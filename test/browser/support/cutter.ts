import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy whose connections a test can reset. */
export interface Cutter {
	/** Without a trailing slash. */
	readonly url: string;
	/** Resets all connections, and all new ones until `restore` is called. */
	cut(): void;
	restore(): void;
	stop(): Promise<void>;
}

/** Starts a proxy in front of a server. */
export async function startCutter(target: string): Promise<Cutter> {
	const { hostname, port } = new URL(target);
	const clients = new Set<Socket>();
	let isCut = false;
	const proxy = createServer((client) => {
		client.on('error', () => {});
		if (isCut) {
			client.resetAndDestroy();
			return;
		}
		const server = connect(Number(port), hostname);
		server.on('error', () => client.destroy());
		clients.add(client);
		client.on('close', () => {
			clients.delete(client);
			server.destroy();
		});
		server.on('close', () => client.destroy());
		client.pipe(server).pipe(client);
	});
	proxy.listen(0, '127.0.0.1');
	await once(proxy, 'listening');
	const end = () => {
		for (const client of clients) client.resetAndDestroy();
	};
	return {
		url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
		cut() {
			isCut = true;
			end();
		},
		restore() {
			isCut = false;
		},
		async stop() {
			const closed = once(proxy, 'close');
			proxy.close();
			end();
			await closed;
		},
	};
}
