import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/**
 * A TCP proxy that can freeze its connections without closing them. New connections work. It can also switch to another
 * port.
 */
export async function startProxy(port: number) {
	let target = port;
	const pairs = new Set<readonly [Socket, Socket]>();
	const frozen = new WeakSet<readonly [Socket, Socket]>();
	const server = createServer((near) => {
		const far = connect(target, '127.0.0.1');
		const pair = [near, far] as const;
		pairs.add(pair);
		for (const [from, to] of [pair, [far, near]] as const) {
			from.on('error', () => {});
			from.pipe(to);
			from.on('close', () => {
				pairs.delete(pair);
				// Destroys each side when the other one closes, unless the connection is frozen.
				if (!frozen.has(pair)) to.destroy();
			});
		}
	}).listen(0, '127.0.0.1');
	await once(server, 'listening');
	const address = server.address();
	return {
		port: typeof address === 'object' && address ? address.port : 0,
		/** Open connections forward nothing from now on. */
		freeze(): void {
			for (const pair of pairs) {
				frozen.add(pair);
				const [near, far] = pair;
				near.unpipe(far);
				far.unpipe(near);
				near.pause();
				far.pause();
			}
		},
		/** Sends new connections to this port; connections to the old one end. */
		move(to: number): void {
			target = to;
			for (const pair of pairs) for (const socket of pair) socket.destroy();
		},
		async close(): Promise<void> {
			for (const pair of pairs) for (const socket of pair) socket.destroy();
			server.close();
			await once(server, 'close');
		},
	};
}
