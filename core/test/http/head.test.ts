import { describe, expect, it } from 'vitest';
import { Reply } from '../../src/http/reply.ts';
import { defineRoute } from '../../src/http/route.ts';
import { auth, errorOf, listening } from './support.ts';

const route = (path: `/${string}`, handler: () => unknown) =>
	defineRoute({
		method: 'GET',
		path,
		scope: 'authenticated',
		summary: 's',
		response: { description: 'x' },
		errors: [],
		handler,
	});

const routes = [
	route('/v1/plain', () => ({ text: 'größer' })),
	route('/v1/mixed', () => Reply.json(1, { headers: { 'Content-Type': 'text/x', 'X-Own': 'a' } })),
	route('/v1/own', () => Reply.json(1, { headers: { 'x-frame-options': 'SAMEORIGIN' } })),
	route('/v1/broken', () => Reply.json(1, { headers: { 'x-own': 'a\nb' } })),
];

describe('the head of an answer over a connection', () => {
	it('has every header once, and a body of that length', async () => {
		const { url } = await listening(routes);
		const answer = await fetch(`${url}/v1/plain`, { headers: { ...auth, 'x-request-id': 'mine' } });
		expect(answer.headers.get('x-request-id')).toBe('mine');
		expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
		expect(answer.headers.get('content-length')).toBe('19');
		expect(answer.headers.get('x-frame-options')).toBe('DENY');
		expect(answer.headers.get('openai-processing-ms')).toBe('0');
		expect(await answer.json()).toEqual({ text: 'größer' });
	});

	it('takes names of a route in any case, and ours win where they must', async () => {
		const { url } = await listening(routes);
		const mixed = await fetch(`${url}/v1/mixed`, { headers: auth });
		expect(mixed.headers.get('content-type')).toBe('application/json; charset=utf-8');
		expect(mixed.headers.get('x-own')).toBe('a');
		const own = await fetch(`${url}/v1/own`, { headers: auth });
		expect(own.headers.get('x-frame-options')).toBe('SAMEORIGIN');
	});

	it('that cannot be sent gives a 500 with the four keys', async () => {
		const { url } = await listening(routes);
		const { status, code } = await errorOf(await fetch(`${url}/v1/broken`, { headers: auth }));
		expect([status, code]).toEqual([500, null]);
	});
});

describe('what a handler is called with', () => {
	it('can be copied with all its members', async () => {
		let names: readonly string[] = [];
		const copying = defineRoute({
			...route('/v1/copy', () => 1),
			handler: (_, call) => {
				const copy = { ...call, idempotency: { ...call.idempotency } };
				copy.log.info({}, 'copied');
				names = [...Object.keys(copy), ...Object.keys(copy.idempotency)];
				return { isSame: copy.signal === call.signal, print: copy.idempotency.fingerprint };
			},
		});
		const { url } = await listening([copying]);
		const answer = await fetch(`${url}/v1/copy`, { headers: auth });
		expect(await answer.json()).toEqual({ isSame: true, print: expect.stringMatching(/^\w{64}$/) });
		expect(names).toEqual(
			expect.arrayContaining(['principal', 'requestId', 'log', 'signal', 'deadline', 'publicUrl']),
		);
	});
});
