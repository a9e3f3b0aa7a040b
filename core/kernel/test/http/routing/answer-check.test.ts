import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { Reply } from '../../../src/contract/http/reply.ts';
import { defineRoute, type Route } from '../../../src/contract/http/route.ts';
import { base64 } from '../../../src/http/answers/base64.ts';
import { errorOf, testServer } from '../support.ts';

const schema = z.object({ items: z.array(z.object({ a: z.number(), text: z.string() })) });

/** A route whose handler returns `value`, even if its schema refuses it. */
function routeReturning(value: unknown): Route {
	return defineRoute({
		method: 'GET',
		path: '/v1/things',
		scope: 'authenticated',
		summary: 's',
		response: {
			description: 'x',
			schema,
			others: { 202: { description: 'later', schema: z.object({ later: z.literal(true) }) } },
		},
		errors: [],
		handler: () => value as never,
	});
}

const good = { items: [{ a: 1, text: 'x' }] };
const wrong = { items: [{ a: 'one', text: 'x' }] };

describe('outside production', () => {
	it.each([
		['a value', wrong, 'items[0].a: expected a number, found a string'],
		['a JSON reply', Reply.json(wrong), 'items[0].a: expected a number, found a string'],
		['a text in place of an object', 'x', 'the whole value: expected an object, found a string'],
		['another declared status', Reply.json(good, { status: 202 }), 'later: expected true'],
	])(
		'%s that its schema refuses becomes a logged 500 that names the route and the member',
		async (_, value, logged) => {
			const { send, lines } = testServer([routeReturning(value)]);
			expect(await errorOf(await send('/v1/things'))).toMatchObject({
				status: 500,
				type: 'server_error',
				param: null,
			});
			const [line, ...more] = lines.filter(({ level }) => level === 'error');
			expect(more).toEqual([]);
			expect(line?.fields).toMatchObject({ code: 'E_INTERNAL', route: '/v1/things' });
			const message = String(line?.fields.err);
			expect(message).toContain('GET /v1/things answered ');
			expect(message).toContain(logged);
		},
	);

	it.each([
		['a value', good],
		['members to come', { items: [{ ...good.items[0], more: 1 }] }],
		['bytes in place of a text', { items: [{ a: 1, text: base64(Buffer.from('x')) }] }],
		['an absent member that is written as undefined', { ...good, more: undefined }],
		['a status that is not declared', Reply.json({ any: 'thing' }, { status: 207 })],
		['a reply that is no JSON', Reply.binary(new Uint8Array(1), { mediaType: 'image/png' })],
		['nothing', undefined],
	])('%s passes', async (_, value) => {
		const { send } = testServer([routeReturning(value)]);
		expect((await send('/v1/things')).status).toBeLessThan(300);
	});
});

describe('in production', () => {
	it('responses are not checked', async () => {
		vi.stubEnv('NODE_ENV', 'production');
		onTestFinished(() => void vi.unstubAllEnvs());
		const { send } = testServer([routeReturning(wrong)]);
		expect(await (await send('/v1/things')).json()).toEqual(wrong);
	});
});
