import cluster from 'node:cluster';
import type { Address, App } from '@plinth/core';
import { serverSettings, tryListen } from '../doctor/network.ts';

/** The message of a child that serves. */
export interface Listening {
	readonly port: number;
}

/**
 * Listens in one of several processes. On Linux, each process has a socket and a queue of its own, and the system
 * distributes the connections evenly. Elsewhere they share one socket, and an idle process can accept all connections
 * that arrive together. `section` is the `server` section of the config.
 */
export async function listenShared(app: App, section: Readonly<Record<string, unknown>>): Promise<Address> {
	const { host, port } = serverSettings(section);
	const reusePort = process.platform === 'linux';
	// Without this check, a second server on the same port would get a part of the first one's requests.
	if (reusePort && cluster.worker?.id === 1) await tryListen(host, port);
	const address = await app.listen({ host, port, reusePort });
	process.send?.({ port: address.port } satisfies Listening);
	return address;
}
