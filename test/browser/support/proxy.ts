import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A running proxy. */
export interface Proxy {
	/** The URL with the prefix, without a trailing slash. */
	readonly url: string;
	stop(): Promise<void>;
}

/**
 * A strict reverse proxy: it forwards requests below `prefix`, without the prefix. It refuses other paths, and
 * sends an internal `Host` and `Connection: close` to the server.
 */
export async function startProxy(target: string, prefix: string): Promise<Proxy> {
	const server = createServer((req, res) => {
		const path = req.url ?? '';
		if (!path.startsWith(`${prefix}/`)) {
			res.writeHead(403).end();
			return;
		}
		const headers = { ...req.headers, host: 'plinth.internal', connection: 'close' };
		const onward = request(new URL(path.slice(prefix.length), target), { method: req.method, headers }, (answer) => {
			res.writeHead(answer.statusCode ?? 502, answer.headers);
			answer.pipe(res);
		});
		onward.on('error', () => res.destroy());
		res.on('close', () => onward.destroy());
		req.pipe(onward);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`,
		stop() {
			server.closeAllConnections();
			return new Promise((resolve) => server.close(() => resolve()));
		},
	};
}
