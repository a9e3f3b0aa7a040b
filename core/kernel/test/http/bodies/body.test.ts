import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineRoute } from '../../../src/contract/http/route.ts';
import { fileField } from '../../../src/contract/http/upload.ts';
import { codePoints } from '../../../src/http/validation/validate.ts';
import { auth, errorOf, eventually, listening, rawConnection, request, type Sent, testServer } from '../support.ts';

const part = z.union([
	z.object({ type: z.literal('text'), text: z.string() }),
	z.object({
		type: z.literal('file'),
		file: z.object({ file_data: z.string(), filename: z.string().optional() }),
	}),
]);

const schema = z.strictObject({
	prompt: codePoints({ min: 1, max: 5 }),
	n: z.int().min(1).max(10).default(1),
	speed: z.number().max(4).optional(),
	size: z.enum(['small', 'large']).optional(),
	format: z.union([z.literal('auto'), z.enum(['png', 'jpeg'])]).optional(),
	when: z.iso.datetime().optional(),
	stop: z.union([z.string(), z.array(z.string())]).optional(),
	tags: z.array(z.string()).max(2).optional(),
	meta: z.record(z.string().max(3), z.string()).optional(),
	shape: z
		.discriminatedUnion('kind', [
			z.object({ kind: z.literal('circle'), r: z.number() }),
			z.object({ kind: z.literal('square'), a: z.number() }),
		])
		.optional(),
	messages: z.array(z.object({ role: z.string(), content: z.union([z.string(), z.array(part)]) })).optional(),
	image: fileField().optional(),
	reference: z.union([fileField(), z.object({ image_url: z.string() }), z.object({ file_id: z.string() })]).optional(),
	choice: z
		.union([
			z.enum(['none', 'auto']),
			z.object({ type: z.literal('function'), function: z.object({ name: z.string() }) }),
		])
		.optional(),
	share: z.number().max(1).optional(),
	odd: z
		.number()
		.refine((value) => value % 2 === 1, { error: 'expected an odd number' })
		.optional(),
});

const echo = defineRoute({
	method: 'POST',
	path: '/v1/echo',
	scope: 'authenticated',
	summary: 's',
	body: schema,
	response: { description: 'x' },
	errors: [],
	handler: ({ body }) => body,
});

const small = defineRoute({ ...echo, path: '/v1/small', limits: { json: 100 } });
const anyObject = defineRoute({
	...echo,
	path: '/v1/anyObject',
	body: z.looseObject({}),
	handler: ({ body }) => ({
		keys: Object.keys(body as object),
		polluted: ({} as { evil?: unknown }).evil ?? null,
	}),
});
const optional = defineRoute({
	...echo,
	path: '/v1/optional',
	body: schema.optional(),
	handler: ({ body }) => body ?? null,
});
const routes = [echo, small, anyObject, optional];

function post(path: string, body: Sent, headers: Record<string, string> = {}) {
	return testServer(routes).send(path, {
		method: 'POST',
		body,
		headers: { 'content-type': 'application/json', ...headers },
	});
}

describe('a JSON value', () => {
	const p = { prompt: 'a' };
	it.each([
		['nothing in it', {}, 'missing_required_parameter', 'prompt', 'prompt: a value is required.'],
		['a number for a string', { prompt: 5 }, 'invalid_type', 'prompt', 'prompt: expected a string, found a number.'],
		['null for a string', { prompt: null }, 'invalid_type', 'prompt', 'prompt: expected a string, found null.'],
		['an array', [], 'invalid_type', null, 'The body: expected an object, found an array.'],
		['a primitive', 5, 'invalid_type', null, 'The body: expected an object, found a number.'],
		['null', null, 'invalid_type', null, 'The body: expected an object, found null.'],
		[
			'too many characters',
			{ prompt: '12345😀' },
			'string_above_max_length',
			'prompt',
			'prompt: expected at most 5 characters, found 6.',
		],
		[
			'too few characters',
			{ prompt: '' },
			'string_below_min_length',
			'prompt',
			'prompt: expected at least 1 character, found 0.',
		],
		['a number above', { ...p, n: 11 }, 'integer_above_max_value', 'n', 'n: expected at most 10, found 11.'],
		['a huge number', { ...p, n: 1e20 }, 'integer_above_max_value', 'n', `n: expected at most 10, found ${1e20}.`],
		['a number below', { ...p, n: 0 }, 'integer_below_min_value', 'n', 'n: expected at least 1, found 0.'],
		[
			'a fraction above',
			{ ...p, share: 1.5 },
			'decimal_above_max_value',
			'share',
			'share: expected at most 1, found 1.5.',
		],
		['a fraction', { ...p, n: 1.5 }, 'invalid_type', 'n', 'n: expected an integer, found a fraction.'],
		['a string for a number', { ...p, n: '1' }, 'invalid_type', 'n', 'n: expected a number, found a string.'],
		[
			'a value off the list',
			{ ...p, size: 'huge' },
			'invalid_value',
			'size',
			'size: expected one of "small", "large", found "huge".',
		],
		[
			'a long value off the list',
			{ ...p, size: 'x'.repeat(99) },
			'invalid_value',
			'size',
			'size: expected one of "small", "large", found another string.',
		],
		[
			'a value off two lists',
			{ ...p, format: 'gif' },
			'invalid_value',
			'format',
			'format: expected one of "auto", "png", "jpeg", found "gif".',
		],
		[
			'a bad format',
			{ ...p, when: 'today' },
			'invalid_value',
			'when',
			'when: expected a string in the format "datetime".',
		],
		['an unknown key', { ...p, colour: 1 }, 'unknown_parameter', 'colour', 'colour: there is no such parameter.'],
		[
			'too many items',
			{ ...p, tags: ['a', 'b', 'c'] },
			'invalid_value',
			'tags',
			'tags: expected at most 2 items, found 3.',
		],
		[
			'a wrong item',
			{ ...p, tags: ['a', 5] },
			'invalid_type',
			'tags[1]',
			'tags[1]: expected a string, found a number.',
		],
		[
			'a bad record key',
			{ ...p, meta: { long_key: 'x' } },
			'string_above_max_length',
			'meta.long_key',
			'meta.long_key: expected at most 3 characters, found 8.',
		],
		[
			'neither of two types',
			{ ...p, stop: 5 },
			'invalid_type',
			'stop',
			'stop: expected a string or an array, found a number.',
		],
		[
			'a wrong item in a union',
			{ ...p, stop: ['a', 5] },
			'invalid_type',
			'stop[1]',
			'stop[1]: expected a string, found a number.',
		],
		[
			'an unknown discriminator',
			{ ...p, shape: { kind: 'line' } },
			'invalid_value',
			'shape.kind',
			'shape.kind: expected one of "circle", "square".',
		],
		[
			'a missing discriminator',
			{ ...p, shape: {} },
			'missing_required_parameter',
			'shape.kind',
			'shape.kind: a value is required.',
		],
		[
			'a discriminated form',
			{ ...p, shape: { kind: 'circle', r: 'x' } },
			'invalid_type',
			'shape.r',
			'shape.r: expected a number, found a string.',
		],
		[
			'a form of a union of objects',
			{
				...p,
				messages: [
					{ role: 'a', content: 'x' },
					{ role: 'u', content: [{ type: 'file', file: {} }] },
				],
			},
			'missing_required_parameter',
			'messages[1].content[0].file.file_data',
			'messages[1].content[0].file.file_data: a value is required.',
		],
		[
			'an unknown form of a union of objects',
			{ ...p, messages: [{ role: 'u', content: [{ type: 'video' }] }] },
			'invalid_value',
			'messages[0].content[0].type',
			'messages[0].content[0].type: expected one of "text", "file", found "video".',
		],
		['text for a file', { ...p, image: 'x' }, 'invalid_type', 'image', 'image: expected a file, found a string.'],
		[
			'text for a file or an object',
			{ ...p, reference: 'x' },
			'invalid_type',
			'reference',
			'reference: expected a file, found a string.',
		],
		[
			'a wrong member of one form',
			{ ...p, reference: { file_id: 5 } },
			'invalid_type',
			'reference.file_id',
			'reference.file_id: expected a string, found a number.',
		],
		[
			'an object of no form',
			{ ...p, reference: {} },
			'missing_required_parameter',
			'reference.image_url',
			'reference.image_url: a value is required.',
		],
		[
			'an object without a member, where a string is allowed too',
			{ ...p, choice: { type: 'function' } },
			'missing_required_parameter',
			'choice.function',
			'choice.function: a value is required.',
		],
		[
			'an object with a wrong member, where a string is allowed too',
			{ ...p, choice: { type: 'function', function: { name: 5 } } },
			'invalid_type',
			'choice.function.name',
			'choice.function.name: expected a string, found a number.',
		],
		[
			'another string, where an object is allowed too',
			{ ...p, choice: 'all' },
			'invalid_value',
			'choice',
			'choice: expected one of "none", "auto", found "all".',
		],
		['a list for a file', { ...p, image: ['x'] }, 'invalid_type', 'image', 'image: expected a file, found an array.'],
		['a custom rule', { ...p, odd: 2 }, 'invalid_value', 'odd', 'odd: expected an odd number.'],
	])('is refused with %s', async (_, body, code, param, message) => {
		const error = await errorOf(await post('/v1/echo', JSON.stringify(body)));
		expect(error).toEqual({ status: 400, type: 'invalid_request_error', code, param, message });
	});

	it('is validated, and gets the defaults of the schema', async () => {
		const answer = await post('/v1/echo', '{"prompt":"😀😀😀😀😀"}');
		expect(await answer.json()).toEqual({ prompt: '😀😀😀😀😀', n: 1 });
	});

	it('cannot pollute prototypes', async () => {
		const harmless = await post('/v1/anyObject', '{"constructor":{"evil":1},"prototype":{"evil":1}}');
		expect(await harmless.json()).toEqual({ keys: ['constructor', 'prototype'], polluted: null });
		for (const text of [
			'{"__proto__":{"evil":1}}',
			'{"a":[{"__proto__":{"evil":1}}]}',
			'{"\\u005f_proto__":{}}',
			'{"\\u005F\\u005fproto\\u005f\\u005f" :null}',
			'{"constructor":{"prototype":{"evil":1}}}',
			'[{"a":{"constru\\u0063tor":{"b":1,"\\u0070rototype":1}}}]',
		]) {
			const error = await errorOf(await post('/v1/anyObject', text));
			expect(error).toMatchObject({ status: 400, code: 'invalid_body' });
			expect(error.message).toContain('__proto__');
		}
		expect(({} as { evil?: unknown }).evil).toBeUndefined();
	});
});

describe('a JSON body', () => {
	it.each([
		['', 'The request has no body.'],
		['{', 'The request body cannot be read: the JSON is malformed at line 1, column 2.'],
		['{"prompt":\n "a",}', 'The request body cannot be read: the JSON is malformed at line 2, column 6.'],
		['secret', 'The request body cannot be read: it is no JSON.'],
		['[1', 'The request body cannot be read: the JSON is malformed at line 1, column 3.'],
		['   ', 'The request body cannot be read: the JSON ends early.'],
		['['.repeat(100_000) + ']'.repeat(100_000), 'The request body cannot be read: it nests deeper than 64 levels.'],
		['['.repeat(100_000), 'The request body cannot be read: it nests deeper than 64 levels.'],
	])('that is malformed gets a 400 that names the place', async (text, message) => {
		const error = await errorOf(await post('/v1/echo', text, { 'content-length': String(text.length) }));
		expect(error).toMatchObject({ status: 400, code: 'invalid_body', param: null });
		expect(error.message).toMatch(message);
	});

	it('may be absent if the schema allows it', async () => {
		const answer = await testServer(routes).send('/v1/optional', { method: 'POST' });
		expect(await answer.json()).toBeNull();
	});

	it.each([
		['text/plain', '"text/plain"'],
		['application/x-www-form-urlencoded', '"application/x-www-form-urlencoded"'],
		['multipart/form-data; boundary=x', '"multipart/form-data"'],
		['application/jsonx', '"application/jsonx"'],
		['', 'no content type'],
	])('of type %s gets a 415 that names the accepted types', async (type, found) => {
		const error = await errorOf(await post('/v1/echo', '{}', { 'content-type': type }));
		expect(error).toMatchObject({ status: 415, code: 'unsupported_media_type' });
		expect(error.message).toBe(`This route accepts application/json; ${found} was sent.`);
	});

	it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON', 'application/merge-patch+json'])(
		'of type %s is accepted',
		async (type) => {
			expect((await post('/v1/echo', '{"prompt":"a"}', { 'content-type': type })).status).toBe(200);
		},
	);

	it('that is compressed gets a 415', async () => {
		const error = await errorOf(await post('/v1/echo', '{}', { 'content-encoding': 'gzip' }));
		expect(error).toMatchObject({ status: 415, code: 'unsupported_media_type' });
		expect(error.message).toContain('"gzip"');
	});

	it('has a limit per route, with and without a length, also through fetch', async () => {
		const text = JSON.stringify({ prompt: 'x'.repeat(200) });
		const stream = () => new Blob([text]).stream();
		for (const body of [text, stream()]) {
			const answer = await testServer(routes).send('/v1/small', {
				method: 'POST',
				body,
				headers: { 'content-type': 'application/json' },
				duplex: 'half',
			} as RequestInit);
			expect(await errorOf(answer)).toMatchObject({ status: 413, code: 'request_too_large' });
		}
	});

	it('has a default limit of one megabyte', async () => {
		const limit = 1_048_576;
		const fit = (size: number) => `{"a":"${'x'.repeat(size - 8)}"}`;
		expect((await post('/v1/anyObject', fit(limit))).status).toBe(200);
		expect((await post('/v1/anyObject', fit(limit + 1))).status).toBe(413);
	});

	it('with a false length is refused before it is read, and the client receives the reason', async () => {
		const { port, http } = await listening(routes);
		const raw = await rawConnection(port);
		await raw.write(
			request('POST /v1/small', {
				...auth,
				'content-type': 'application/json',
				'content-length': '99999999',
			}),
		);
		const text = await raw.until(/request_too_large/);
		expect(text).toMatch(/^HTTP\/1.1 413 [\s\S]*connection: close/i);
		raw.socket.destroy();
		await eventually(() => http.pipeline.inFlight === 0);
	});

	it('uses a body that the host has parsed, and reports one that the host has consumed', async () => {
		const { http } = testServer(routes);
		const send = (parsed?: unknown) =>
			listeningWith(async (req, res) => {
				for await (const _ of req) {
					// Read to the end, like a body parser.
				}
				if (parsed !== undefined) Object.assign(req, { body: parsed });
				http.callback()(req, res);
			});
		const used = await send({ prompt: 'host' });
		expect(await used.json()).toMatchObject({ prompt: 'host' });
		const swallowed = await errorOf(await send());
		expect(swallowed).toMatchObject({ status: 400, code: 'invalid_body' });
		expect(swallowed.message).toContain('mount Plinth before body parsers');
	});
});

async function listeningWith(handler: import('node:http').RequestListener): Promise<Response> {
	const { createServer } = await import('node:http');
	const server = createServer(handler);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as import('node:net').AddressInfo;
	try {
		const answer = await fetch(`http://127.0.0.1:${port}/v1/echo`, {
			method: 'POST',
			body: '{"prompt":"a"}',
			headers: { ...auth, 'content-type': 'application/json' },
		});
		return new Response(await answer.text(), { status: answer.status });
	} finally {
		server.closeAllConnections();
		server.close();
	}
}

it.each([
	['1e999', 'decimal_above_max_value', 'large'],
	['-1e999', 'decimal_below_min_value', 'small'],
])('refuses a number that overflows: %s', async (number, code, size) => {
	const answer = await testServer([echo]).send('/v1/echo', {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: `{"prompt":"a","share":${number}}`,
	});
	expect(await errorOf(answer)).toMatchObject({
		status: 400,
		code,
		param: 'share',
		message: `share: expected a number, found a number that is too ${size}.`,
	});
});
