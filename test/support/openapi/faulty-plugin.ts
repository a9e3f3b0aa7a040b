import {
	codePoints,
	defineErrors,
	definePlugin,
	defineRoute,
	errorFrom,
	type HandlerResult,
	Reply,
} from '@plinth/core';
import { z } from 'zod';

/** A deliberate fault of a route, and the message that must report it. */
export interface SeededFault {
	readonly name: string;
	readonly operation: string;
	readonly message: RegExp;
}

const rows = defineErrors({
	E_FAULT_GONE: {
		status: 410,
		type: 'invalid_request_error',
		code: 'gone',
		message: 'This is gone.',
	},
	E_FAULT_REFUSED: {
		status: 400,
		type: 'invalid_request_error',
		code: 'invalid_value',
		message: 'This is refused.',
	},
});

const ok = z.object({ ok: z.boolean(), tag: z.string() });
const good = { ok: true, tag: 'x' };

function refuse(param: string, message: string): never {
	throw errorFrom(rows, 'E_FAULT_REFUSED', { param, message });
}

/** A route whose handler violates its schemas. */
function faulty<B extends z.ZodType>(
	name: string,
	body: B,
	handler: (body: z.output<B>) => unknown,
	more: { readonly encoding?: 'multipart'; readonly mediaTypes?: readonly string[] } = {},
) {
	const { encoding = 'json', mediaTypes } = more;
	return defineRoute({
		method: 'POST',
		path: `/v1/faults/${name}`,
		scope: 'authenticated',
		summary: name,
		body,
		encoding,
		response: { description: 'x', ...(mediaTypes ? { mediaTypes } : { schema: ok }) },
		errors: [rows.E_FAULT_REFUSED],
		handler: (input) => handler(input.body as z.output<B>) as HandlerResult<typeof ok>,
	});
}

const text = codePoints({ min: 1, max: 100 });

const loose = z
	.unknown()
	.meta({ override: { type: 'string' } })
	.optional();
const oneOf = [{ required: ['a'] }, { required: ['b'] }];
const kinds = {
	type: 'array' as const,
	items: { type: 'string' as const, enum: ['x', 'y'] },
	minItems: 1,
	maxItems: 3,
};

/** Routes that are correct except in rare cases. */
export const faultyPlugin = definePlugin({
	id: 'faults',
	config: z.strictObject({}),
	setup({ route }) {
		route(
			faulty('throws', z.object({ text }), (body) => {
				if (/\p{Extended_Pictographic}/u.test(body.text)) throw new TypeError('no picture');
				return good;
			}),
			// Sent as bytes, because the kernel validates JSON responses.
			faulty('lies', z.object({ text, tag: text.optional() }), ({ tag }) =>
				Reply.binary(Buffer.from(JSON.stringify({ ok: true, tag })), {
					mediaType: 'application/json',
				}),
			),
			faulty('adds', z.object({ n: z.int().min(0).max(50) }), ({ n }) => (n === 50 ? { ...good, secret: 1 } : good)),
			faulty(
				'accepts',
				z.object({ n: z.int().meta({ override: { type: 'integer', minimum: 0, maximum: 10 } }) }),
				({ n }) => (n < 0 || n > 11 ? refuse('n', 'n is out of bounds.') : good),
			),
			faulty('refuses', z.object({ kind: z.enum(['a', 'b', 'c', 'd']), text }), ({ kind, text }) =>
				kind === 'd' && text.length > 20 ? refuse('kind', 'kind is not d.') : good,
			),
			faulty('waits', z.object({ n: z.int().min(0).max(9) }), async ({ n }) => {
				if (n === 7) await new Promise((resolve) => setTimeout(resolve, 600));
				return good;
			}),
			faulty('surprises', z.object({ text, on: z.boolean().optional() }), ({ on }) => {
				if (on) throw errorFrom(rows, 'E_FAULT_GONE');
				return good;
			}),
			faulty('blames', z.object({ text: z.unknown() }), ({ text }) =>
				typeof text === 'string' ? good : refuse('colour', 'The colour is wrong.'),
			),
			faulty('echoes', z.object({ text: z.string() }), ({ text }) =>
				text.length > 200 ? refuse('text', `text is too long: ${text}`) : good,
			),
			faulty(
				'repeats',
				z.object({ tag: z.unknown().meta({ override: { type: 'string' } }) }),
				({ tag }) => ({ ok: true, tag: (tag as string).trim() }),
				{ encoding: 'multipart' },
			),
			faulty('mixes', z.object({ a: loose, b: loose }).meta({ override: { oneOf } }), ({ a, b }) => {
				const given = [a, b].filter((value) => value !== undefined);
				const isText = given.length > 0 && given.every((value) => typeof value === 'string');
				return isText ? good : refuse('a', 'a or b is missing.');
			}),
			faulty('lists', z.object({ kinds: z.unknown().meta({ override: kinds }) }), ({ kinds }) =>
				Array.isArray(kinds) && kinds.length > 0 && kinds.length <= 3 ? good : refuse('kinds', 'kinds is no list.'),
			),
			faulty('pairs', z.object({ a: z.boolean(), b: z.boolean() }), () => good),
			faulty(
				'mislabels',
				z.object({ kind: z.enum(['wav', 'pcm']) }),
				({ kind }) => Reply.binary(new Uint8Array(9), { mediaType: `audio/${kind}` }),
				{ mediaTypes: ['audio/wav'] },
			),
		);
	},
});

const at = (name: string) => `POST /v1/faults/${name}`;

/** The deliberate faults. */
export const seededFaults: readonly SeededFault[] = [
	{ name: 'a handler that throws', operation: at('throws'), message: /the server failed with 500/ },
	{
		name: 'an answer without a member',
		operation: at('lies'),
		message: /must have required property 'tag'/,
	},
	{ name: 'a response with an extra member', operation: at('adds'), message: /"secret"/ },
	{
		name: 'a bound that is one too high',
		operation: at('accepts'),
		message: /the status is 200, expected 4xx/,
	},
	{
		name: 'a value that is refused',
		operation: at('refuses'),
		message: /the status is 400, expected success/,
	},
	{ name: 'a slow response', operation: at('waits'), message: /it took \d+ ms/ },
	{ name: 'an undocumented status', operation: at('surprises'), message: /does not list this status/ },
	{ name: 'a parameter that does not exist', operation: at('blames'), message: /names "colour"/ },
	{
		name: 'an error that repeats the request',
		operation: at('echoes'),
		message: /repeats a long part/,
	},
	{ name: 'a repeated field', operation: at('repeats'), message: /the server failed with 500/ },
	{
		name: 'two forms of a body in one',
		operation: at('mixes'),
		message: /the status is 200, expected 4xx/,
	},
	{
		name: 'a list with an item that is not allowed',
		operation: at('lists'),
		message: /the status is 200, expected 4xx/,
	},
	{
		name: 'members that do not go together',
		operation: at('pairs'),
		message: /the status is 200, expected 4xx/,
	},
	{
		name: 'a content type of its own',
		operation: at('mislabels'),
		message: /the content type audio\/pcm/,
	},
];
