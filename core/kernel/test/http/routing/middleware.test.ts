import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { plinthError } from '../../../src/contract/errors/coded-error.ts';
import { Reply } from '../../../src/contract/http/reply.ts';
import { defineRoute, type Middleware } from '../../../src/contract/http/route.ts';
import { errorOf, eventually, listening, rawConnection, request, testServer } from '../support.ts';

const seen: string[] = [];

const echo = defineRoute({
	method: 'POST',
	path: '/v1/echo/{id}',
	scope: 'authenticated',
	summary: 's',
	params: z.object({ id: z.string() }),
	body: z.object({ a: z.number() }),
	response: { description: 'x', status: 201 },
	errors: [],
	handler: ({ body }) => {
		seen.push('handler');
		if (body.a < 0) throw plinthError('E_VALUE_UNSUPPORTED', { message: 'a is negative.' });
		return body;
	},
});

const json = (body: string) => ({
	method: 'POST',
	body,
	headers: { 'content-type': 'application/json' },
});

/** A middleware that records when it starts and ends. */
function recordingMiddleware(name: string): Middleware {
	return async (call, next) => {
		seen.push(`${name} in ${call.route} for ${call.principal.tenant}`);
		const answer = await next();
		seen.push(`${name} out ${answer.status}`);
		return answer;
	};
}

describe('middleware', () => {
	it('runs around the route, the first one outermost, and sees the status of the response', async () => {
		seen.length = 0;
		const { send } = testServer([echo], { middlewares: [recordingMiddleware('a'), recordingMiddleware('b')] });
		expect((await send('/v1/echo/1', json('{"a":1}'))).status).toBe(201);
		expect(seen).toEqual([
			'a in POST /v1/echo/{id} for t1',
			'b in POST /v1/echo/{id} for t1',
			'handler',
			'b out 201',
			'a out 201',
		]);
	});

	it('runs after authentication and routing, and around public routes', async () => {
		seen.length = 0;
		const { http, send } = testServer([echo], { middlewares: [recordingMiddleware('a')] });
		expect((await http.fetch(new Request('http://x/v1/models'))).status).toBe(401);
		expect((await send('/v1/none')).status).toBe(404);
		expect((await send('/v1/echo/1')).status).toBe(405);
		expect(seen).toEqual([]);
		expect((await http.fetch(new Request('http://x/openapi.json'))).status).toBe(200);
		expect(seen).toEqual(['a in GET /openapi.json for anonymous', 'a out 200']);
	});

	it('does not run around probes, so that a quota cannot refuse them', async () => {
		const refusing: Middleware = () => {
			throw plinthError('E_TENANT_BUSY');
		};
		const { send } = testServer([echo], { middlewares: [refusing] });
		expect((await send('/healthz')).status).toBe(200);
		expect((await send('/readyz')).status).toBe(200);
		expect((await send('/v1/models')).status).toBe(429);
	});

	it.each([
		['a handler', '{"a":-1}', { status: 400, code: 'unsupported_value', message: 'a is negative.' }],
		['a check', '{"a":"x"}', { status: 400, param: 'a' }],
		['a body', '{', { status: 400, type: 'invalid_request_error' }],
	])('sees the error of %s, and may rethrow it', async (_, body, refusal) => {
		const errors: unknown[] = [];
		const watching: Middleware = (_call, next) =>
			next().catch((error) => {
				errors.push(error);
				throw error;
			});
		const { send } = testServer([echo], { middlewares: [watching] });
		expect(await errorOf(await send('/v1/echo/1', json(body)))).toMatchObject(refusal);
		expect(errors).toHaveLength(1);
	});

	it('may replace an error by a reply', async () => {
		const saving: Middleware = (_call, next) => next().catch(() => Reply.json({ saved: true }));
		const { send } = testServer([echo], { middlewares: [saving] });
		const answer = await send('/v1/echo/1', json('{"a":-1}'));
		expect([answer.status, await answer.json()]).toEqual([201, { saved: true }]);
	});

	it('may refuse before the body is read', async () => {
		const refusing: Middleware = () => {
			throw plinthError('E_TENANT_BUSY', { message: 'Later.' });
		};
		const { port } = await listening([echo], { middlewares: [refusing] });
		const raw = await rawConnection(port);
		const head = { authorization: 'Bearer key-of-everything', 'content-type': 'application/json' };
		// The client waits for 100 Continue, which never arrives.
		await raw.write(request('POST /v1/echo/1', { ...head, expect: '100-continue', 'content-length': '7' }));
		await raw.until(/Later\./);
		expect(raw.text).toMatch(/^HTTP\/1.1 429 /);
	});

	it('may respond with its own reply instead of the route', async () => {
		seen.length = 0;
		const early: Middleware = () => Reply.json({ cached: true }, { headers: { 'x-cache': 'hit' } });
		const { send } = testServer([echo], { middlewares: [recordingMiddleware('a'), early] });
		const answer = await send('/v1/echo/1', json('{"a":1}'));
		expect([answer.status, answer.headers.get('x-cache')]).toEqual([201, 'hit']);
		expect(await answer.json()).toEqual({ cached: true });
		expect(seen).not.toContain('handler');
	});

	it('may add headers to the response of the route', async () => {
		const adding: Middleware = async (_call, next) => {
			const answer = await next();
			return { ...answer, headers: { ...answer.headers, 'x-left': '4' } };
		};
		const { send } = testServer([echo], { middlewares: [adding] });
		const answer = await send('/v1/echo/1', json('{"a":1}'));
		expect([answer.status, answer.headers.get('x-left')]).toEqual([201, '4']);
	});

	it('closes a stream that it replaces', async () => {
		const ended: string[] = [];
		const streaming = defineRoute({
			...echo,
			method: 'GET',
			path: '/v1/stream',
			params: undefined,
			body: undefined,
			handler: () =>
				Reply.events(
					(async function* () {
						try {
							yield { data: 1 };
						} finally {
							ended.push('never begun');
						}
					})(),
				),
		} as never);
		const binary = defineRoute({
			method: 'GET',
			path: '/v1/bytes',
			scope: 'authenticated',
			summary: 's',
			response: { description: 'x' },
			errors: [],
			handler: () =>
				Reply.binary(
					{ open: () => Promise.reject(new Error('opened')), discard: () => ended.push('bytes') },
					{ mediaType: 'image/png' },
				),
		});
		const replacing: Middleware = async (_call, next) => {
			await next();
			return Reply.json({ replaced: true });
		};
		const { send } = testServer([streaming, binary], { middlewares: [replacing] });
		expect(await (await send('/v1/stream')).json()).toEqual({ replaced: true });
		expect(await (await send('/v1/bytes')).json()).toEqual({ replaced: true });
		await eventually(() => ended.includes('bytes'));
	});

	it.each([
		['returns no reply', (async () => undefined) as unknown as Middleware],
		['calls next() twice', (async (_call, next) => (await next()) && next()) as Middleware],
		[
			'throws after next()',
			(async (_call, next) => {
				await next();
				throw new Error('mine');
			}) as Middleware,
		],
	])('that %s causes a logged 500', async (_, broken) => {
		const { send, lines } = testServer([echo], { middlewares: [broken] });
		expect((await send('/v1/echo/1', json('{"a":1}'))).status).toBe(500);
		expect(lines.filter(({ level }) => level === 'error')).toHaveLength(1);
	});
});
