import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Reply } from '../../../src/contract/http/reply.ts';
import type { Call, RouteDefinition } from '../../../src/contract/http/route.ts';
import { isUpload } from '../../../src/contract/http/upload.ts';
import type { RawBody } from '../../../src/contract/ports/forward.ts';
import { auth, errorOf, listening, rawConnection, request, type Sent, testServer } from '../support.ts';
import { forwarding } from './forward-support.ts';

const path = '/v1/chat/completions';

/** A server whose `forward` leaves every request to the handler, and a record of its calls. */
function serverWithForward(more: Partial<RouteDefinition> = {}) {
	const seen: RawBody[] = [];
	const routes = [
		forwarding(async (raw) => {
			seen.push(raw);
			return undefined;
		}, more),
	];
	return { seen, routes, ...testServer(routes) };
}

function sent(body: string | Uint8Array, more: Record<string, string> = {}): RequestInit {
	const length = String(Buffer.byteLength(body));
	return {
		method: 'POST',
		headers: { 'content-type': 'application/json', 'content-length': length, ...more },
		body: body as Sent,
	};
}

/** A body with the given length in bytes. */
function bodyOf(length: number): string {
	const frame = '{"model":"small","text":""}';
	return frame.replace('""', `"${'x'.repeat(length - frame.length)}"`);
}

describe('a route that may pass requests on', () => {
	it('responds with the reply of its forward', async () => {
		const { send } = testServer([
			forwarding(async ({ model, value, bytes }) =>
				Reply.json({ model, value, bytes: bytes.toString() }, { status: 202 }),
			),
		]);
		const answer = await send(path, sent('{"model":"small"}'));
		expect(answer.status).toBe(202);
		expect(await answer.json()).toEqual({
			model: 'small',
			value: { model: 'small' },
			bytes: '{"model":"small"}',
		});
	});

	it.each([
		[262_144, true],
		[262_145, false],
	])('calls forward for a body of %d bytes: %s', async (length, looks) => {
		const { send, seen } = serverWithForward();
		const body = bodyOf(length);
		const answer = await send(path, sent(body));
		expect(await answer.json()).toEqual({ handled: JSON.parse(body) });
		expect(seen.length).toBe(looks ? 1 : 0);
	});

	it.each<[string, RequestInit]>([
		['of another type', sent('{"model":"m"}', { 'content-type': 'text/plain' })],
		['in another charset', sent('{"model":"m"}', { 'content-type': 'application/json; charset=latin1' })],
		['that is packed', sent('{"model":"m"}', { 'content-encoding': 'gzip' })],
		['that is empty', sent('')],
		['that is blank', sent('   ')],
		['that is no JSON', sent('{"model":"m"')],
		['that is no object', sent('["m"]')],
		['without a model', sent('{}')],
		['with a number for a model', sent('{"model":1}')],
		['that is not UTF-8', sent(Buffer.from('{"model":"\xff"}', 'latin1'))],
		['that nests too deep', sent(`{"model":"m","x":${'['.repeat(70)}${']'.repeat(70)}}`)],
		['that reaches a prototype', sent('{"model":"m","__proto__":{}}')],
		['of too many keys', sent(`{"model":"m"${',"a":1'.repeat(10_001)}}`)],
		['beyond the limit', sent(bodyOf(2_000))],
		['that is long and broken', sent(bodyOf(300_000).replace(/}$/, ''))],
	])('refuses a body %s like every route', async (_, init) => {
		const limits = { json: String(init.body).length === 2_000 ? 1_000 : 8_388_608 };
		const { send, seen } = serverWithForward({ limits });
		const refused = await errorOf(await send(path, init));
		const ordinary = testServer([{ ...forwarding(async () => undefined, { limits }), forward: undefined } as never]);
		expect(refused).toEqual(await errorOf(await ordinary.send(path, init)));
		expect(refused.status).toBeGreaterThanOrEqual(400);
		expect(refused.status).toBeLessThan(500);
		expect(seen).toEqual([]);
	});

	it('does not call forward for a body that only a lenient parser accepts', async () => {
		const { send, seen } = serverWithForward();
		for (const body of ['\uFEFF{"model":"m","x":1}', '{"model":"m","x":2,"x":1}']) {
			expect(await (await send(path, sent(body))).json()).toEqual({
				handled: { model: 'm', x: 1 },
			});
		}
		expect(seen).toEqual([]);
	});

	it('refuses two models', async () => {
		const { send, seen } = serverWithForward();
		for (const rest of ['', `,"x":"${'x'.repeat(200_000)}"`]) {
			const answer = await send(path, sent(`{"model":"a","model":"b"${rest}}`));
			expect(await errorOf(answer)).toMatchObject({
				status: 400,
				param: 'model',
				code: 'invalid_value',
			});
		}
		expect(seen).toEqual([]);
	});

	it('does not call forward for a body of unknown length', async () => {
		const { send, seen } = serverWithForward();
		const headers = { 'content-type': 'application/json' };
		const answer = await send(path, { method: 'POST', headers, body: '{"model":"m"}' });
		expect(await answer.json()).toEqual({ handled: { model: 'm' } });
		expect(seen).toEqual([]);
	});

	it('refuses a body whose length differs from Content-Length', async () => {
		const { send } = serverWithForward();
		for (const length of ['5', '50']) {
			const answer = await send(path, sent('{"model":"m"}', { 'content-length': length }));
			expect(await errorOf(answer)).toMatchObject({ status: 400 });
		}
	});

	it('sends 100 Continue, and accepts the body in pieces', async () => {
		const { routes, seen } = serverWithForward();
		const { port } = await listening(routes);
		const raw = await rawConnection(port);
		const headers = { ...auth, 'content-type': 'application/json', 'content-length': '13' };
		await raw.write(request(`POST ${path}`, { ...headers, expect: '100-continue' }));
		await raw.until(/100 Continue/);
		for (const piece of ['{"mo', 'del":', '"m"}']) {
			await raw.write(piece);
			await new Promise((resolve) => setImmediate(resolve));
		}
		await raw.until(/"handled":\{"model":"m"\}/);
		expect(seen.map(({ model }) => model)).toEqual(['m']);
		// The connection stays open.
		await raw.write(request(`POST ${path}`, headers, '{"model":"n"}'));
		await raw.until(/"handled":\{"model":"n"\}/);
	});

	it('aborts a body that arrives too slowly', async () => {
		const { routes, seen } = serverWithForward();
		const { port, clock } = await listening(routes);
		const raw = await rawConnection(port);
		const headers = { ...auth, 'content-type': 'application/json', 'content-length': '13' };
		await raw.write(request(`POST ${path}`, { ...headers, expect: '100-continue' }, '{"mo'));
		await raw.until(/100 Continue/);
		await clock.advance(10_000);
		await raw.until(/HTTP\/1.1 408/);
		expect(seen).toEqual([]);
	});

	it('ends the request of a client that disconnects within its body', async () => {
		const { routes } = serverWithForward();
		const { port, http, lines } = await listening(routes);
		const raw = await rawConnection(port);
		const headers = { ...auth, 'content-type': 'application/json', 'content-length': '13' };
		await raw.write(request(`POST ${path}`, { ...headers, expect: '100-continue' }, '{"mo'));
		await raw.until(/100 Continue/);
		raw.socket.destroy();
		await raw.closed;
		await http.pipeline.drained();
		expect(lines.map(({ fields: { status } }) => status)).toEqual([499]);
	});

	it('uses a body that the host has parsed', async () => {
		const { routes, seen } = serverWithForward();
		const { http } = testServer(routes);
		const { createServer } = await import('node:http');
		const host = createServer((req, res) => {
			req.resume();
			req.on('end', () => {
				(req as { body?: unknown }).body = { model: 'm' };
				http.callback()(req, res);
			});
		});
		await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
		const { port } = host.address() as { port: number };
		const { headers, ...init } = sent('{"model":"m"}');
		const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
			...init,
			headers: { ...auth, 'content-type': 'application/json' },
		});
		host.close();
		expect(headers).toBeDefined();
		expect(await answer.json()).toEqual({ handled: { model: 'm' } });
		expect(seen).toEqual([]);
	});

	it('admits a request before its body is read', async () => {
		const order: string[] = [];
		const { send } = testServer([
			forwarding(
				async () => {
					order.push('forward');
					return undefined;
				},
				{
					precheck: () => {
						order.push('precheck');
					},
				},
			),
		]);
		await send(path, sent('{"model":"m"}'));
		expect(order).toEqual(['precheck', 'forward']);
	});

	it('has the same fingerprint and files with forward and handler', async () => {
		const picture = `data:image/png;base64,${Buffer.alloc(60_000, 7).toString('base64')}`;
		const fingerprints: string[] = [];
		const files: boolean[] = [];
		const more: Partial<RouteDefinition> = {
			body: z.object({ model: z.string(), picture: z.unknown() }),
			spoolDataUrls: true,
			handler: ({ body }, call) => {
				fingerprints.push(call.idempotency.fingerprint);
				files.push(isUpload((body as { picture: unknown }).picture));
				return null;
			},
		};
		const { send, seen } = serverWithForward(more);
		for (const value of ['short', picture]) {
			const body = JSON.stringify({ model: 'm', picture: value });
			const headers = { 'content-type': 'application/json' };
			await send(path, sent(body));
			await send(path, { method: 'POST', headers, body });
		}
		expect(seen.length).toBe(2);
		expect(fingerprints[0]).toBe(fingerprints[1]);
		expect(fingerprints[2]).toBe(fingerprints[3]);
		expect(fingerprints[0]).not.toBe(fingerprints[2]);
		expect(files).toEqual([false, false, true, true]);
	});

	it('responds with the error of its forward, and names the model', async () => {
		const { send, http, lines } = testServer([
			forwarding(async (_, call) => {
				call.answeredBy('picked');
				throw new Error('no');
			}),
		]);
		const answer = await send(path, sent('{"model":"m"}'));
		expect(answer.status).toBe(500);
		expect(answer.headers.get('x-plinth-model')).toBe('picked');
		await http.pipeline.drained();
		expect(lines.at(-1)?.fields).toMatchObject({ status: 500, model: 'picked' });
	});

	it('accepts any characters in the name of a model', async () => {
		const { send } = testServer([
			forwarding(async (_, call) => {
				call.answeredBy('größe\r\nx: 1\ud800');
				return Reply.json({});
			}),
		]);
		const answer = await send(path, sent('{"model":"m"}'));
		expect(answer.headers.get('x-plinth-model')).toBe('gr%C3%B6%C3%9Fe%0D%0Ax%3A%201%EF%BF%BD');
	});

	it('is aborted when its forward runs after the deadline', async () => {
		let late: Call | undefined;
		const { send, clock } = testServer([
			forwarding(
				(_, call) => {
					late = call;
					return new Promise(() => {});
				},
				{ timeoutMs: 1_000 },
			),
		]);
		const answer = send(path, sent('{"model":"m"}'));
		while (!late) await new Promise((resolve) => setImmediate(resolve));
		await clock.advance(1_000);
		expect((await answer).status).toBe(504);
	});
});
