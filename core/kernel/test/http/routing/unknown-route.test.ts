import { describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import { defineRoute, type Route } from '../../../src/contract/http/route.ts';
import { shownPath } from '../../../src/http/routing/unknown-route.ts';
import { errorOf, testServer } from '../support.ts';

function route(method: Route['method'], path: `/${string}`): Route {
	return defineRoute({
		method,
		path,
		scope: 'authenticated',
		summary: 's',
		params: path.includes('{id}') ? z.object({ id: z.string() }) : z.object({}),
		response: { description: 'ok' },
		errors: [],
		handler: () => ({}),
	});
}

const routes = [
	route('POST', '/v1/videos'),
	route('GET', '/v1/videos/{id}'),
	route('POST', '/v1/chat/completions'),
	route('POST', '/v1/files'),
];
const remedy = 'GET /openapi.json lists the routes of this server.';

describe('an unknown route', () => {
	it.each([
		['POST', '/videos', 'Did you mean /v1/videos?'],
		['GET', '/videos/video_1', 'Did you mean /v1/videos/{id}?'],
		['POST', '/v1/v1/videos', 'Did you mean /v1/videos?'],
		['POST', '/api/v1/videos', 'Did you mean /v1/videos?'],
		['POST', '/v1/videos/', 'Did you mean /v1/videos?'],
		['POST', '/v1/vidoes', 'Did you mean /v1/videos?'],
		['POST', '/chat/completion', 'Did you mean /v1/chat/completions?'],
		['GET', '/health', 'Did you mean /healthz?'],
	])('gets a 404 with method, path and the nearest route: %s %s', async (method, path, question) => {
		const { status, message, code, param } = await errorOf(await testServer(routes).send(path, { method }));
		expect([status, code, param]).toEqual([404, null, null]);
		expect(message).toBe(`There is no route ${method} ${path}. ${question} ${remedy}`);
	});

	it('that resembles no route gets no suggestion', async () => {
		const { message } = await errorOf(await testServer(routes).send('/nothing/of/the/kind'));
		expect(message).toBe(`There is no route GET /nothing/of/the/kind. ${remedy}`);
	});

	it.each([
		['/v1/responses', ' Use /v1/chat/completions.'],
		['/v1/responses/resp_1/cancel', ' Use /v1/chat/completions.'],
		['/responses', ' Use /v1/chat/completions.'],
		['/v1/completions', ' Use /v1/chat/completions.'],
		['/v1/assistants', ' Use /v1/chat/completions.'],
		['/v1/realtime/sessions', ' Use /v1/chat/completions.'],
		['/v1/uploads', ' Use /v1/files.'],
		['/v1/embeddings', ''],
		['/v1/audio/transcriptions', ''],
	])('of OpenAI gets advice what to use: %s', async (path, advice) => {
		const { message } = await errorOf(await testServer(routes).send(path, { method: 'POST' }));
		const reason = `this server does not offer this part of OpenAI's API.${advice}`;
		expect(message).toBe(`There is no route POST ${path}: ${reason} ${remedy}`);
	});

	it('gets no advice to use a route that does not exist either', async () => {
		const { message } = await errorOf(await testServer([]).send('/v1/responses', { method: 'POST' }));
		expect(message).not.toContain('Use ');
	});

	it('gets a suggestion with the prefix of the mount', async () => {
		const request = new Request('http://x/ai/videos', { method: 'POST' });
		const { message } = await errorOf(await testServer(routes).http.fetch(request, { prefix: '/ai' }));
		expect(message).toBe(`There is no route POST /ai/videos. Did you mean /ai/v1/videos? ${remedy}`);
	});
});

describe('the preflight of an unknown route', () => {
	it('lets a page read the 404', async () => {
		const origin = 'https://app.example.com';
		const { send } = testServer(routes, { cors: [origin] });
		const preflight = await send('/v1/nothing', {
			method: 'OPTIONS',
			headers: { authorization: '', origin, 'access-control-request-method': 'PATCH' },
		});
		expect(preflight.status).toBe(204);
		expect(preflight.headers.get('access-control-allow-origin')).toBe(origin);
		expect(preflight.headers.get('access-control-allow-methods')).toBe('PATCH');
		const answer = await send('/v1/nothing', { method: 'PATCH', headers: { origin } });
		expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([404, origin]);
	});
});

test('a path is shown in printable ASCII', () => {
	expect(shownPath('/a b/\u00e9\n\u001b[31m\u{1f600}')).toBe('/a%20b/%E9%0A%1B[31m%D83D%DE00');
	expect(shownPath('/v1/things/%2F')).toBe('/v1/things/%2F');
});
