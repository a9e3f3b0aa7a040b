import { describe, expect, it } from 'vitest';
import { Reply } from '../../src/contract/http/reply.ts';
import { defineRoute } from '../../src/contract/http/route.ts';
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
];

describe('the head of a response over a connection', () => {
	it('has every header once, and the length of the body', async () => {
		const { url } = await listening(routes);
		const answer = await fetch(`${url}/v1/plain`, { headers: { ...auth, 'x-request-id': 'mine' } });
		expect(answer.headers.get('x-request-id')).toBe('mine');
		expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
		expect(answer.headers.get('content-length')).toBe('19');
		expect(answer.headers.get('x-frame-options')).toBe('DENY');
		expect(answer.headers.get('openai-processing-ms')).toBe('0');
		expect(await answer.json()).toEqual({ text: 'größer' });
	});

	it('accepts header names of a route in any case, and reserved headers override them', async () => {
		const { url } = await listening(routes);
		const mixed = await fetch(`${url}/v1/mixed`, { headers: auth });
		expect(mixed.headers.get('content-type')).toBe('application/json; charset=utf-8');
		expect(mixed.headers.get('x-own')).toBe('a');
		const own = await fetch(`${url}/v1/own`, { headers: auth });
		expect(own.headers.get('x-frame-options')).toBe('SAMEORIGIN');
	});

	it.each([
		['of JSON', () => Reply.json(1, { headers: { 'x-own': 'a\nb' } })],
		['of a status', () => Reply.json(1, { status: 600 })],
		['of nothing', () => Reply.empty(204, { 'x-own': 'a\nb' })],
		['of nothing, beyond Latin-1', () => Reply.empty(204, { 'x-own': '日' })],
		['of a redirect', () => Reply.redirect('/日')],
	])('%s that cannot be sent becomes a 500 with the four keys', async (_, reply) => {
		const { url, send } = await listening([route('/v1/broken', reply)]);
		for (const answer of [await fetch(`${url}/v1/broken`, { headers: auth }), await send('/v1/broken')]) {
			const { status, code } = await errorOf(answer);
			expect([status, code]).toEqual([500, null]);
			// `fetch` does not support a reason phrase.
			expect(['Internal Server Error', '']).toContain(answer.statusText);
		}
	});

	it.each([
		['nothing', () => Reply.empty(204, { 'x-own': 'é' })],
		['JSON', () => Reply.json('größer 日', { headers: { 'x-own': 'é' } })],
		['bytes', () => Reply.binary(new Uint8Array(3), { mediaType: 'a/b', headers: { 'x-own': 'é' } })],
		['events', () => Reply.events(events(), { 'x-own': 'é' })],
	])('sends Latin-1 before %s', async (_, reply) => {
		const { url, send } = await listening([route('/v1/named', reply)]);
		for (const answer of [await fetch(`${url}/v1/named`, { headers: auth }), await send('/v1/named')]) {
			expect([answer.ok, answer.headers.get('x-own')]).toEqual([true, 'é']);
			await answer.text();
		}
	});
});

describe('the call of a handler', () => {
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
		expect(names).toEqual(expect.arrayContaining(['principal', 'requestId', 'log', 'signal', 'deadline', 'publicUrl']));
	});
});

async function* events() {
	yield { data: 'größer 日' };
}
