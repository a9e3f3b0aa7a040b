import { createServer, type Socket } from 'node:net';
import { Egress, type EgressOptions } from '@plinth/toolkit';
import { expect, it, onTestFinished } from 'vitest';
import { failureOf, failureOfStatus } from '../src/sender.ts';

/** A server that does something with every connection. */
async function listening(meet: (socket: Socket) => void): Promise<number> {
	const server = createServer((socket) => meet(socket.on('error', () => {})));
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	onTestFinished(() => void server.close());
	return (server.address() as { port: number }).port;
}

/** What is said of a request that gets no answer. */
async function saidOf(url: string, options: EgressOptions = {}): Promise<string> {
	const egress = new Egress({ allowHttp: true, isAllowed: () => true, ...options });
	onTestFinished(() => egress.close());
	const order = { url, method: 'POST', body: '{}', timeoutMs: 4_000, maxBytes: 10 } as const;
	return egress.send(order).then(() => 'it was answered', failureOf);
}

it('a connection that is closed', async () => {
	const port = await listening((socket) => socket.destroy());
	const said = 'the connection was closed before an answer came';
	expect(await saidOf(`http://127.0.0.1:${port}/`)).toBe(said);
});

it('an answer that is no HTTP', async () => {
	const port = await listening((socket) => socket.end('hello\r\n\r\n'));
	expect(await saidOf(`http://127.0.0.1:${port}/`)).toBe('the answer was no HTTP');
});

it('a server that speaks no TLS', async () => {
	const port = await listening((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
	const said = 'no secure connection could be made: the certificate or TLS was refused';
	expect(await saidOf(`https://127.0.0.1:${port}/`)).toBe(said);
});

it.each([
	{ code: 'ENOTFOUND', syscall: 'getaddrinfo' },
	{ code: 'ECONNREFUSED', syscall: 'queryA' },
])('a name that cannot be resolved', async (failure) => {
	const resolve = () => Promise.reject(Object.assign(new Error('no'), failure));
	const said = 'the host name cannot be resolved';
	expect(await saidOf('http://nothing.example/', { resolve })).toBe(said);
});

it('a name that leads into a private network, without the address', async () => {
	const resolve = async () => [{ address: '10.1.2.3', family: 4 }];
	const isAllowed = () => false;
	const said = 'inside.example has no address in the public internet';
	expect(await saidOf('http://inside.example/', { resolve, isAllowed })).toBe(said);
});

it('anything else, without its text', () => {
	for (const error of [
		new Error('connect 10.0.0.1:80'),
		Object.assign(new Error('10.0.0.1'), { code: 'toString' }),
		undefined,
		'10.0.0.1',
	]) {
		expect(failureOf(error)).toBe('the connection failed');
	}
});

it('statuses', () => {
	expect([200, 204, 299].map(failureOfStatus)).toEqual([null, null, null]);
	expect(failureOfStatus(302)).toBe('the receiver answered 302, and redirects are not followed');
	expect([199, 404, 500].map(failureOfStatus)).toEqual([
		'the receiver answered 199',
		'the receiver answered 404',
		'the receiver answered 500',
	]);
});
