import { describe, expect, it } from 'vitest';
import { defineRoute } from '../../../src/contract/http/route.ts';
import { securityHeaders } from '../../../src/http/answers/send.ts';
import { listening, rawConnection, request, testServer } from '../support.ts';

const page = 'https://app.example.com';
const route = defineRoute({
	method: 'POST',
	path: '/v1/things',
	scope: 'authenticated',
	summary: 's',
	response: { description: 'x' },
	errors: [],
	handler: () => 'done',
});

const corsHeaders = (answer: Response) =>
	[...answer.headers.keys()].filter((name) => name.startsWith('access-control-'));
const preflight = (origin: string) => ({
	method: 'OPTIONS',
	headers: {
		authorization: '',
		origin,
		'access-control-request-method': 'POST',
		'access-control-request-headers':
			'authorization,content-type,x-stainless-arch,x-stainless-lang,x-stainless-os,x-stainless-package-version,x-stainless-retry-count,x-stainless-runtime,x-stainless-timeout',
	},
});

describe('without listed origins', () => {
	it('no page may read a response', async () => {
		const { send } = testServer([route]);
		const answers = await Promise.all([
			send('/v1/things', { method: 'POST', headers: { origin: page } }),
			send('/v1/things', preflight(page)),
			send('/healthz', { headers: { origin: page } }),
		]);
		expect(answers.map(({ status }) => status)).toEqual([200, 401, 200]);
		for (const answer of answers) expect(corsHeaders(answer)).toEqual([]);
	});
});

describe('with listed origins', () => {
	const cors = [page, 'http://localhost:5173'];

	it('allows a preflight without a key, with every header of a client', async () => {
		const { send } = testServer([route], { cors });
		const answer = await send('/v1/things', preflight(page));
		expect(answer.status).toBe(204);
		expect(Object.fromEntries(answer.headers)).toMatchObject({
			'access-control-allow-origin': page,
			'access-control-allow-methods': 'POST',
			'access-control-allow-headers': preflight(page).headers['access-control-request-headers'],
			'access-control-max-age': '600',
			vary: 'Origin, Access-Control-Request-Headers',
		});
		expect(answer.headers.has('access-control-allow-credentials')).toBe(false);
	});

	it('lets the page read the response, its headers, and errors', async () => {
		const { send } = testServer([route], { cors });
		for (const headers of [{ origin: page }, { origin: page, authorization: 'Bearer wrong' }]) {
			const answer = await send('/v1/things', { method: 'POST', headers });
			expect(answer.headers.get('access-control-allow-origin')).toBe(page);
			const exposed = answer.headers.get('access-control-expose-headers') ?? '';
			for (const name of ['x-request-id', 'retry-after', 'openai-poll-after-ms']) {
				expect(exposed.split(', ')).toContain(name);
			}
		}
	});

	it.each([
		'null',
		'http://app.example.com',
		'https://app.example.com.evil.test',
		'https://evil.test',
		'https://evil-app.example.com',
		'https://app.example.com:8443',
		'https://app.example.com/',
		'https://app.example.com@evil.test',
		'https://appXexample.com',
		'*',
	])('refuses the page of %s', async (origin) => {
		const { send } = testServer([route], { cors });
		const answer = await send('/v1/things', { method: 'POST', headers: { origin } });
		expect([answer.status, corsHeaders(answer)]).toEqual([200, []]);
		expect(answer.headers.get('vary')).toBe('Origin');
		const refused = await send('/v1/things', preflight(origin));
		expect([refused.status, corsHeaders(refused)]).toEqual([401, []]);
	});

	it('sends Vary: Origin also for requests without an origin', async () => {
		const { send } = testServer([route], { cors });
		expect((await send('/healthz')).headers.get('vary')).toBe('Origin');
	});

	it('allows every origin for *', async () => {
		const { send } = testServer([route], { cors: ['*'] });
		const answer = await send('/v1/things', { method: 'POST', headers: { origin: 'null' } });
		expect(answer.headers.get('access-control-allow-origin')).toBe('*');
		expect(answer.headers.has('vary')).toBe(false);
	});
});

describe('every response', () => {
	const required = ['x-request-id', 'openai-processing-ms', ...Object.keys(securityHeaders)];

	it.each([
		['/healthz', {}],
		['/v1/things', { method: 'POST' }],
		['/v1/things', { headers: { authorization: '' } }],
		['/v1/nothing', {}],
		['/v1/things', { method: 'PUT' }],
		['/v1/things', { method: 'OPTIONS' }],
		['/openapi.json', { method: 'HEAD' }],
	])('has a request id and security headers: %s %o', async (path, init) => {
		const { headers } = await testServer([route]).send(path, init as RequestInit);
		expect(required.filter((name) => !headers.has(name))).toEqual([]);
	});

	it.each([
		['no HTTP', 'NONSENSE\r\n\r\n'],
		['a huge head', request('GET /healthz', { x: 'y'.repeat(20_000) })],
		['no host', 'GET /healthz HTTP/1.1\r\n\r\n'],
	])('also to %s', async (_, bytes) => {
		const { port } = await listening([route]);
		const raw = await rawConnection(port);
		await raw.write(bytes);
		const text = (await raw.until(/"error"/)).toLowerCase();
		expect(required.filter((name) => !text.includes(`\r\n${name}: `))).toEqual([]);
	});

	it('keeps what a host has set', async () => {
		const { http } = testServer([route]);
		const { createServer } = await import('node:http');
		const host = createServer((req, res) => {
			res.setHeader('content-security-policy', "default-src 'self'");
			http.callback()(req, res);
		});
		await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
		const { port } = host.address() as { port: number };
		const answer = await fetch(`http://127.0.0.1:${port}/healthz`);
		expect(answer.headers.get('content-security-policy')).toBe("default-src 'self'");
		expect(answer.headers.get('x-frame-options')).toBe('DENY');
		host.close();
		host.closeAllConnections();
	});
});
