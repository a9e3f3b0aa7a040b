import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineRoute, type Route } from '../../../src/contract/http/route.ts';
import { serverSettings } from '../../../src/contract/server-settings.ts';
import { httpLimits } from '../../../src/http/limits.ts';
import { auth, errorOf, eventually, listening, rawConnection, request, testServer } from '../support.ts';

const never = () => new Promise<never>(() => {});

function hanging(more: Partial<Route>): Route {
	return defineRoute({
		method: 'GET',
		path: '/v1/hanging/{id}',
		scope: 'authenticated',
		summary: 's',
		response: { description: 'x' },
		errors: [],
		timeoutMs: 5_000,
		handler: () => 'handled',
		...more,
	});
}

const parts: readonly (readonly [string, Partial<Route>])[] = [
	['precheck', { precheck: never }],
	['check of its path', { params: z.object({ id: z.string().refine(never) }) }],
	['check of its query', { query: z.object({}).refine(never) }],
	['handler', { handler: never }],
];

describe('a request that hangs', () => {
	it.each(parts)('in the %s ends at the deadline of the route', async (_, part) => {
		const { send, http, clock } = testServer([hanging(part)]);
		const answer = send('/v1/hanging/1');
		await eventually(() => http.pipeline.inFlight === 1);
		await clock.advance(5_000);
		expect((await errorOf(await answer)).status).toBe(504);
	});

	it('in the precheck ends when its client disconnects, and releases the slot of the tenant', async () => {
		const load = { ...serverSettings.parse({}).limits, requestsPerTenant: 1 };
		const started = Promise.withResolvers<void>();
		const precheck = () => {
			started.resolve();
			return never();
		};
		const { port, send, clock } = await listening([hanging({ precheck })], { load });
		const raw = await rawConnection(port);
		await raw.write(request('GET /v1/hanging/1', auth));
		await started.promise;
		expect((await send('/v1/models')).status).toBe(429);
		raw.socket.destroy();
		await eventually(async () => {
			await clock.advance(httpLimits.abandonMs);
			return (await send('/v1/models')).status === 200;
		});
	});

	it('in a precheck that continues after the deadline never reaches its handler', async () => {
		const [checked, seen] = [Promise.withResolvers<void>(), [] as string[]];
		const route = hanging({ precheck: () => checked.promise, handler: () => seen.push('handled') });
		const { send, http, clock } = testServer([route]);
		const answer = send('/v1/hanging/1');
		await eventually(() => http.pipeline.inFlight === 1);
		await clock.advance(5_000);
		expect((await answer).status).toBe(504);
		checked.resolve();
		await eventually(() => http.pipeline.inFlight === 0);
		expect(seen).toEqual([]);
	});

	it('in the authenticator ends after ten minutes', async () => {
		const { send, http, clock } = testServer([], { authenticator: { authenticate: never } });
		const answer = send('/v1/models');
		await eventually(() => http.pipeline.inFlight === 1);
		await clock.advance(httpLimits.timeoutMs);
		expect((await errorOf(await answer)).status).toBe(504);
		await eventually(() => http.pipeline.inFlight === 0);
	});

	it('in the authenticator ends when its client disconnects', async () => {
		const started = Promise.withResolvers<void>();
		const authenticate = () => {
			started.resolve();
			return never();
		};
		const { port, http } = await listening([], { authenticator: { authenticate } });
		const raw = await rawConnection(port);
		await raw.write(request('GET /v1/models', auth));
		await started.promise;
		raw.socket.destroy();
		await eventually(() => http.pipeline.inFlight === 0);
	});
});
