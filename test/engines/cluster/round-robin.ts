import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A load balancer: each connection goes to the next server that accepts it. */
export interface RoundRobin {
	/** Without a trailing slash. */
	readonly url: string;
	/** The URLs of the servers. Servers that are down may stay in the list. */
	targets: readonly string[];
	close(): Promise<void>;
}

/** Starts a load balancer without servers. */
export async function startRoundRobin(): Promise<RoundRobin> {
	const sockets = new Set<Socket>();
	let turn = 0;
	const server = createServer(async (near) => {
		sockets.add(near);
		near.on('error', () => {}).on('close', () => sockets.delete(near));
		const far = await firstThatAccepts(balancer.targets, turn++);
		if (!far || near.destroyed) {
			near.destroy();
			far?.destroy();
			return;
		}
		near.pipe(far);
		far.pipe(near);
		far.on('error', () => {}).on('close', () => near.destroy());
		near.on('close', () => far.destroy());
	}).listen(0, '127.0.0.1');
	await once(server, 'listening');
	const balancer: RoundRobin = {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		targets: [],
		async close() {
			for (const socket of sockets) socket.destroy();
			server.close();
			await once(server, 'close');
		},
	};
	return balancer;
}

async function firstThatAccepts(targets: readonly string[], turn: number): Promise<Socket | undefined> {
	for (const index of targets.keys()) {
		const { hostname, port } = new URL(targets[(turn + index) % targets.length] as string);
		const socket = connect(Number(port), hostname);
		try {
			await once(socket, 'connect');
			return socket;
		} catch {
			// The server is down: the next one is tried.
		}
	}
	return undefined;
}
