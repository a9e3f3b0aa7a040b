import { describe, expect, it } from 'vitest';
import { Reply } from '../../src/contract/http/reply.ts';
import { defineRoute } from '../../src/contract/http/route.ts';
import { auth, errorOf, eventually, listening, rawConnection, request, testServer } from './support.ts';

/** A route whose handler waits until the test releases it. */
function held(timeoutMs?: number) {
	const state = { running: 0, release: (_: unknown) => {}, reason: undefined as unknown };
	const route = defineRoute({
		method: 'POST',
		path: '/v1/held',
		scope: 'authenticated',
		summary: 's',
		response: { description: 'x' },
		errors: [],
		...(timeoutMs === undefined ? {} : { timeoutMs }),
		handler: (_, call) => {
			state.running++;
			call.signal.addEventListener('abort', () => {
				state.reason = call.signal.reason;
			});
			return new Promise((resolve) => {
				state.release = resolve;
			}).finally(() => state.running--);
		},
	});
	return { route, state };
}

describe('a handler', () => {
	it('has its signal aborted when the client disconnects; the request ends with the handler', async () => {
		const { route, state } = held();
		const { port, http, lines } = await listening([route]);
		const raw = await rawConnection(port);
		await raw.write(request('POST /v1/held', auth));
		await eventually(() => state.running === 1);
		raw.socket.destroy();
		await eventually(() => state.reason !== undefined);
		expect(state.reason).toMatchObject({ name: 'AbortError' });
		expect(http.pipeline.inFlight).toBe(1);
		state.release(1);
		await http.pipeline.drained();
		expect(lines.map(({ level, fields }) => [level, fields.status])).toEqual([['info', 499]]);
	});

	it('that fails because its client disconnected does not count as a failure', async () => {
		const failing = defineRoute({
			...held().route,
			handler: (_, { signal }) =>
				new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
		});
		const { port, http, lines } = await listening([failing]);
		const raw = await rawConnection(port);
		await raw.write(request('POST /v1/held', auth));
		await eventually(() => http.pipeline.inFlight === 1);
		raw.socket.destroy();
		await http.pipeline.drained();
		expect(lines.map(({ level }) => level)).toEqual(['info']);
	});

	it('is aborted at its deadline, and its client gets a response even if the handler ignores that', async () => {
		const { route, state } = held(1_500);
		const { send, clock, http } = testServer([route]);
		const answer = send('/v1/held', { method: 'POST' });
		await eventually(() => state.running === 1);
		await clock.advance(1_500);
		const { status, headers } = await answer;
		expect([status, headers.get('x-should-retry')]).toEqual([504, 'false']);
		expect((await errorOf(await answer)).message).toContain('1.5 seconds');
		expect(http.pipeline.inFlight).toBe(1);
		state.release(Reply.events((async function* () {})()));
		await http.pipeline.drained();
	});

	it('gets its deadline, its address and its caller', async () => {
		const route = defineRoute({
			...held(5_000).route,
			handler: (_, { deadline, publicUrl, principal, requestId }) => ({
				deadline,
				publicUrl,
				principal,
				requestId,
			}),
		});
		const { send, clock } = testServer([route], { publicUrl: 'https://media.test/ai/' });
		const answer = await send('/v1/held', {
			method: 'POST',
			headers: { host: 'evil.test', 'x-request-id': 'r' },
		});
		expect(await answer.json()).toEqual({
			deadline: clock.now() + 5_000,
			publicUrl: 'https://media.test/ai',
			principal: { id: 'p1', tenant: 't1', scopes: ['*'] },
			requestId: 'r',
		});
	});

	it('starts absolute links with the address of the request unless a public URL is set', async () => {
		const route = defineRoute({ ...held().route, handler: (_, call) => call.publicUrl });
		expect(await (await testServer([route]).send('/v1/held', { method: 'POST' })).json()).toBe('http://plinth.test');
		const { url } = await listening([route]);
		expect(await (await fetch(`${url}/v1/held`, { method: 'POST', headers: auth })).json()).toBe(url);
	});
});

describe('stopping', () => {
	it('closes idle connections at once and busy ones after their response', async () => {
		const { route, state } = held();
		const { port, http, url } = await listening([route]);
		const [fresh, idle, busy] = await Promise.all([rawConnection(port), rawConnection(port), rawConnection(port)]);
		await idle.write(request('GET /healthz'));
		await idle.until(/"ok"/);
		await busy.write(request('POST /v1/held', auth));
		await eventually(() => state.running === 1);
		let stopped = false;
		const stopping = http.stopAccepting().then(() => {
			stopped = true;
		});
		await Promise.all([fresh.closed, idle.closed]);
		await expect(fetch(`${url}/healthz`)).rejects.toThrow();
		expect([stopped, http.pipeline.inFlight]).toEqual([false, 1]);
		state.release('done');
		await busy.closed;
		expect(busy.text).toMatch(/connection: close[\s\S]*"done"$/i);
		await stopping;
		await http.pipeline.drained();
	});

	it('completes a keep-alive response that has started', async () => {
		let finish = () => {};
		const slow = defineRoute({
			...held().route,
			method: 'GET',
			handler: () =>
				Reply.events(
					(async function* () {
						yield { data: 1 };
						await new Promise<void>((resolve) => {
							finish = resolve;
						});
					})(),
				),
		});
		const { port, http } = await listening([slow]);
		const raw = await rawConnection(port);
		await raw.write(request('GET /v1/held', auth));
		await raw.until(/data: 1/);
		const stopping = http.stopAccepting();
		finish();
		await raw.closed;
		await stopping;
	});

	it('aborts requests that do not end: the client reads that the server stops', async () => {
		const { route, state } = held();
		const { send, http } = testServer([route]);
		const answer = send('/v1/held', { method: 'POST' });
		await eventually(() => state.running === 1);
		http.pipeline.abortAll();
		const { status, headers } = await answer;
		expect([status, headers.get('retry-after')]).toEqual([503, '2']);
		expect((await errorOf(await answer)).code).toBe('server_stopping');
		state.release(1);
		await http.pipeline.drained();
	});

	it('ends at once without a listener', async () => {
		const { http } = testServer([]);
		await http.stopAccepting();
		await http.pipeline.drained();
		http.pipeline.abortAll();
		http.listener.close();
		expect(http.listener.address).toBeUndefined();
	});

	it('can be cut short', async () => {
		const { route, state } = held();
		const { port, http } = await listening([route]);
		const raw = await rawConnection(port);
		await raw.write(request('POST /v1/held', auth));
		await eventually(() => state.running === 1);
		const stopping = http.stopAccepting();
		http.listener.close();
		await Promise.all([stopping, raw.closed]);
	});
});

describe('a listener', () => {
	it('rejects an address that is in use', async () => {
		const { port } = await listening([]);
		await expect(testServer([]).http.listen({ host: '127.0.0.1', port })).rejects.toThrow('EADDRINUSE');
	});

	it('serves several requests over one connection', async () => {
		const { port } = await listening([]);
		const raw = await rawConnection(port);
		for (let i = 1; i <= 3; i++) {
			await raw.write(request('GET /healthz'));
			await raw.until(new RegExp(`(?:"ok"[\\s\\S]*){${i}}`));
		}
		await raw.write(request('GET /nothing') + request('GET /healthz', { connection: 'close' }));
		await raw.closed;
		expect(raw.text.match(/HTTP\/1.1 \d+/g)).toEqual([
			...Array(3).fill('HTTP/1.1 200'),
			'HTTP/1.1 404',
			'HTTP/1.1 200',
		]);
	});

	it('keeps the connection after a refused request with a small body', async () => {
		const { port } = await listening([held().route]);
		const raw = await rawConnection(port);
		await raw.write(request('POST /v1/held', { 'content-length': '5' }, 'hello'));
		await raw.until(/"code":null}}/);
		await raw.write(request('GET /healthz', { connection: 'close' }));
		await raw.closed;
		expect(raw.text).toMatch(/"ok"}$/);
	});

	it.each([
		['garbage', 'hello\r\n\r\n', 400, 'invalid_body'],
		['two lengths', request('POST /v1/held', ['content-length: 1', 'content-length: 2']), 400, 'invalid_body'],
		[
			'a length and chunks',
			request('POST /v1/held', ['content-length: 1', 'transfer-encoding: chunked']),
			400,
			'invalid_body',
		],
		['no host', 'GET /healthz HTTP/1.1\r\n\r\n', 400, 'invalid_body'],
		['a broken header', 'GET / HTTP/1.1\r\nhost: x\r\nbad header: y\r\n\r\n', 400, 'invalid_body'],
		['headers without end', `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}`, 431, 'request_too_large'],
	])('responds to %s with the four-key body and a request id', async (_, text, status, code) => {
		const { port } = await listening([]);
		const raw = await rawConnection(port);
		await raw.write(text);
		await raw.closed;
		expect(raw.text).toMatch(new RegExp(`^HTTP/1.1 ${status} [\\s\\S]*x-request-id: req_`));
		const { error } = JSON.parse(raw.text.split('\r\n\r\n')[1] ?? '');
		expect([Object.keys(error), error.code]).toEqual([['message', 'type', 'param', 'code'], code]);
	});
});
