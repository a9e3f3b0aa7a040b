import { type AddressInfo, createServer } from 'node:net';
import { eventually } from '@plinth/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { neverArrived } from '../../src/upstream/connection.ts';
import { ask, send, to } from './asking.ts';
import { answer, rawServer, writes } from './raw-server.ts';
import { Told } from './told.ts';

describe('requests', () => {
	test('go one behind the other on one connection', async () => {
		const server = await rawServer(writes(answer('first')), writes(answer('second')));
		const dispatcher = to(server.origin);
		expect((await ask(dispatcher, { body: '{"a":"ü"}' })).body).toBe('first');
		expect((await ask(dispatcher, { body: '' })).body).toBe('second');
		const { host } = new URL(server.origin);
		const head = `POST /v1/x HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\n`;
		expect(server.connections.map(({ received }) => received)).toEqual([
			`${head}content-length: 10\r\n\r\n{"a":"\xc3\xbc"}${head}content-length: 0\r\n\r\n`,
		]);
	});

	test('that are under way at once have a connection each', async () => {
		const server = await rawServer(writes(answer('yes')));
		const dispatcher = to(server.origin);
		await Promise.all([ask(dispatcher), ask(dispatcher)]);
		await Promise.all([ask(dispatcher), ask(dispatcher)]);
		expect(server.connections).toHaveLength(2);
	});

	test('may be long', async () => {
		const server = await rawServer(writes(answer('yes')));
		const body = 'long '.repeat(400_000);
		expect((await ask(to(server.origin), { body })).body).toBe('yes');
		expect(server.connections[0]?.received.endsWith(`\r\n\r\n${body}`)).toBe(true);
	});

	test.each(['host', 'Host'])('go to the host that the config names: %s', async (name) => {
		const server = await rawServer(writes(answer('yes')));
		await ask(to(server.origin), { with: [name, 'models.test'] });
		expect(server.connections[0]?.received.match(/^host: .*$/gim)).toEqual(['host: models.test']);
	});

	test.each([
		['a length of their own', ['content-length', '1']],
		['a framing of their own', ['transfer-encoding', 'chunked']],
		['a header of two lines', ['a', 'b\r\nc: d']],
		['a length of their own in other letters', ['Content-Length', '0']],
		['a character that ends a line as Latin-1', ['a', 'b\u010dc']],
	])('with %s are not sent', async (_, own) => {
		const server = await rawServer(writes(answer('yes')));
		const dispatcher = to(server.origin);
		expect(() => send(dispatcher, new Told(), { with: own })).toThrow('header');
		await ask(dispatcher);
		expect(server.requests).toBe(1);
	});
});

describe('a connection takes no other request', () => {
	test.each([
		['behind bytes that nobody has asked for', `${answer('one')}${answer('evil')}`],
		['of which the server says that it will not', answer('one', 'connection: close')],
		['that the server keeps for no longer than a second', answer('one', 'keep-alive: timeout=1')],
	])('%s', async (_, first) => {
		const server = await rawServer(writes(first), writes(answer('two')));
		const dispatcher = to(server.origin);
		expect((await ask(dispatcher)).body).toBe('one');
		expect((await ask(dispatcher)).body).toBe('two');
		expect(server.connections).toHaveLength(2);
		await eventually('the first one is closed', () => server.open === 1);
	});

	test.each<[string, (end: () => void, write: () => void) => void]>([
		['on which the server speaks without being asked', (_, write) => write()],
		['that the server has closed', (end) => end()],
	])('%s', async (_, meanwhile) => {
		// Its age is no reason to close it here.
		vi.useFakeTimers({ toFake: ['setInterval'] });
		onTestFinished(() => void vi.useRealTimers());
		const server = await rawServer(writes(answer('one')), writes(answer('two')));
		const dispatcher = to(server.origin);
		await ask(dispatcher);
		const { socket } = server.connections[0] ?? {};
		meanwhile(
			() => socket?.end(),
			() => socket?.write(answer('evil')),
		);
		await eventually('it is closed', () => server.open === 0);
		expect((await ask(dispatcher)).body).toBe('two');
	});

	test('when it has been answered before all of its own has gone out', async () => {
		let connections = 0;
		// Reads nothing, so that most of the request stays where it is.
		const early = createServer({ pauseOnConnect: true }, (socket) => {
			connections += 1;
			onTestFinished(() => void socket.destroy());
			socket.on('error', () => {}).write(answer('too long'));
		});
		await new Promise<void>((resolve) => early.listen(0, '127.0.0.1', resolve));
		onTestFinished(() => void early.close());
		const dispatcher = to(`http://127.0.0.1:${(early.address() as AddressInfo).port}`);
		const told = await ask(dispatcher, { body: 'x'.repeat(20_000_000) });
		expect([told.body, told.error]).toEqual(['too long', undefined]);
		await ask(dispatcher);
		expect(connections).toBe(2);
	});

	test('when it has had nothing to do for 4 seconds', async () => {
		vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
		onTestFinished(() => void vi.useRealTimers());
		const server = await rawServer(writes(answer('one')));
		await ask(to(server.origin));
		vi.advanceTimersByTime(2_000);
		await ask(to(server.origin));
		expect(server.open).toBe(2);
		vi.advanceTimersByTime(6_000);
		await eventually('they are closed', () => server.open === 0);
	});
});

describe('a request is lost', () => {
	test('and sent no second time when the server closes the connection just then', async () => {
		const server = await rawServer(writes(answer('one')), (socket) => socket.destroy());
		const dispatcher = to(server.origin);
		await ask(dispatcher);
		const { error } = await ask(dispatcher);
		expect(neverArrived(error)).toBe(false);
		expect(server.requests).toBe(2);
	});

	test('before it could arrive where nobody listens', async () => {
		const { error } = await ask(to('http://127.0.0.1:1'));
		expect(neverArrived(error)).toBe(true);
	});

	test('before it could arrive where nobody answers in time', async () => {
		vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
		onTestFinished(() => void vi.useRealTimers());
		const server = await rawServer();
		const told = send(to(server.origin), new Told());
		vi.advanceTimersByTime(10_000);
		expect(neverArrived((await told.over).error)).toBe(true);
		expect(server.requests).toBe(0);
	});

	test('when all connections are closed, and there is no other behind it', async () => {
		const server = await rawServer(writes('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\na'));
		const dispatcher = to(server.origin);
		const told = send(
			dispatcher,
			new Told((moment) => {
				if (moment === 'onResponseData') dispatcher.destroy();
			}),
		);
		expect((await told.over).error).toBeDefined();
		expect(() => send(dispatcher, new Told())).toThrow('closed');
		await eventually('the server knows', () => server.open === 0);
	});
});
