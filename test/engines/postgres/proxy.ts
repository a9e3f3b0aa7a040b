import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A proxy whose connections can be cut without a word: neither side hears of it. New ones work. */
export async function startProxy(port: number) {
	const pairs = new Set<readonly [Socket, Socket]>();
	const server = createServer((near) => {
		const far = connect(port, '127.0.0.1');
		const pair = [near, far] as const;
		pairs.add(pair);
		for (const [from, to] of [pair, [far, near]] as const) {
			from.on('error', () => {});
			from.pipe(to);
			from.on('close', () => pairs.delete(pair));
		}
	}).listen(0, '127.0.0.1');
	await once(server, 'listening');
	const address = server.address();
	return {
		port: typeof address === 'object' && address ? address.port : 0,
		/** What is open now passes nothing on from here. */
		freeze(): void {
			for (const [near, far] of pairs) {
				near.unpipe(far);
				far.unpipe(near);
				near.pause();
				far.pause();
			}
		},
		async close(): Promise<void> {
			for (const pair of pairs) for (const socket of pair) socket.destroy();
			server.close();
			await once(server, 'close');
		},
	};
}
