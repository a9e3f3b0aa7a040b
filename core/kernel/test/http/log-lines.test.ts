import { expect, test } from 'vitest';
import { z } from 'zod';
import { plinthError } from '../../src/contract/errors/coded-error.ts';
import { Reply } from '../../src/contract/http/reply.ts';
import { defineRoute } from '../../src/contract/http/route.ts';
import { auth, listening, rawConnection, request, testServer } from './support.ts';

const base = {
	scope: 'authenticated',
	summary: 's',
	response: { description: 'x' },
	errors: [],
} as const;

const routes = [
	defineRoute({
		...base,
		method: 'POST',
		path: '/v1/things/{id}',
		params: z.object({ id: z.string() }),
		body: z.object({ text: z.string() }),
		handler: () => ({ done: true }),
	}),
	defineRoute({
		...base,
		method: 'GET',
		path: '/v1/broken',
		handler: () => {
			throw new Error('broken');
		},
	}),
	defineRoute({
		...base,
		method: 'GET',
		path: '/v1/events',
		handler: () =>
			Reply.events(
				(async function* () {
					yield { data: 'one' };
					yield { data: 'two' };
				})(),
			),
	}),
];

const json = { ...auth, 'content-type': 'application/json' };
const good = { method: 'POST', headers: json, body: '{"text":"canary"}' };

/** Requests, and the log line of each: method, route, path, status, code and param. */
const visits: readonly (readonly [path: string, RequestInit, string])[] = [
	['/v1/things/canary?q=canary', good, 'POST /v1/things/{id} 200'],
	['/v1/things/canary', { ...good, body: '{"text":1}' }, 'POST /v1/things/{id} 400 E_VALUE_TYPE text'],
	['/v1/things/canary', { ...good, body: '{' }, 'POST /v1/things/{id} 400 E_BODY_MALFORMED'],
	['/v1/things/canary', { ...good, body: 'x'.repeat(1_100_000) }, 'POST /v1/things/{id} 413 E_BODY_TOO_LARGE'],
	['/v1/things/canary', { method: 'PUT', headers: auth }, 'PUT /v1/things/{id} 405 E_METHOD_NOT_ALLOWED'],
	['/v1/none?q=canary', { headers: auth }, 'GET unmatched /v1/none 404 E_ROUTE_NOT_FOUND'],
	['/none', {}, 'GET unmatched /none 404 E_ROUTE_NOT_FOUND'],
	['/v1/things/canary', { ...good, headers: {} }, 'POST /v1/things/{id} 401 E_KEY_MISSING'],
	['/v1/broken', { headers: auth }, 'GET /v1/broken 500 E_INTERNAL'],
	['/v1/models', { method: 'HEAD', headers: auth }, 'HEAD /v1/models 200'],
	['/v1/events', { headers: auth }, 'GET /v1/events 200'],
	['/v1/models', { method: 'OPTIONS', headers: auth }, 'OPTIONS /v1/models 204'],
];

test('each request logs exactly one line, with the route template if there is one', async () => {
	const { url, lines, http } = await listening(routes);
	for (const [path, init] of visits) await (await fetch(`${url}${path}`, init)).arrayBuffer();
	await http.pipeline.drained();
	const logLines = lines
		.filter(({ message }) => message === 'request')
		.map(({ fields: { method, route, path, status, code, param } }) =>
			[method, route, path, status, code, param].filter(Boolean).join(' '),
		);
	expect(logLines).toEqual(visits.map(([, , line]) => line));
	expect(JSON.stringify(lines)).not.toContain('canary');
	const others = lines.filter(({ level, message }) => message !== 'request' && level !== 'debug');
	expect(others.map(({ level, message }) => [level, message])).toEqual([['error', 'request failed']]);
});

test('a request whose client disconnects while sending logs one line too', async () => {
	const { port, lines, http } = await listening(routes);
	const raw = await rawConnection(port);
	const headers = { ...json, 'content-length': '100' };
	await raw.write(request('POST /v1/things/1', headers, '{"text":'));
	while (http.pipeline.inFlight === 0) await new Promise((resolve) => setImmediate(resolve));
	raw.socket.destroy();
	await http.pipeline.drained();
	expect(lines.map(({ level, fields: { status } }) => [level, status])).toEqual([['info', 499]]);
});

test('a long path is cut', async () => {
	const { send, lines, http } = testServer(routes);
	await send(`/none/${'x'.repeat(300)}?q=canary`);
	await http.pipeline.drained();
	expect(lines.find(({ message }) => message === 'request')?.fields.path).toBe(`/none/${'x'.repeat(194)}...`);
});

test('at level debug a refusal logs all problems, and nothing that was sent', async () => {
	const strict = defineRoute({
		...base,
		method: 'POST',
		path: '/v1/strict',
		body: z.object({ text: z.string(), count: z.number() }),
		handler: () => ({}),
	});
	const { send, lines, http } = testServer([strict]);
	await send('/v1/strict', { method: 'POST', headers: json, body: '{"text":1,"count":"canary"}' });
	await http.pipeline.drained();
	expect(lines.filter(({ level }) => level === 'debug')).toEqual([
		{
			level: 'debug',
			message: 'request refused',
			fields: {
				req_id: expect.stringMatching(/^req_/),
				route: '/v1/strict',
				code: 'E_VALUE_TYPE',
				param: 'text',
				reason: 'text: expected a string, found a number.',
				details: 'text: expected a string, found a number; count: expected a number, found a string',
			},
		},
	]);
});

test('probes are logged only at level debug', async () => {
	const { url, lines, http } = await listening(routes);
	await Promise.all(['/healthz', '/readyz'].map((path) => fetch(`${url}${path}`)));
	await http.pipeline.drained();
	expect(lines.map(({ level }) => level)).toEqual(['debug', 'debug']);
});

test('a refusal because of load is a warning without a stack', async () => {
	const full = defineRoute({
		...base,
		method: 'GET',
		path: '/v1/full',
		handler: () => {
			throw plinthError('E_OVERLOADED');
		},
	});
	const { url, lines, http } = await listening([full]);
	expect((await fetch(`${url}/v1/full`, { headers: auth })).status).toBe(503);
	await http.pipeline.drained();
	expect(lines.filter(({ message }) => message !== 'request')).toEqual([
		{
			level: 'warn',
			fields: {
				req_id: expect.stringMatching(/^req_/),
				route: '/v1/full',
				code: 'E_OVERLOADED',
			},
			message: 'request refused',
		},
	]);
});
