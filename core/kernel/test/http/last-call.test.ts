import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Reply } from '../../src/contract/http/reply.ts';
import { defineRoute } from '../../src/contract/http/route.ts';
import { eventually, listening, rawConnection, request } from './support.ts';

describe('before the listener closes', () => {
	it('every answer ends its connection once that is asked for, also on connections that were kept', async () => {
		const { port, http } = await listening([]);
		const kept = await rawConnection(port);
		await kept.write(request('GET /healthz'));
		await kept.until(/"ok"/);
		expect(kept.text).not.toMatch(/connection: close/i);
		http.listener.endKeepAlive();
		await kept.write(request('GET /healthz'));
		await kept.closed;
		expect(kept.text).toMatch(/connection: close[\s\S]*"ok"[\s\S]*$/i);

		const fresh = await rawConnection(port);
		await fresh.write(request('GET /healthz'));
		await fresh.closed;
		expect(fresh.text).toMatch(/connection: close[\s\S]*"ok"/i);
	});
});

describe('once the listener closes', () => {
	it('connections that nobody has taken yet are taken and answered, not reset', async () => {
		const { port, http } = await listening([]);
		// They are in the system's queue while this turn of the event loop lasts.
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

	it('a client that keeps its half of the connection open does not hold up the stop', async () => {
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
		// From then on nobody looks for idle connections any more.
		await silent.closed;
		answer.resolve();
		await stopping;
		expect(text).toMatch(/keep-alive[\s\S]*ended/i);
	});

	it('a connection that never asks is closed after a moment', async () => {
		const { port, http } = await listening([]);
		const silent = await rawConnection(port);
		await http.stopAccepting();
		await silent.closed;
		expect(silent.text).toBe('');
	});
});
