import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** From this port on, Linux gives ports to outgoing connections and to servers that ask for port 0. */
const firstSystemPort = 32_768;
const given = new Set<number>();

/**
 * A free port that the system does not give to others. A server that starts a second later, or again after a crash,
 * still finds it free.
 */
export async function freePort(): Promise<number> {
	for (;;) {
		const port = randomInt(10_000, firstSystemPort);
		if (!given.has(port) && (await isFree(port))) {
			given.add(port);
			return port;
		}
	}
}

async function isFree(port: number): Promise<boolean> {
	const server = createServer();
	try {
		await once(server.listen(port, '127.0.0.1'), 'listening');
	} catch {
		return false;
	}
	server.close();
	await once(server, 'close');
	return true;
}
