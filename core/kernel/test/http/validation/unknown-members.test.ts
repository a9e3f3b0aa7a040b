import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineRoute } from '../../../src/contract/http/route.ts';
import { fileField } from '../../../src/contract/http/upload.ts';
import { unknownMembers } from '../../../src/http/validation/validate.ts';
import { errorOf, testServer, worked } from '../support.ts';

const schema = z.object({
	prompt: z.string(),
	size: z.enum(['s', 'l']).optional(),
	options: z.object({ speed: z.number().optional() }).nullish(),
	parts: z
		.array(
			z.discriminatedUnion('type', [
				z.object({ type: z.literal('a'), x: z.string() }),
				z.object({ type: z.literal('b') }),
			]),
		)
		.default([]),
	choice: z.union([z.enum(['auto']), z.object({ name: z.string() })]).optional(),
	free: z.looseObject({}).optional(),
	any: z.unknown().optional(),
	kept: z.preprocess((value) => value, z.object({ a: z.string() })).optional(),
	turned: z
		.object({ b: z.string() })
		.transform(({ b }) => ({ c: b }))
		.optional(),
	file: z.union([fileField(), z.object({ id: z.string() })]).optional(),
});

const named = (value: object) => unknownMembers(schema, value).map(({ name }) => name);

describe('members that a schema does not know', () => {
	it.each([
		[{ prompt: 'a', size: null, free: { x: 1 }, any: { y: 1 }, kept: { a: '', z: 1 }, turned: { b: '' } }, []],
		[{ prompt: 'a', sise: 's' }, ['sise']],
		[{ prompt: 'a', sise: null }, []],
		[{ prompt: 'a', options: { sped: 1 } }, ['options.sped']],
		[
			{
				prompt: 'a',
				parts: [
					{ type: 'a', x: '' },
					{ type: 'b', x: '' },
				],
			},
			['parts[1].x'],
		],
		[{ prompt: 'a', choice: 'auto' }, []],
		[{ prompt: 'a', choice: { name: 'n', nme: 1 } }, ['choice.nme']],
		[{ prompt: 'a', turned: { b: '', d: 1 } }, ['turned.d']],
		[JSON.parse('{"prompt":"a","toString":1,"hasOwnProperty":2}'), ['toString', 'hasOwnProperty']],
	])('are found at any depth: %j', (value, expected) => {
		expect(named(value)).toEqual(expected);
	});

	it('are limited to ten', () => {
		const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`unknown${index}`, 1]));
		expect(named({ prompt: 'a', ...many })).toHaveLength(10);
	});

	it('are found quickly, for any number of members', () => {
		const long = Array.from({ length: 10_000 }, (_, index) => [`${'promp'.repeat(20)}${index}`, 1]);
		const began = worked();
		expect(named({ prompt: 'a', ...Object.fromEntries(long) })).toHaveLength(10);
		// A search for the nearest name of each would take seconds.
		expect(worked() - began).toBeLessThan(500);
	});
});

const route = (withWarnings: boolean) =>
	defineRoute({
		method: 'POST',
		path: '/v1/things',
		scope: 'authenticated',
		summary: 's',
		encoding: ['json', 'multipart'],
		body: z.object({ prompt: z.string(), size: z.string().optional() }),
		response: {
			description: 'x',
			schema: withWarnings
				? z.strictObject({ done: z.boolean(), warnings: z.array(z.string()).optional() })
				: z.strictObject({ done: z.boolean() }),
		},
		errors: [],
		handler: ({ body }) => ({ done: true, ...(body.prompt === 'warn' && { warnings: ['Its own.'] }) }),
	});

const post = (body: object) => ({
	method: 'POST',
	headers: { 'content-type': 'application/json' },
	body: JSON.stringify(body),
});
const warning = 'sise: the server does not know this parameter and ignored it. Did you mean size?';

describe('a body with unknown members', () => {
	it('gets a warning in the response, and the members are logged', async () => {
		const { send, lines, http } = testServer([route(true)]);
		const answer = await send('/v1/things', post({ prompt: 'a', sise: 's' }));
		expect([answer.status, await answer.json()]).toEqual([200, { done: true, warnings: [warning] }]);
		await http.pipeline.drained();
		expect(lines.find(({ message }) => message === 'request')?.fields.unknown).toEqual(['sise']);
	});

	it('keeps the warnings of the handler', async () => {
		const answer = await testServer([route(true)]).send('/v1/things', post({ prompt: 'warn', sise: 's' }));
		expect(await answer.json()).toEqual({ done: true, warnings: ['Its own.', warning] });
	});

	it('may also be a form', async () => {
		const body = new FormData();
		body.set('prompt', 'a');
		body.set('sise', 's');
		const answer = await testServer([route(true)]).send('/v1/things', { method: 'POST', body });
		expect(await answer.json()).toEqual({ done: true, warnings: [warning] });
	});

	it('gets its warnings in headers when the response has no member for them', async () => {
		const answer = await testServer([route(false)]).send('/v1/things', post({ prompt: 'a', sise: 's', größe: 1 }));
		expect([answer.status, await answer.json()]).toEqual([200, { done: true }]);
		const text = answer.headers.get('x-plinth-warnings') ?? '';
		expect(text).toMatch(/^[ -~]+$/);
		expect(JSON.parse(text)).toEqual([warning, expect.stringMatching(/^größe: the server does not know/)]);
	});

	it('does not cause a head that is too large for clients', async () => {
		const names = Array.from({ length: 50 }, (_, at) => `${at}${'😀'.repeat(300)}`);
		const body = { prompt: 'a', ...Object.fromEntries(names.map((name) => [name, 1])) };
		const answer = await testServer([route(false)]).send('/v1/things', post(body));
		const text = answer.headers.get('x-plinth-warnings') ?? '';
		expect(text.length).toBeLessThanOrEqual(2_000);
		expect(JSON.parse(text)).toEqual([expect.stringMatching(/^0😀/)]);
	});

	it('is refused when the config says so', async () => {
		const { send } = testServer([route(true)], { refusesUnknown: true });
		expect(await errorOf(await send('/v1/things', post({ prompt: 'a', sise: 's' })))).toEqual({
			status: 400,
			type: 'invalid_request_error',
			param: 'sise',
			code: 'unknown_parameter',
			message: 'sise: there is no such parameter. Did you mean size?',
		});
		expect((await send('/v1/things', post({ prompt: 'a', size: 's' }))).status).toBe(200);
	});
});
