import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { plinthError } from '../../../src/contract/errors/coded-error.ts';
import { Reply } from '../../../src/contract/http/reply.ts';
import { defineRoute, type Route } from '../../../src/contract/http/route.ts';
import { auth, errorOf, eventually, listening, rawConnection, request, testServer } from '../support.ts';

function route(method: Route['method'], path: `/${string}`, name = `${method} ${path}`): Route {
	return defineRoute({
		method,
		path,
		scope: 'authenticated',
		summary: 's',
		response: { description: 'ok' },
		errors: [],
		handler: () => name,
	});
}

const idRoute = defineRoute({
	method: 'GET',
	path: '/v1/items/{id}/parts/{part}',
	scope: 'authenticated',
	summary: 's',
	params: z.object({ id: z.string(), part: z.string() }),
	query: z.object({ limit: z.coerce.number().optional(), tag: z.array(z.string()).optional() }),
	response: { description: 'ok' },
	errors: [],
	handler: ({ params, query }) => ({ params, query }),
});

const failing = (name: string, thrown: unknown) =>
	defineRoute({
		method: 'GET',
		path: `/v1/fail/${name}`,
		scope: 'authenticated',
		summary: 's',
		response: { description: 'ok' },
		errors: [],
		handler: () => {
			throw thrown;
		},
	});

describe('a route', () => {
	it('with a literal segment has precedence over one with a parameter, in any order of registration', async () => {
		const literal = route('POST', '/v1/videos/edits');
		const list = [route('POST', '/v1/videos/{id}'), route('GET', '/v1/videos/{id}'), literal];
		for (const routes of [list, list.toReversed()]) {
			const { send } = testServer(routes);
			expect(await (await send('/v1/videos/edits', { method: 'POST' })).json()).toBe('POST /v1/videos/edits');
			expect(await (await send('/v1/videos/x', { method: 'POST' })).json()).toBe('POST /v1/videos/{id}');
		}
	});

	it('with text around a parameter has precedence over one with the parameter alone', async () => {
		const list = [route('GET', '/v1/a/{id}'), route('GET', '/v1/a/{id}.json')];
		for (const routes of [list, list.toReversed()]) {
			expect(await (await testServer(routes).send('/v1/a/1.json')).json()).toBe('GET /v1/a/{id}.json');
		}
	});

	it('responds to other methods of its path with 405 and Allow', async () => {
		const { send } = testServer([route('GET', '/v1/videos/{id}'), route('POST', '/v1/videos/edits')]);
		const answer = await send('/v1/videos/edits');
		expect(answer.status).toBe(405);
		expect(answer.headers.get('allow')).toBe('POST, OPTIONS');
		expect(await errorOf(answer)).toMatchObject({ code: 'method_not_allowed', param: null });
	});

	it('responds to OPTIONS with its methods', async () => {
		const { send } = testServer([route('GET', '/v1/a'), route('DELETE', '/v1/a')]);
		const answer = await send('/v1/a', { method: 'OPTIONS' });
		expect([answer.status, answer.headers.get('allow')]).toEqual([204, 'GET, HEAD, DELETE, OPTIONS']);
	});

	it('gets its parameters decoded, slashes included', async () => {
		const { send } = testServer([idRoute]);
		const answer = await send('/v1/items/a%2Fb%20c/parts/%E2%82%AC?limit=5&tag=x&tag=y&__proto__=1');
		expect(await answer.json()).toEqual({
			params: { id: 'a/b c', part: '€' },
			query: { limit: 5, tag: ['x', 'y'] },
		});
	});

	it('parses a query of many names quickly', async () => {
		const names = Array.from({ length: 20_000 }, (_, n) => n.toString(36)).join('&');
		const { send } = testServer([]);
		const began = performance.now();
		expect((await send(`/healthz?${names}`)).status).toBe(200);
		// In quadratic time it would block the event loop for ten seconds.
		expect(performance.now() - began).toBeLessThan(2_000);
	});

	it.each(['%', '%zz', '%e2%82'])(
		'refuses malformed percent-encoding %s with the name of the parameter',
		async (bad) => {
			const { port } = await listening([idRoute]);
			const raw = await rawConnection(port);
			await raw.write(request(`GET /v1/items/x/parts/${bad}`, { ...auth, connection: 'close' }));
			await raw.closed;
			expect(raw.text).toMatch(/^HTTP\/1.1 400 [\s\S]*"param":"part","code":"invalid_value"/);
		},
	);

	it.each([
		'/v1/items',
		'/V1/models',
		'/v1/models/',
		'//v1/models',
		'/v1/../healthz',
		'/nothing',
		'/',
		'http://[',
		'http://x.test/nothing?http://y',
		'*',
	])('is not found at %s', async (path) => {
		const { port } = await listening([idRoute]);
		const raw = await rawConnection(port);
		await raw.write(request(`GET ${path}`, { ...auth, connection: 'close' }));
		await raw.closed;
		expect(raw.text).toMatch(/^HTTP\/1.1 404 [\s\S]*"type":"invalid_request_error","param":null,"code":null}}$/);
	});

	it('cannot be declared twice', () => {
		expect(() => testServer([route('GET', '/v1/{a}'), route('GET', '/v1/{b}')])).toThrow('declared twice');
	});
});

describe('a failure', () => {
	it('keeps its code, param, status and headers when it is coded', async () => {
		const error = plinthError('E_VALUE_UNSUPPORTED', {
			param: 'size',
			message: 'no',
			headers: { 'x-extra': '1' },
		});
		const { send, lines } = testServer([failing('coded', error)]);
		const answer = await send('/v1/fail/coded');
		expect(answer.status).toBe(400);
		expect(answer.headers.get('x-extra')).toBe('1');
		expect(await answer.json()).toEqual({
			error: {
				message: 'no',
				type: 'invalid_request_error',
				param: 'size',
				code: 'unsupported_value',
			},
		});
		expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
	});

	it.each([
		['an error', new Error('secret')],
		['an error with a status, as SDKs throw', Object.assign(new Error('secret'), { status: 404 })],
		['a string', 'secret'],
		['undefined', undefined],
	])('that is %s becomes a 500 without its message, and is logged once with its cause', async (_, thrown) => {
		const { send, lines } = testServer([failing('raw', thrown)]);
		const answer = await send('/v1/fail/raw');
		expect(answer.status).toBe(500);
		const text = await answer.text();
		expect(text).not.toContain('secret');
		expect(Object.keys(JSON.parse(text).error)).toEqual(['message', 'type', 'param', 'code']);
		expect(lines.filter(({ level }) => level === 'error')).toHaveLength(1);
	});

	it('of a reply with an invalid header is a 500 too, without the headers of that reply', async () => {
		const bad = defineRoute({
			...failing('header', null),
			handler: () => Reply.binary(new Uint8Array(3), { mediaType: 'text/plain', etag: 'é\n' }),
		});
		const answer = await testServer([bad]).send('/v1/fail/header');
		expect(answer.status).toBe(500);
		expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
		expect(answer.headers.get('content-security-policy')).not.toContain('sandbox');
	});
});

describe('every response', () => {
	it('has a request id, that of the client if it is well-formed', async () => {
		const { send } = testServer([]);
		const own = await send('/healthz', { headers: { 'x-request-id': 'My.id_1-2' } });
		expect(own.headers.get('x-request-id')).toBe('My.id_1-2');
		for (const bad of ['a b', 'x'.repeat(129), 'a,b', 'é']) {
			const answer = await send('/nothing', { headers: { 'x-request-id': bad } });
			expect(answer.headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/);
		}
	});

	it('has nosniff, its processing time, and no-store when it is JSON', async () => {
		const { send } = testServer([]);
		for (const path of ['/healthz', '/nothing', '/v1/models']) {
			const { headers } = await send(path);
			expect(headers.get('x-content-type-options')).toBe('nosniff');
			expect(headers.get('cache-control')).toBe('no-store');
			expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
			expect(headers.get('openai-processing-ms')).toBe('0');
			expect(headers.get('x-powered-by')).toBeNull();
		}
	});

	it('has the length of its body; HEAD has the same headers and no body', async () => {
		const { port } = await listening([route('GET', '/v1/a', 'häß')]);
		const raw = await rawConnection(port);
		await raw.write(request('HEAD /v1/a', auth));
		await raw.until(/\r\n\r\n$/);
		expect(raw.text).toMatch(/content-length: 7\r\n/);
		await raw.write(request('GET /v1/a', { ...auth, connection: 'close' }));
		await raw.closed;
		expect(raw.text.match(/content-length: 7\r\n/g)).toHaveLength(2);
		expect(Buffer.from(raw.text, 'latin1').toString()).toMatch(/"häß"$/);
	});

	it('is logged as one line, with the template of the path and without its parameters', async () => {
		const { send, lines } = testServer([idRoute]);
		await send('/v1/items/secret/parts/p', { headers: { 'x-request-id': 'r1' } });
		await eventually(() => lines.length === 1);
		await send('/healthz');
		await eventually(() => lines.length === 2);
		expect(lines).toEqual([
			{
				level: 'info',
				message: 'request',
				fields: {
					req_id: 'r1',
					method: 'GET',
					route: '/v1/items/{id}/parts/{part}',
					status: 200,
					dur_ms: 0,
					tenant: 't1',
					principal: 'p1',
				},
			},
			expect.objectContaining({ level: 'debug' }),
		]);
		expect(JSON.stringify(lines)).not.toContain('secret');
	});

	it('has the status of the route, or 204 when the handler returns nothing', async () => {
		const created = defineRoute({
			...route('POST', '/v1/a'),
			response: { status: 201, description: 'x' },
		});
		const withoutContent = defineRoute({ ...route('DELETE', '/v1/a'), handler: () => undefined });
		const moved = defineRoute({
			...route('GET', '/v1/a'),
			handler: () => Reply.redirect('https://x.test/y'),
		});
		const other = defineRoute({
			...route('PUT', '/v1/a'),
			handler: () => Reply.json(null, { status: 202, headers: { 'cache-control': 'private' } }),
		});
		const { send } = testServer([created, withoutContent, moved, other]);
		expect((await send('/v1/a', { method: 'POST' })).status).toBe(201);
		expect((await send('/v1/a', { method: 'DELETE' })).status).toBe(204);
		const redirect = await send('/v1/a');
		expect([redirect.status, redirect.headers.get('location')]).toEqual([302, 'https://x.test/y']);
		const put = await send('/v1/a', { method: 'PUT' });
		expect([put.status, put.headers.get('cache-control'), await put.text()]).toEqual([202, 'private', 'null']);
	});
});
