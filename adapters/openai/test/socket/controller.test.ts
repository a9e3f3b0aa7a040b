import { eventually } from '@plinth/testing';
import { describe, expect, test } from 'vitest';
import type { SocketDispatcher } from '../../src/upstream/socket/dispatcher.ts';
import { ask, send, to } from './asking.ts';
import { answer, rawServer, writes } from './raw-server.ts';
import { Told } from './told.ts';

const moments = ['onRequestStart', 'onResponseStart', 'onResponseData', 'onResponseEnd'] as const;

describe('whoever is told of an answer may', () => {
	const inChunks = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n';

	test.each(moments)('abort it in %s', async (moment) => {
		const server = await rawServer(writes(inChunks));
		const dispatcher = to(server.origin);
		const reason = new Error('enough');
		const told = new Told((now, controller) => {
			if (now === moment) controller.abort(reason);
		});
		await send(dispatcher, told).over;
		// Behind the end there is nothing left to abort.
		const isEnd = moment === 'onResponseEnd';
		expect(told.error).toBe(isEnd ? undefined : reason);
		const before = moments.slice(0, moments.indexOf(moment) + 1);
		expect(told.moments).toEqual(isEnd ? before : [...before, 'onResponseError']);
		expect((await ask(dispatcher)).body).toBe('hi');
		await eventually('no other is left', () => server.open === 1);
		if (isEnd) expect(server.connections).toHaveLength(1);
	});

	test.each(moments.slice(0, 3))(
		'pause it in %s, and is told nothing until it resumes',
		async (moment) => {
			const server = await rawServer(writes(inChunks));
			const dispatcher = to(server.origin);
			const told = new Told((now, controller) => {
				if (now === moment) controller.pause();
			});
			send(dispatcher, told);
			await eventually('it is paused', () => told.moments.at(-1) === moment);
			await eventually('it is answered', () => server.requests === 1);
			// Meanwhile another one has the time to come.
			await ask(dispatcher);
			expect(told.moments.at(-1)).toBe(moment);
			told.controller?.resume();
			expect(await told.over).toMatchObject({ body: 'hi', error: undefined });
			await ask(dispatcher);
			expect(server.connections).toHaveLength(2);
		},
	);

	test('resume what it has not paused, and what is over', async () => {
		const server = await rawServer(writes(inChunks));
		const told = new Told((_, controller) => controller.resume());
		send(to(server.origin), told);
		expect((await told.over).body).toBe('hi');
		told.controller?.pause();
		told.controller?.resume();
		expect(told.moments).toEqual(moments);
	});

	test('have all of it when its connection is lost while the last piece is with it', async () => {
		const server = await rawServer(writes(answer('hi')));
		const dispatcher = to(server.origin);
		const told = await heldUp(dispatcher);
		dispatcher.destroy();
		expect((await told.over).error).toBeUndefined();
		told.controller?.resume();
		expect(told.moments).toEqual(moments);
	});

	test('resume when the connection has been lost, and hears that once', async () => {
		const server = await rawServer(writes('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\na'));
		const dispatcher = to(server.origin);
		const told = await heldUp(dispatcher);
		dispatcher.destroy();
		await told.over;
		told.controller?.resume();
		expect(told.moments).toEqual([...moments.slice(0, 3), 'onResponseError']);
	});
});

test('who does not take an answer keeps the server from sending it', async () => {
	const size = 32 * 1_048_576;
	const server = await rawServer(
		(socket) => {
			socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${size}\r\n\r\n`);
			socket.write(Buffer.alloc(size));
		},
		writes(answer('beside')),
	);
	const dispatcher = to(server.origin);
	let isFirst = true;
	let received = 0;
	class Slow extends Told {
		override onResponseData(controller: NonNullable<Told['controller']>, chunk: Buffer): void {
			received += chunk.length;
			if (isFirst) controller.pause();
			isFirst = false;
		}
	}
	const told = send(dispatcher, new Slow());
	await eventually('it is paused', () => !isFirst);
	const paused = received;
	for (let round = 0; round < 20; round++) await ask(dispatcher);
	expect(received).toBe(paused);
	expect(server.connections[0]?.socket.writableLength).toBeGreaterThan(size / 2);
	told.controller?.resume();
	await told.over;
	expect(received).toBe(size);
});

test('a connection holds the process only while it has something to do', async () => {
	const server = await rawServer(writes(answer('yes')));
	const dispatcher = to(server.origin);
	await ask(dispatcher);
	const held = () => process.getActiveResourcesInfo().filter(isSocket).length;
	const idle = held();
	const told = send(dispatcher, new Told());
	expect(held()).toBe(idle + 1);
	await told.over;
	expect(server.connections).toHaveLength(1);
});

function isSocket(resource: string): boolean {
	return resource === 'TCPSocketWrap';
}

/** Sends a request whose answer is paused at its first piece. */
async function heldUp(dispatcher: SocketDispatcher): Promise<Told> {
	const told = new Told((moment, controller) => {
		if (moment === 'onResponseData') controller.pause();
	});
	send(dispatcher, told);
	await eventually('it is paused', () => told.moments.at(-1) === 'onResponseData');
	return told;
}
