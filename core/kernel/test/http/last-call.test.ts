import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Reply } from '../../src/contract/http/reply.ts';
import { defineRoute } from '../../src/contract/http/route.ts';
import { eventually, listening, rawConnection, request } from './support.ts';

describe('before the listener closes', () => {
	it('every response closes its connection after endKeepAlive, also on open connections', async () => {
		const { port, http } = await listening([]);
		const openConnection = await rawConnection(port);
		await openConnection.write(request('GET /healthz'));
		await openConnection.until(/"ok"/);
		expect(openConnection.text).not.toMatch(/connection: close/i);
		http.listener.endKeepAlive();
		await openConnection.write(request('GET /healthz'));
		await openConnection.closed;
		expect(openConnection.text).toMatch(/connection: close[\s\S]*"ok"[\s\S]*$/i);

		const fresh = await rawConnection(port);
		await fresh.write(request('GET /healthz'));
		await fresh.closed;
		expect(fresh.text).toMatch(/connection: close[\s\S]*"ok"/i);
	});
});

describe('once the listener closes', () => {
	it('connections in the backlog are accepted and get a response, and are not reset', async () => {
		const { port, http } = await listening([]);
		// They stay in the backlog of the system during this turn of the event loop.
		const waiting = Array.from({ length: 20 }, () => connect(port, '127.0.0.1'));
		await Promise.all(waiting.map((socket) => once(socket, 'connect')));
		const stopping = http.stopAccepting();
		const answers = waiting.map(async (socket) => {
			socket.write(request('GET /v1/models'));
			const [bytes] = (await once(socket, 'data')) as [Buffer];
			return bytes.toString('latin1', 0, 12);
		});
		expect(await Promise.all(answers)).toEqual(Array(20).fill('HTTP/1.1 401'));
		await stopping;
	});

	it.each([1, 2, 3])('a connection that arrives during turn %i of the event loop gets a response', async (turn) => {
		const { port, http } = await listening([]);
		const late = Promise.withResolvers<Socket>();
		const work = (left: number) => {
			if (left > 1) return void setImmediate(work, left - 1);
			const until = performance.now() + 1;
			while (performance.now() < until);
			late.resolve(connect(port, '127.0.0.1'));
		};
		setImmediate(work, turn);
		const stopping = http.stopAccepting();
		const socket = await late.promise;
		await once(socket, 'connect');
		socket.write(request('GET /v1/models'));
		const [bytes] = (await once(socket, 'data')) as [Buffer];
		expect(bytes.toString('latin1', 0, 12)).toBe('HTTP/1.1 401');
		await stopping;
	});

	it('a client that keeps its half of the connection open does not delay the stop', async () => {
		const answer = Promise.withResolvers<void>();
		const slow = defineRoute({
			method: 'GET',
			path: '/slow',
			scope: 'public',
			summary: 's',
			response: { description: 'x', mediaTypes: ['text/plain'] },
			errors: [],
			handler: () =>
				Reply.binary(
					(async function* () {
						yield Buffer.from('begun');
						await answer.promise;
						yield Buffer.from('ended');
					})(),
					{ mediaType: 'text/plain' },
				),
		});
		const { port, http } = await listening([slow]);
		const lazy = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
		onTestFinished(() => void lazy.destroy());
		let text = '';
		lazy.on('data', (chunk: Buffer) => {
			text += chunk.toString('latin1');
		});
		lazy.on('error', () => {});
		lazy.write(request('GET /slow'));
		await eventually(() => text.includes('begun'));
		const silent = await rawConnection(port);
		const stopping = http.stopAccepting();
		// From then on, nothing checks for idle connections any more.
		await silent.closed;
		answer.resolve();
		await stopping;
		expect(text).toMatch(/keep-alive[\s\S]*ended/i);
	});

	it('a connection without a request is closed soon', async () => {
		const { port, http } = await listening([]);
		const silent = await rawConnection(port);
		await http.stopAccepting();
		await silent.closed;
		expect(silent.text).toBe('');
	});
});
