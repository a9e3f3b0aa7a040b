import cluster from 'node:cluster';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Address, App } from '@plinth/core';

/** The message of a child that serves. */
export interface Listening {
	readonly port: number;
}

/**
 * Listens in one of several processes. On Linux, each process has a socket and a queue of its own, and the system
 * distributes the connections evenly. Elsewhere they share one socket, and an idle process can accept all connections
 * that arrive together.
 */
export async function listenShared(app: App, { host, port }: Omit<Address, 'url'>): Promise<Address> {
	const reusePort = process.platform === 'linux';
	// Without this check, a second server on the same port would get a part of the first one's requests.
	if (reusePort && cluster.worker?.id === 1) await checkIsFree({ host, port });
	const address = await app.listen({ host, port, reusePort });
	process.send?.({ port: address.port } satisfies Listening);
	return address;
}

/** Rejects when the address is in use, also by sockets with `reusePort`. */
async function checkIsFree(at: Omit<Address, 'url'>): Promise<void> {
	const server = createServer();
	await once(server.listen({ ...at, exclusive: true }), 'listening');
	await once(server.close(), 'close');
}
