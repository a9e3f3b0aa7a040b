import { describe, expect, it, vi } from 'vitest';
import type { Reply } from '../../../src/contract/http/reply.ts';
import type { Route } from '../../../src/contract/http/route.ts';
import { systemRoutes } from '../../../src/http/routing/system.ts';
import { errorOf, testServer } from '../support.ts';

const models = () => [
	{
		id: 'clip-1',
		created: 1_700_000_000,
		ownedBy: 'builtin',
		kind: 'video',
		description: 'Drawn, not neural.',
		health: 'up' as const,
	},
	{
		id: 'org/voice',
		created: 1_700_000_001,
		ownedBy: 'org',
		kind: 'speech',
		health: 'down' as const,
	},
];

describe('the kernel', () => {
	it('lists the models', async () => {
		const { send } = testServer([], { models });
		expect(await (await send('/v1/models')).json()).toEqual({
			object: 'list',
			data: [
				{
					id: 'clip-1',
					object: 'model',
					created: 1_700_000_000,
					owned_by: 'builtin',
					description: 'Drawn, not neural.',
					kind: 'video',
					health: 'up',
				},
				{
					id: 'org/voice',
					object: 'model',
					created: 1_700_000_001,
					owned_by: 'org',
					kind: 'speech',
					health: 'down',
				},
			],
		});
	});

	it('returns a model whose id has a slash, and a 404 for an unknown one', async () => {
		const { send } = testServer([], { models });
		expect(await (await send('/v1/models/org%2Fvoice')).json()).toMatchObject({ id: 'org/voice' });
		const missing = await send('/v1/models/nope');
		expect(missing.status).toBe(404);
		expect(await errorOf(missing)).toMatchObject({
			type: 'invalid_request_error',
			param: null,
			code: 'model_not_found',
		});
	});

	it('serves its OpenAPI document with an ETag, and responds with 304 when it has not changed', async () => {
		const { send } = testServer([]);
		const first = await send('/openapi.json');
		const etag = first.headers.get('etag') ?? '';
		expect(etag).toMatch(/^W\/"[\w-]{43}"$/);
		const again = await send('/openapi.json', { headers: { 'if-none-match': etag } });
		expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
		expect(again.headers.get('cache-control')).toBe('no-cache');
		const other = await send('/openapi.json', { headers: { 'if-none-match': 'W/"other"' } });
		expect(other.status).toBe(200);
		expect((await send('/openapi.json', { headers: { 'if-match': '"other"' } })).status).toBe(412);
		// The tag is weak, and `If-Match` compares strongly (RFC 9110 §13.1.1).
		expect((await send('/openapi.json', { headers: { 'if-match': etag } })).status).toBe(412);
	});

	it('serializes its OpenAPI document once per address', async () => {
		const openapi = vi.fn((url: string) => ({ servers: [{ url }] }));
		const all = systemRoutes({ readiness: async () => ({ ready: true }), models: () => [], openapi });
		const route = all.find(({ path }) => path === '/openapi.json') as Route;
		const from = (publicUrl: string) => route.handler({} as never, { publicUrl } as never) as Reply;
		const [first, second, other] = [from('http://a'), from('http://a'), from('http://b')];
		expect(openapi.mock.calls).toEqual([['http://a'], ['http://b']]);
		expect(second.headers.etag).toBe(first.headers.etag);
		expect(other.headers.etag).not.toBe(first.headers.etag);
	});

	it('is healthy while it runs, and ready when the readiness check succeeds', async () => {
		let ready = false;
		const { send } = testServer([], {
			readiness: async () => (ready ? { ready } : { ready, reason: 'starting' }),
		});
		const wait = await send('/readyz');
		expect([wait.status, await wait.json()]).toEqual([503, { status: 'not ready', reason: 'starting' }]);
		expect(await (await send('/healthz')).json()).toEqual({ status: 'ok' });
		ready = true;
		const go = await send('/readyz');
		expect([go.status, await go.json()]).toEqual([200, { status: 'ready' }]);
	});
});
