import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { Reply } from '../../src/contract/http/reply.ts';
import { defineRoute } from '../../src/contract/http/route.ts';
import { fileField, type UploadedFile } from '../../src/contract/http/upload.ts';
import { base64 } from '../../src/http/answers/base64.ts';
import { codePoints } from '../../src/http/validation/validate.ts';

const base = { scope: 'x', summary: 's', response: { description: 'x' }, errors: [] } as const;

describe('the input of a handler', () => {
	it('has the types of the schemas', () => {
		defineRoute({
			...base,
			method: 'POST',
			path: '/v1/{id}',
			params: z.object({ id: z.string() }),
			query: z.object({ limit: z.coerce.number() }),
			body: z.object({
				prompt: codePoints({ max: 5 }),
				n: z.int().default(1),
				image: fileField().optional(),
			}),
			handler: ({ params, query, body }, call) => {
				expectTypeOf(params.id).toEqualTypeOf<string>();
				expectTypeOf(query.limit).toEqualTypeOf<number>();
				expectTypeOf(body).toEqualTypeOf<{
					prompt: string;
					n: number;
					image?: UploadedFile | undefined;
				}>();
				expectTypeOf(call.signal).toEqualTypeOf<AbortSignal>();
				// @ts-expect-error the schema has no such member
				body.nope;
				// @ts-expect-error a field may be absent
				body.image.size;
				return body.prompt;
			},
		});
	});

	it('is empty when the route declares nothing', () => {
		defineRoute({
			...base,
			method: 'GET',
			path: '/v1/a',
			handler: ({ params, query, body }) => {
				expectTypeOf(params).toEqualTypeOf<undefined>();
				expectTypeOf(query).toEqualTypeOf<undefined>();
				expectTypeOf(body).toEqualTypeOf<undefined>();
			},
		});
	});

	it('is declared with a known method, a rooted path and a scope', () => {
		// @ts-expect-error TRACE is not supported
		defineRoute({ ...base, method: 'TRACE', path: '/a', handler: () => 1 });
		// @ts-expect-error a path starts with a slash
		defineRoute({ ...base, method: 'GET', path: 'a', handler: () => 1 });
		const { scope: _, ...scopeless } = base;
		// @ts-expect-error a route without a scope
		defineRoute({ ...scopeless, method: 'GET', path: '/a', handler: () => 1 });
		// @ts-expect-error binary content has a media type
		Reply.binary(new Uint8Array(), {});
	});
});

describe('the result of a handler', () => {
	const typed = {
		...base,
		method: 'GET',
		path: '/v1/a',
		response: {
			description: 'x',
			schema: z.object({
				object: z.literal('thing'),
				a: z.number(),
				b64: z.string().optional(),
				tags: z.array(z.string()),
			}),
		},
	} as const;
	const good = { object: 'thing', a: 1, tags: ['x'] as readonly string[] } as const;

	it('has the type of the schema of its response', () => {
		defineRoute({ ...typed, handler: () => ({ object: 'thing', a: 1, tags: [] }) });
		defineRoute({ ...typed, handler: async () => good });
		defineRoute({ ...typed, handler: () => ({ ...good, b64: base64(new Uint8Array()) }) });
		// @ts-expect-error a is a number
		defineRoute({ ...typed, handler: () => ({ ...good, a: 'one' }) });
		// @ts-expect-error a is a number, also when it is set later
		defineRoute({ ...typed, handler: async () => ({ ...good, a: 'one' }) });
		// @ts-expect-error a is missing
		defineRoute({ ...typed, handler: () => ({ object: 'thing', tags: [] }) });
		// @ts-expect-error the literal is another one
		defineRoute({ ...typed, handler: () => ({ ...good, object: 'things' }) });
	});

	it('may be a reply, or undefined', () => {
		defineRoute({ ...typed, handler: () => Reply.json({ any: 'thing' }, { status: 202 }) });
		defineRoute({ ...typed, handler: () => undefined });
		defineRoute({
			...typed,
			handler: ({ query }) => (query ? Reply.empty() : { object: 'thing', a: 1, tags: [] }),
		});
	});

	it('may be any value when the response has no schema', () => {
		defineRoute({ ...base, method: 'GET', path: '/v1/a', handler: () => 'anything' });
	});
});
