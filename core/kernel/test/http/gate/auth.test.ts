import { describe, expect, it, vi } from 'vitest';
import { defineRoute } from '../../../src/contract/http/route.ts';
import {
	auth,
	errorOf,
	eventually,
	goodKey,
	listening,
	narrowKey,
	rawConnection,
	request,
	testServer,
} from '../support.ts';

const ok = { response: { description: 'ok' }, errors: [] };
const routes = [
	defineRoute({
		method: 'GET',
		path: '/v1/things',
		scope: 'things',
		summary: 's',
		...ok,
		handler: () => 1,
	}),
	defineRoute({
		method: 'POST',
		path: '/v1/things/{id}',
		scope: 'authenticated',
		summary: 's',
		...ok,
		handler: () => 2,
	}),
	defineRoute({
		method: 'GET',
		path: '/v1/open',
		scope: 'public',
		summary: 's',
		...ok,
		handler: () => 3,
	}),
	defineRoute({
		method: 'GET',
		path: '/v1/me',
		scope: 'authenticated',
		summary: 's',
		...ok,
		handler: (_, { principal }) => principal.id,
	}),
];

const refused: readonly (readonly [string, readonly string[], string | null])[] = [
	['none', [], null],
	['an unknown bearer', ['authorization: Bearer nope'], 'invalid_api_key'],
	['an unknown x-api-key', ['x-api-key: nope'], 'invalid_api_key'],
	['an empty Authorization', ['authorization:'], 'invalid_api_key'],
	['a bearer without a key', ['authorization: Bearer'], 'invalid_api_key'],
	['an empty x-api-key', ['x-api-key:'], 'invalid_api_key'],
	['another scheme', [`authorization: Basic ${goodKey}`], 'invalid_api_key'],
	['no scheme', [`authorization: ${goodKey}`], 'invalid_api_key'],
	['a tab', [`authorization: Bearer\t${goodKey}`], 'invalid_api_key'],
	['a tab in the key', [`x-api-key: ${goodKey}\tx`], 'invalid_api_key'],
	['words behind the key', [`authorization: Bearer ${goodKey} x`], 'invalid_api_key'],
	[
		'two Authorization headers',
		[`authorization: Bearer ${goodKey}`, `authorization: Bearer ${goodKey}`],
		'invalid_api_key',
	],
	[
		'a second wrong Authorization',
		[`authorization: Bearer ${goodKey}`, 'authorization: Bearer nope'],
		'invalid_api_key',
	],
	['two x-api-key', [`x-api-key: ${goodKey}`, `x-api-key: ${goodKey}`], 'invalid_api_key'],
	['joined bearers', [`authorization: Bearer ${goodKey}, Bearer ${goodKey}`], 'invalid_api_key'],
	['joined keys', [`x-api-key: ${goodKey},${goodKey}`], 'invalid_api_key'],
	['two keys that differ', [`authorization: Bearer ${goodKey}`, `x-api-key: ${narrowKey}`], 'invalid_api_key'],
	[
		'a malformed Authorization beside a good key',
		['authorization: Basic abc', `x-api-key: ${goodKey}`],
		'invalid_api_key',
	],
	['an empty Authorization beside a good key', ['authorization:', `x-api-key: ${goodKey}`], 'invalid_api_key'],
	['an endless key', [`x-api-key: ${'k'.repeat(4000)}`], 'invalid_api_key'],
];

const targets = [
	'GET /v1/things',
	'POST /v1/things/a',
	'GET /v1/models',
	'GET /v1/unknown',
	'PUT /v1/things',
	'GET /api/x',
	'HEAD /v1/things',
	'OPTIONS /v1/things',
	'GET /v1',
	'GET /v1/%zz',
];

async function exchange(port: number, text: string): Promise<string> {
	const raw = await rawConnection(port);
	await raw.write(text);
	await raw.closed;
	return raw.text;
}

describe('a key', () => {
	it('is refused in every malformed form, on every path under /v1 and /api, known or not', async () => {
		const { port } = await listening(routes);
		const answers = new Map<string, Set<string>>();
		for (const [name, headers, code] of refused) {
			for (const target of targets) {
				const text = await exchange(port, request(target, [...headers, 'connection: close']));
				expect(text, `${name}: ${target}`).toMatch(/^HTTP\/1.1 401 /);
				expect(text).toMatch(/x-request-id: req_[0-9a-f]{32}/);
				expect(text).toMatch(/www-authenticate: Bearer/);
				const body = text.split('\r\n\r\n')[1] ?? '';
				if (target.startsWith('HEAD')) expect(body).toBe('');
				else {
					expect(JSON.parse(body).error.code).toBe(code);
					answers.set(name, (answers.get(name) ?? new Set()).add(body));
				}
			}
		}
		// All responses are equal, so that they do not reveal which paths exist.
		expect([...answers].filter(([, bodies]) => bodies.size > 1)).toEqual([]);
	});

	it('without "Bearer" gets a message that says so', async () => {
		const { send } = testServer(routes);
		const { message, code } = await errorOf(await send('/v1/me', { headers: { authorization: goodKey } }));
		expect(message).toBe('The Authorization header does not begin with "Bearer". Send "Authorization: Bearer <key>".');
		expect(code).toBe('invalid_api_key');
	});

	it('is not mentioned when the host names the caller and a scope is missing', async () => {
		const caller = { id: 'p', tenant: 't', scopes: [] };
		const authenticator = { authenticate: async () => null, identify: async () => caller };
		const { send } = testServer(routes, { authenticator });
		const { status, message } = await errorOf(await send('/v1/things'));
		expect([status, message]).toEqual([
			403,
			'The caller lacks the scope "things". The application that embeds this server decides on scopes.',
		]);
	});

	it.each([
		['as a bearer', [`authorization: Bearer ${goodKey}`]],
		['as a bearer in any case', [`AUTHORIZATION: bEaReR ${goodKey}`]],
		['as x-api-key', [`x-api-key: ${goodKey}`]],
		['in both headers', [`authorization: Bearer ${goodKey}`, `x-api-key: ${goodKey}`]],
	])('is accepted %s', async (_, headers) => {
		const { port } = await listening(routes);
		const text = await exchange(port, request('GET /v1/me', [...headers, 'connection: close']));
		expect(text).toMatch(/^HTTP\/1.1 200 [\s\S]*"p1"$/);
	});

	it('is ignored in the query', async () => {
		const { http } = testServer(routes);
		const answer = await http.fetch(new Request(`http://x/v1/me?api_key=${goodKey}&key=${goodKey}`));
		expect(answer.status).toBe(401);
	});

	it('is not required on public routes, also when a wrong one is sent', async () => {
		const { http } = testServer(routes);
		const headers = { authorization: 'Bearer nope' };
		for (const path of ['/healthz', '/readyz', '/openapi.json', '/v1/open']) {
			expect((await http.fetch(new Request(`http://x${path}`, { headers }))).status).toBe(200);
		}
	});

	it('that lacks the scope gets a 403 that names the scope', async () => {
		const { send } = testServer(routes);
		const answer = await send('/v1/things', { headers: { authorization: `Bearer ${narrowKey}` } });
		expect(answer.status).toBe(403);
		const error = await errorOf(answer);
		expect(error).toMatchObject({ code: 'insufficient_permissions', param: null });
		expect(error.message).toContain('"things"');
	});

	it('gets a 500 when the authenticator fails, and the log has the reason', async () => {
		const broken = { authenticate: () => Promise.reject(new Error('no database')) };
		const { send, lines } = testServer(routes, { authenticator: broken });
		const answer = await send('/v1/me');
		expect(answer.status).toBe(500);
		expect(await answer.text()).not.toContain('database');
		expect(lines.find(({ level }) => level === 'error')?.fields.err).toMatchObject({
			message: 'no database',
		});
	});

	it('is checked before the body is read: the server responds at once and closes the connection', async () => {
		const { port, http } = await listening(routes);
		const raw = await rawConnection(port);
		await raw.write(request('POST /v1/things/a', { 'content-length': '891289600', 'x-api-key': 'nope' }));
		const text = await raw.until(/invalid_api_key[\s\S]*}$/);
		expect(text).toMatch(/^HTTP\/1.1 401 /);
		expect(text).toMatch(/connection: close/i);
		// A client that continues to send is cut off soon.
		const megabyte = Buffer.alloc(1_048_576);
		for (let sent = 0; sent < 64 && !raw.socket.destroyed; sent++) {
			void raw.write(megabyte);
			await new Promise((resolve) => setImmediate(resolve));
		}
		await raw.closed;
		await eventually(() => http.pipeline.inFlight === 0);
	});

	it('is checked before the server sends 100 Continue', async () => {
		const { port } = await listening(routes);
		const raw = await rawConnection(port);
		const headers = {
			expect: '100-continue',
			'content-length': '500000',
			'content-type': 'application/json',
		};
		await raw.write(request('POST /v1/things/a', headers));
		const text = await raw.until(/}$/);
		expect(text).toMatch(/^HTTP\/1.1 401 /);
		expect(text).not.toContain('100 Continue');
		await raw.closed;
	});

	it('reaches the authenticator once and unchanged', async () => {
		const authenticate = vi.fn(async () => null);
		const { http } = testServer(routes, { authenticator: { authenticate } });
		await http.fetch(new Request('http://x/v1/me', { headers: { ...auth, 'x-api-key': goodKey } }));
		expect(authenticate.mock.calls).toEqual([[goodKey]]);
	});
});
