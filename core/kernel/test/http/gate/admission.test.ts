import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Reply } from '../../../src/contract/http/reply.ts';
import { type Call, defineRoute } from '../../../src/contract/http/route.ts';
import { fileField } from '../../../src/contract/http/upload.ts';
import type { LoadLimits } from '../../../src/http/gate/admission.ts';
import { httpLimits } from '../../../src/http/limits.ts';
import { auth, errorOf, eventually, listening, narrowKey, rawConnection, request, testServer } from '../support.ts';

const load: LoadLimits = {
	inFlightBytes: 1_000,
	requestsPerTenant: 2,
	streamsPerTenant: 2,
	streams: 3,
};
const other = { authorization: `Bearer ${narrowKey}` };

/** Routes whose handlers wait until the test releases them. */
function heldRoutes() {
	const releases: (() => void)[] = [];
	const state = { running: 0, release: () => releases.shift()?.() };
	const wait = async (answer: unknown) => {
		state.running++;
		await new Promise<void>((resolve) => releases.push(resolve));
		state.running--;
		return answer;
	};
	const common = { scope: 'authenticated', summary: 's', errors: [] } as const;
	const response = { description: 'x' };
	return {
		state,
		routes: [
			defineRoute({
				...common,
				method: 'GET',
				path: '/v1/held',
				response,
				handler: () => wait(1),
			}),
			defineRoute({
				...common,
				method: 'POST',
				path: '/v1/held',
				body: z.looseObject({}),
				response,
				handler: () => wait(2),
			}),
			defineRoute({
				...common,
				method: 'POST',
				path: '/v1/files',
				encoding: 'multipart',
				body: z.object({ file: fileField() }),
				response,
				handler: () => wait(3),
			}),
			defineRoute({
				...common,
				method: 'GET',
				path: '/v1/stream',
				response: { description: 'x', mediaTypes: ['text/event-stream'] },
				handler: (_, { signal }) =>
					Reply.events(
						(async function* () {
							state.running++;
							yield { data: 'first' };
							await new Promise<void>((resolve) => {
								releases.push(resolve);
								signal.addEventListener('abort', () => resolve());
							});
							state.running--;
						})(),
					),
			}),
		],
	};
}

describe('requests of one tenant', () => {
	it('are refused with 429 above the limit, and accepted again when one has ended', async () => {
		const { routes, state } = heldRoutes();
		const { send, http } = testServer(routes, { load });
		const first = [send('/v1/held'), send('/v1/held')];
		await eventually(() => state.running === 2);
		const refused = await send('/v1/held');
		expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
		expect(await errorOf(refused)).toMatchObject({
			status: 429,
			type: 'requests',
			code: 'rate_limit_exceeded',
			message: expect.stringContaining('2 requests'),
		});
		state.release();
		await Promise.race(first);
		await eventually(() => http.pipeline.inFlight === 1);
		const third = send('/v1/held');
		await eventually(() => state.running === 2);
		state.release();
		state.release();
		expect((await third).status).toBe(200);
		await Promise.all(first);
		await http.pipeline.drained();
	});

	it('do not count for another tenant, and public routes do not count', async () => {
		const { routes, state } = heldRoutes();
		const { send } = testServer(routes, { load });
		const held = [send('/v1/held'), send('/v1/held'), send('/v1/held', { headers: other })];
		await eventually(() => state.running === 3);
		expect((await send('/healthz')).status).toBe(200);
		for (const _ of held) state.release();
		expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200, 200]);
	});

	it('count until their handler has settled, also when the client has disconnected', async () => {
		const { routes, state } = heldRoutes();
		const { port, send, http } = await listening(routes, { load });
		const raw = await rawConnection(port);
		await raw.write(request('GET /v1/held', auth));
		await eventually(() => state.running === 1);
		raw.socket.destroy();
		const second = send('/v1/held');
		await eventually(() => state.running === 2);
		expect((await send('/v1/held')).status).toBe(429);
		state.release();
		await eventually(() => http.pipeline.inFlight === 1);
		state.release();
		await second;
	});

	it('stop counting when their handler runs long after its client has disconnected', async () => {
		const { routes, state } = heldRoutes();
		const { port, send, http, clock, lines } = await listening(routes, { load });
		for (const count of [1, 2]) {
			const raw = await rawConnection(port);
			await raw.write(request('GET /v1/held', auth));
			await eventually(() => state.running === count);
			raw.socket.destroy();
		}
		expect((await send('/v1/held')).status).toBe(429);
		await eventually(() => lines.filter(({ message }) => message === 'request').length === 3);
		await clock.advance(httpLimits.abandonMs);
		expect(lines.filter(({ level }) => level === 'warn')).toHaveLength(2);
		const third = send('/v1/held');
		await eventually(() => state.running === 3);
		for (const _ of [1, 2, 3]) state.release();
		expect((await third).status).toBe(200);
		await http.pipeline.drained();
	});
});

describe('request bodies', () => {
	const json = { 'content-type': 'application/json' };
	const post = (bytes: number) => ({
		method: 'POST',
		headers: { ...json, 'content-length': String(bytes) },
		body: JSON.stringify({ text: 'x'.repeat(bytes - 11) }),
	});

	it('are refused with 503 above the budget, before they are read', async () => {
		const { routes, state } = heldRoutes();
		const { port, send, http } = await listening(routes, { load });
		const first = send('/v1/held', post(600));
		await eventually(() => state.running === 1);
		const raw = await rawConnection(port);
		const head = { ...auth, ...json, 'content-length': '600', expect: '100-continue' };
		await raw.write(request('POST /v1/held', head));
		expect(await raw.until(/"code"/)).toContain('server_overloaded');
		expect(raw.text).not.toContain('100 Continue');
		expect(raw.text).toMatch(/^HTTP\/1\.1 503 [\s\S]*retry-after: \d+\r\n/i);
		state.release();
		await first;
		await http.pipeline.drained();
		const again = send('/v1/held', post(600));
		await eventually(() => state.running === 1);
		state.release();
		expect((await again).status).toBe(200);
	});

	it('may exceed the budget when there is no other', async () => {
		const { routes, state } = heldRoutes();
		const { send } = testServer(routes, { load });
		const large = send('/v1/held', post(5_000));
		await eventually(() => state.running === 1);
		expect((await send('/v1/held', post(20))).status).toBe(503);
		state.release();
		expect((await large).status).toBe(200);
	});

	it('of unknown length count for 8 MB', async () => {
		const { routes, state } = heldRoutes();
		const { send } = testServer(routes, { load: { ...load, inFlightBytes: 9_000_000 } });
		const first = send('/v1/held', { method: 'POST', headers: json, body: '{"a":1}' });
		await eventually(() => state.running === 1);
		expect((await send('/v1/held', post(800_000))).status).toBe(503);
		state.release();
		await first;
	});

	it('with an invalid length do not corrupt the budget', async () => {
		const { routes, state } = heldRoutes();
		const { send } = testServer(routes, { load: { ...load, requestsPerTenant: 9 } });
		const odd = await send('/v1/held', {
			method: 'POST',
			headers: { ...json, 'content-length': 'none' },
			body: '{}',
		});
		expect(odd.status).toBe(400);
		const first = send('/v1/held', post(600));
		await eventually(() => state.running === 1);
		expect((await send('/v1/held', post(600))).status).toBe(503);
		state.release();
		await first;
	});

	it('with another error get that error and not 503', async () => {
		const { routes, state } = heldRoutes();
		const { send } = testServer(routes, { load });
		const first = send('/v1/held', post(900));
		await eventually(() => state.running === 1);
		const wrong = {
			method: 'POST',
			headers: { 'content-type': 'text/plain' },
			body: 'x'.repeat(900),
		};
		expect((await send('/v1/held', wrong)).status).toBe(415);
		state.release();
		await first;
	});
});

describe('event streams', () => {
	it('are counted separately from requests, per tenant and in total', async () => {
		const { routes, state } = heldRoutes();
		const { send, http } = testServer(routes, { load });
		const streams: Response[] = [];
		for (const headers of [auth, auth, other]) {
			streams.push(await send('/v1/stream', { headers }));
		}
		expect(streams.map(({ status }) => status)).toEqual([200, 200, 200]);
		expect(await errorOf(await send('/v1/stream'))).toMatchObject({
			status: 429,
			message: expect.stringContaining('2 event streams'),
		});
		expect((await errorOf(await send('/v1/stream', { headers: other }))).status).toBe(503);
		const held = [send('/v1/held'), send('/v1/held')];
		await eventually(() => state.running >= 2);
		await Promise.all(streams.map(({ body }) => body?.cancel()));
		await eventually(() => http.pipeline.inFlight === 2);
		const again = await send('/v1/stream', { headers: other });
		expect(again.status).toBe(200);
		await again.body?.cancel();
		await eventually(() => {
			state.release();
			return http.pipeline.inFlight === 0;
		});
		await Promise.all(held);
	});
});

describe('a route with a check before the body', () => {
	it('refuses without reading it', async () => {
		const { routes } = heldRoutes();
		const closed = routes.map((route) => ({
			...route,
			precheck: () => {
				throw new TypeError('closed');
			},
		}));
		const { port } = await listening(closed, { load });
		const raw = await rawConnection(port);
		const head = {
			...auth,
			'content-type': 'application/json',
			'content-length': '900',
			expect: '100-continue',
		};
		await raw.write(request('POST /v1/held', head));
		expect(await raw.until(/server_error/)).toMatch(/^HTTP\/1\.1 500 /);
	});

	it.each([
		['12', 12],
		['0', 0],
		[undefined, undefined],
		['-1', undefined],
		['1e3', undefined],
		['nonsense', undefined],
	])('gets the length of the body, or undefined: %s', async (sent, known) => {
		const seen: unknown[] = [];
		const { routes } = heldRoutes();
		const looking = routes.map((route) => ({
			...route,
			precheck: ({ bodyBytes }: Call) => {
				seen.push(bodyBytes);
				throw new TypeError('closed');
			},
		}));
		await testServer(looking).send('/v1/held', {
			method: 'POST',
			headers: sent === undefined ? {} : { 'content-length': sent },
			body: new Blob(['{}']).stream(),
			duplex: 'half',
		} as RequestInit);
		expect(seen).toEqual([known]);
	});
});
