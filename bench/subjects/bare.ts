import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectWhenAsked } from './collect.ts';

collectWhenAsked();

// The smallest Node server: one response to every request, as `{ headers, body }` in the first argument. Without a
// body, an event stream that stays open.
const { headers, body, heartbeat } = JSON.parse(process.argv[2] ?? '{}') as {
	headers: Record<string, string>;
	body?: string;
	heartbeat?: string;
};

const streams = new Set<import('node:http').ServerResponse>();
const server = createServer((req, res) => {
	if (req.url === '/short') {
		res.end('short');
		return;
	}
	res.writeHead(200, headers);
	if (body !== undefined) {
		res.end(body);
		return;
	}
	res.flushHeaders();
	streams.add(res);
	res.once('close', () => streams.delete(res));
});
if (heartbeat) setInterval(() => streams.forEach((res) => void res.write(heartbeat)), 15_000);
server.keepAliveTimeout = 65_000;
server.listen(0, '127.0.0.1', () => {
	process.send?.({ port: (server.address() as AddressInfo).port });
});
