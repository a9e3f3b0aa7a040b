import { createServer, type Socket } from 'node:net';
import { Egress, type EgressOptions } from '@plinth/toolkit';
import { expect, it, onTestFinished } from 'vitest';
import { failureOf, failureOfStatus } from '../src/sender.ts';

/** A server that handles each connection with a function. */
async function startServer(meet: (socket: Socket) => void): Promise<number> {
	const server = createServer((socket) => meet(socket.on('error', () => {})));
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	onTestFinished(() => void server.close());
	return (server.address() as { port: number }).port;
}

/** The reason that is recorded for a request without a response. */
async function reasonOf(url: string, options: EgressOptions = {}): Promise<string> {
	const egress = new Egress({ allowHttp: true, isAllowed: () => true, ...options });
	onTestFinished(() => egress.close());
	const order = { url, method: 'POST', body: '{}', timeoutMs: 4_000, maxBytes: 10 } as const;
	return egress.send(order).then(() => 'it was answered', failureOf);
}

it('a closed connection has a reason', async () => {
	const port = await startServer((socket) => socket.destroy());
	const expected = 'the connection was closed before an answer came';
	expect(await reasonOf(`http://127.0.0.1:${port}/`)).toBe(expected);
});

it('a response that is not HTTP has a reason', async () => {
	const port = await startServer((socket) => socket.end('hello\r\n\r\n'));
	expect(await reasonOf(`http://127.0.0.1:${port}/`)).toBe('the answer was not HTTP');
});

it('a server without TLS has a reason', async () => {
	const port = await startServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
	const expected = 'no secure connection could be made: the certificate or TLS was refused';
	expect(await reasonOf(`https://127.0.0.1:${port}/`)).toBe(expected);
});

it.each([
	{ code: 'ENOTFOUND', syscall: 'getaddrinfo' },
	{ code: 'ECONNREFUSED', syscall: 'queryA' },
])('a name that cannot be resolved has a reason', async (failure) => {
	const resolve = () => Promise.reject(Object.assign(new Error('no'), failure));
	const expected = 'the host name cannot be resolved';
	expect(await reasonOf('http://nothing.example/', { resolve })).toBe(expected);
});

it('a name in a private network has a reason without the address', async () => {
	const resolve = async () => [{ address: '10.1.2.3', family: 4 }];
	const isAllowed = () => false;
	const expected = 'inside.example has no address in the public internet';
	expect(await reasonOf('http://inside.example/', { resolve, isAllowed })).toBe(expected);
});

it('any other error has a reason without its message', () => {
	for (const error of [
		new Error('connect 10.0.0.1:80'),
		Object.assign(new Error('10.0.0.1'), { code: 'toString' }),
		undefined,
		'10.0.0.1',
	]) {
		expect(failureOf(error)).toBe('the connection failed');
	}
});

it('a status has a reason', () => {
	expect([200, 204, 299].map(failureOfStatus)).toEqual([null, null, null]);
	expect(failureOfStatus(302)).toBe('the receiver answered 302, and redirects are not followed');
	expect([199, 404, 500].map(failureOfStatus)).toEqual([
		'the receiver answered 199',
		'the receiver answered 404',
		'the receiver answered 500',
	]);
});
