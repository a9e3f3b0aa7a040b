import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { errors } from '../../src/errors.ts';
import { defineRoute, type Route } from '../../src/http/route.ts';
import { codePoints } from '../../src/http/text.ts';
import { fileField } from '../../src/http/upload.ts';
import { testServer } from './support.ts';

const thing = z.object({ id: z.string(), size: z.enum(['s', 'l']) }).meta({ id: 'Thing' });

const create = defineRoute({
	method: 'POST',
	path: '/v1/things/{thing_id}/copies',
	scope: 'things:write',
	summary: 'Copy a thing',
	description: 'Copies it.',
	params: z.object({ thing_id: z.string() }),
	query: z.object({ dry: z.enum(['true', 'false']).optional() }),
	encoding: ['json', 'multipart'],
	limits: { multipart: 1234 },
	body: z.object({
		prompt: codePoints({ min: 1, max: 32_000 }),
		n: z.coerce.number().int().min(1).max(10).default(1),
		image: z.union([fileField({ mediaTypes: ['image/png'] }), z.array(fileField())]),
		reference: z.union([fileField(), z.object({ file_id: z.string() })]).optional(),
	}),
	response: { status: 201, description: 'The copy.', schema: thing },
	errors: [errors.E_JOB_NOT_FOUND, errors.E_MODEL_NOT_FOUND],
	handler: () => undefined,
});

const content = defineRoute({
	method: 'GET',
	path: '/v1/things/{thing_id}/content',
	scope: 'things:read',
	summary: 'Download',
	tag: 'Downloads',
	params: z.object({ thing_id: z.string() }),
	response: { description: 'Bytes.', mediaTypes: ['video/mp4'], ranges: true },
	errors: [errors.E_JOB_NOT_FOUND],
	handler: () => undefined,
});

const stream = defineRoute({
	method: 'POST',
	path: '/v1/things',
	scope: 'public',
	summary: 'Chat',
	body: z.object({ stream: z.boolean().optional() }),
	response: { description: 'JSON or events.', schema: thing, mediaTypes: ['text/event-stream'] },
	errors: [],
	handler: () => undefined,
});

const routes: readonly Route[] = [create, content, stream];

/** A document that tests walk through by path: every member of it is another one. */
interface Document extends Record<string, Document> {}

function document(): Document {
	const { http } = testServer(routes, {
		routeOwners: new Map(routes.map((route) => [route, 'things'])),
		publicUrl: 'https://media.test/ai/',
	});
	return http.openapi();
}

describe('the OpenAPI document', () => {
	it('is valid, whole and the one that is served', async () => {
		const result = await new Validator().validate(structuredClone(document()));
		expect(result.errors ?? []).toEqual([]);
		expect(result.valid).toBe(true);
		const { send, http } = testServer(routes);
		expect(await (await send('/openapi.json')).json()).toEqual(http.openapi());
	});

	it('says where it stands and who may call', () => {
		const doc = document();
		expect(doc.openapi).toMatch(/^3\.1\./);
		expect(doc.info).toEqual({ title: 'Test', version: '1.2.3' });
		expect(doc.servers).toEqual([{ url: 'https://media.test/ai' }]);
		expect(doc.security).toEqual([{ bearer: [] }, { apiKey: [] }]);
		expect(doc.components.securitySchemes).toEqual({
			bearer: { type: 'http', scheme: 'bearer' },
			apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
		});
		expect(doc.paths['/healthz'].get.security).toEqual([]);
		expect(doc.paths['/v1/things'].post.security).toEqual([]);
		expect(doc.paths['/v1/models'].get.security).toBeUndefined();
	});

	it('names every operation once, tagged by its owner', () => {
		const doc = document();
		const operations: Document[] = Object.values(doc.paths).flatMap((path) =>
			Object.values(path as object),
		);
		const ids = operations.map(({ operationId }) => operationId);
		expect(new Set(ids).size).toBe(ids.length);
		expect(doc.paths['/v1/things/{thing_id}/copies'].post).toMatchObject({
			operationId: 'post_v1_things_thing_id_copies',
			tags: ['things'],
			description: 'Copies it.\n\nNeeds the scope `things:write`.',
		});
		expect(doc.paths['/v1/things/{thing_id}/content'].get.tags).toEqual(['Downloads']);
		expect(doc.paths['/v1/models'].get.tags).toEqual(['system']);
	});

	it('says what a field means: bounds, defaults, integers and files', () => {
		const { requestBody, parameters } = document().paths['/v1/things/{thing_id}/copies'].post;
		expect(Object.keys(requestBody.content)).toEqual(['application/json', 'multipart/form-data']);
		expect(requestBody.required).toBe(true);
		expect(requestBody.description).toContain(
			'multipart/form-data: at most 1234 bytes, 17 files of 52428800 bytes',
		);
		const { schema } = requestBody.content['multipart/form-data'];
		expect(schema.required.toSorted()).toEqual(['image', 'prompt']);
		expect(schema.properties).toMatchObject({
			prompt: { type: 'string', minLength: 1, maxLength: 32_000 },
			n: { type: 'integer', minimum: 1, maximum: 10, default: 1 },
			image: {
				anyOf: [
					{ type: 'string', format: 'binary', contentMediaType: 'image/png' },
					{ type: 'array', items: { type: 'string', format: 'binary' } },
				],
			},
		});
		expect(parameters).toEqual([
			{ in: 'path', name: 'thing_id', required: true, schema: { type: 'string' } },
			{ in: 'query', name: 'dry', schema: { type: 'string', enum: ['true', 'false'] } },
		]);
	});

	it('groups errors by status, names their codes and shares one schema', () => {
		const { responses } = document().paths['/v1/things/{thing_id}/copies'].post;
		expect(Object.keys(responses)).toEqual([
			'201',
			'400',
			'401',
			'403',
			'404',
			'408',
			'413',
			'415',
			'500',
			'503',
		]);
		expect(responses['404'].description).toContain('`job_not_found`');
		expect(responses['404'].description).toContain('`model_not_found`');
		for (const [status, response] of Object.entries<Document>(responses)) {
			expect(response.headers['x-request-id']).toBeDefined();
			const ref = status === '201' ? 'Thing' : 'Error';
			expect(response.content['application/json'].schema).toEqual({
				$ref: `#/components/schemas/${ref}`,
			});
		}
		expect(document().components.schemas.Error.properties.error.required).toEqual([
			'message',
			'type',
			'param',
			'code',
		]);
	});

	it('lists media types and what ranges bring', () => {
		const { responses } = document().paths['/v1/things/{thing_id}/content'].get;
		expect(responses['200'].content).toEqual({
			'video/mp4': { schema: { type: 'string', format: 'binary' } },
		});
		expect(Object.keys(responses)).toEqual(expect.arrayContaining(['206', '304', '416']));
		const chat = document().paths['/v1/things'].post.responses['200'].content;
		expect(Object.keys(chat)).toEqual(['application/json', 'text/event-stream']);
	});
});
