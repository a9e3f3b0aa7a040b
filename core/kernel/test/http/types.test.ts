import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { Reply } from '../../src/contract/http/reply.ts';
import { defineRoute } from '../../src/contract/http/route.ts';
import { fileField, type UploadedFile } from '../../src/contract/http/upload.ts';
import { codePoints } from '../../src/http/validation/text.ts';

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

	it('has nothing where the route declares nothing', () => {
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
		// @ts-expect-error TRACE is no method of ours
		defineRoute({ ...base, method: 'TRACE', path: '/a', handler: () => 1 });
		// @ts-expect-error a path begins with a slash
		defineRoute({ ...base, method: 'GET', path: 'a', handler: () => 1 });
		const { scope: _, ...scopeless } = base;
		// @ts-expect-error a route without a scope
		defineRoute({ ...scopeless, method: 'GET', path: '/a', handler: () => 1 });
		// @ts-expect-error binary content has a media type
		Reply.binary(new Uint8Array(), {});
	});
});
