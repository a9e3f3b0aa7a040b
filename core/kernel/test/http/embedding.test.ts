import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { defineRoute } from '../../src/contract/http/route.ts';
import { auth, eventually, testServer } from './support.ts';

const echo = defineRoute({
	method: 'POST',
	path: '/v1/echo',
	scope: 'authenticated',
	summary: 's',
	body: z.object({ a: z.number() }),
	response: { description: 'x', status: 201 },
	errors: [],
	handler: ({ body }) => body,
});

async function host(listener: RequestListener): Promise<string> {
	const server = createServer(listener);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	onTestFinished(() => {
		server.closeAllConnections();
		server.close();
	});
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const json = {
	method: 'POST',
	body: '{"a":1}',
	headers: { ...auth, 'content-type': 'application/json' },
};

describe('inside a host', () => {
	it('handles its own paths and passes other requests on unchanged', async () => {
		const { http } = testServer([echo]);
		const handle = http.callback();
		const url = await host((req, res) => {
			handle(req, res, () => res.end(`host ${res.statusCode} ${res.getHeaderNames().length}`));
		});
		expect((await fetch(`${url}/v1/echo`, json)).status).toBe(201);
		expect(await (await fetch(`${url}/page`)).text()).toBe('host 200 0');
		expect(await (await fetch(`${url}/v1x`)).text()).toBe('host 200 0');
		for (const path of ['/v1', '/v1/unknown', '/api/unknown', '/v1/echo']) {
			expect((await fetch(`${url}${path}`)).status).toBe(401);
		}
		expect((await fetch(`${url}/healthz`, { method: 'POST' })).status).toBe(405);
	});

	it('responds to every path when the host has no next handler', async () => {
		const { http } = testServer([]);
		const url = await host(http.callback());
		expect((await fetch(`${url}/page`)).status).toBe(404);
	});

	it('works under a prefix that the host strips', async () => {
		const { http } = testServer([echo]);
		const handle = http.callback();
		const url = await host((req, res) => {
			// Like Express in `use('/ai', …)`.
			req.url = req.url?.replace(/^\/ai/, '') ?? '';
			handle(req, res, () => res.end('host'));
		});
		expect((await fetch(`${url}/ai/v1/echo`, json)).status).toBe(201);
		expect(await (await fetch(`${url}/ai/page`)).text()).toBe('host');
	});

	it('works in a Koa app, whose middleware sees the status afterwards', async () => {
		const { http } = testServer([echo]);
		const seen: number[] = [];
		const koa = new Koa();
		koa.use(async (ctx, next) => {
			ctx.set('access-control-allow-origin', '*');
			await next();
			seen.push(ctx.status);
		});
		koa.use(http.middleware());
		koa.use((ctx) => {
			ctx.body = 'host';
		});
		const url = await host(koa.callback());
		expect(await (await fetch(`${url}/v1/echo`, json)).json()).toEqual({ a: 1 });
		const refused = await fetch(`${url}/v1/echo`);
		expect(refused.headers.get('access-control-allow-origin')).toBe('*');
		expect(await (await fetch(`${url}/page`)).text()).toBe('host');
		await eventually(() => seen.length === 3);
		expect(seen).toEqual([201, 401, 200]);
	});

	it('counts requests of the callback and of fetch', async () => {
		let release: (() => void) | undefined;
		const slow = defineRoute({
			...echo,
			path: '/v1/slow',
			handler: () =>
				new Promise<void>((resolve) => {
					release = resolve;
				}),
		});
		const { http, send } = testServer([slow]);
		const url = await host(http.callback());
		for (const go of [() => fetch(`${url}/v1/slow`, json), () => send('/v1/slow', json)]) {
			const answer = go();
			await eventually(() => release !== undefined);
			expect(http.pipeline.inFlight).toBe(1);
			const drained = http.pipeline.drained();
			release?.();
			release = undefined;
			await answer;
			await drained;
			expect(http.pipeline.inFlight).toBe(0);
		}
	});
});

describe('fetch', () => {
	it('accepts bodies of every kind and returns responses without connection headers', async () => {
		const { send } = testServer([echo]);
		const answer = await send('/v1/echo', json);
		expect(answer.status).toBe(201);
		expect([answer.headers.get('connection'), answer.headers.get('transfer-encoding')]).toEqual([null, null]);
		const streamed = await send('/v1/echo', {
			...json,
			body: new Blob(['{"a":', '2}']).stream(),
			duplex: 'half',
		} as RequestInit);
		expect(await streamed.json()).toEqual({ a: 2 });
	});

	it('refuses two keys that Headers has joined', async () => {
		const headers = new Headers(auth);
		headers.append('x-api-key', 'a');
		headers.append('x-api-key', 'a');
		expect((await testServer([]).http.fetch(new Request('http://x/v1/models', { headers }))).status).toBe(401);
	});

	it('rejects when it was aborted before the response', async () => {
		const { http } = testServer([echo]);
		const aborted = new Request('http://x/healthz', {
			signal: AbortSignal.abort(new Error('mine')),
		});
		// Both are correct: the response was ready, or the abort came first.
		await http.fetch(aborted).then(
			(answer) => expect(answer.status).toBe(200),
			(error) => expect(error).toMatchObject({ message: 'mine' }),
		);
		await http.pipeline.drained();
	});
});
