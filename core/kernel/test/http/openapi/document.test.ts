import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { errors } from '../../../src/contract/errors/errors.ts';
import { defineRoute, type Route } from '../../../src/contract/http/route.ts';
import { fileField } from '../../../src/contract/http/upload.ts';
import { version } from '../../../src/contract/version.ts';
import { codePoints } from '../../../src/http/validation/validate.ts';
import { testServer } from '../support.ts';

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
		image: z.union([fileField(), z.array(fileField())]),
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

interface Answer {
	readonly description: string;
	readonly headers: Readonly<Record<string, unknown>>;
	readonly content: Readonly<Record<string, { readonly schema: object }>>;
}

interface Operation {
	readonly operationId: string;
	readonly tags: readonly string[];
	readonly security?: unknown;
	readonly parameters: unknown;
	readonly requestBody: Answer & { readonly required: boolean };
	readonly responses: Readonly<Record<string, Answer>>;
}

interface Document {
	readonly openapi: string;
	readonly info: unknown;
	readonly servers: unknown;
	readonly security: unknown;
	readonly components: {
		readonly securitySchemes: unknown;
		readonly schemas: Record<string, object>;
	};
	readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

function describeTest(): Document {
	const { http } = testServer(routes, {
		owners: new Map(routes.map((route) => [route, 'things'])),
		publicUrl: 'https://media.test/ai/',
	});
	return http.openapi() as Document;
}

const document = describeTest();

function operation(method: string, path: string): Operation {
	const found = document.paths[path]?.[method];
	if (!found) throw new Error(`${method} ${path} is not described.`);
	return found;
}

const copies = operation('post', '/v1/things/{thing_id}/copies');
const download = operation('get', '/v1/things/{thing_id}/content');
const chat = operation('post', '/v1/things');

describe('the OpenAPI document', () => {
	it('is valid, complete and equal to the served one', async () => {
		const result = await new Validator().validate({ ...document });
		expect(result.errors ?? []).toEqual([]);
		expect(result.valid).toBe(true);
		const { send, http } = testServer(routes);
		expect(await (await send('/openapi.json')).json()).toEqual({
			...http.openapi(),
			servers: [{ url: 'http://plinth.test' }],
		});
	});

	it('has the server URL and the security schemes', () => {
		expect(document.openapi).toMatch(/^3\.1\./);
		expect(document.info).toMatchObject({ title: 'Plinth', version });
		expect(document.servers).toEqual([{ url: 'https://media.test/ai' }]);
		expect(document.security).toEqual([{ bearer: [] }, { apiKey: [] }]);
		expect(document.components.securitySchemes).toEqual({
			bearer: { type: 'http', scheme: 'bearer' },
			apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
		});
		expect(operation('get', '/healthz').security).toEqual([]);
		expect(chat.security).toEqual([]);
		expect(operation('get', '/v1/models').security).toBeUndefined();
	});

	it('names every operation once, tagged by its owner', () => {
		const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
		const ids = operations.map(({ operationId }) => operationId);
		expect(new Set(ids).size).toBe(ids.length);
		expect(copies).toMatchObject({
			operationId: 'post_v1_things_thing_id_copies',
			tags: ['things'],
			description: 'Copies it.\n\nNeeds the scope `things:write`.',
		});
		expect(download.tags).toEqual(['things']);
		expect(operation('get', '/v1/models').tags).toEqual(['system']);
	});

	it('describes fields: bounds, defaults, integers and files', () => {
		const { requestBody, parameters } = copies;
		expect(Object.keys(requestBody.content)).toEqual(['application/json', 'multipart/form-data']);
		expect(requestBody.required).toBe(true);
		expect(requestBody.description).toContain('multipart/form-data: at most 1234 bytes, 17 files of 52428800 bytes');
		const required = ['prompt', 'image'];
		const properties = {
			prompt: { type: 'string', minLength: 1, maxLength: 32_000 },
			n: { type: 'integer', minimum: 1, maximum: 10, default: 1 },
			image: {
				anyOf: [
					{ type: 'string', format: 'binary' },
					{ type: 'array', items: { type: 'string', format: 'binary' } },
				],
			},
		};
		expect(requestBody.content['multipart/form-data']?.schema).toMatchObject({
			required,
			properties,
		});
		expect(parameters).toEqual([
			{ in: 'path', name: 'thing_id', required: true, schema: { type: 'string' } },
			{ in: 'query', name: 'dry', schema: { type: 'string', enum: ['true', 'false'] } },
		]);
	});

	it('promises in JSON only types that JSON has', () => {
		const json = copies.requestBody.content['application/json']?.schema as {
			readonly required: readonly string[];
			readonly properties: Readonly<Record<string, object>>;
		};
		expect(json.required).toEqual(['prompt']);
		expect(Object.keys(json.properties)).toEqual(['prompt', 'n', 'reference']);
		expect(json.properties.reference).toEqual({
			type: ['object', 'null'],
			properties: { file_id: { type: 'string' } },
			required: ['file_id'],
		});
		expect(copies.requestBody.content['multipart/form-data']).toMatchObject({
			encoding: { reference: { style: 'deepObject', explode: true } },
		});
	});

	it('marks nullable members of JSON bodies, and does not change forms and responses', () => {
		const part = z.object({ note: z.string().optional() }).meta({ id: 'NotedPart' });
		const body = z.object({
			name: z.string(),
			kind: z.enum(['a', 'b']).default('a'),
			choice: z.union([z.string(), z.number()]).optional(),
			nothing: z.string().nullish(),
			anything: z.unknown().optional(),
			part: part.optional(),
			parts: z.array(part).optional(),
		});
		const route = (path: `/${string}`, encoding: 'json' | 'multipart') =>
			defineRoute({ ...stream, path, body: body.meta({ id: `Noted${encoding}` }), encoding, handler: () => undefined });
		const { components } = testServer([route('/j', 'json'), route('/m', 'multipart')]).http.openapi() as Document;
		const { Notedjson, Notedmultipart } = components.schemas as Record<string, { properties: Record<string, unknown> }>;
		expect(Notedjson?.properties).toEqual({
			name: { type: 'string' },
			kind: { type: ['string', 'null'], enum: ['a', 'b', null], default: 'a' },
			choice: { type: ['string', 'number', 'null'] },
			nothing: { type: ['string', 'null'] },
			anything: {},
			part: { anyOf: [{ $ref: '#/components/schemas/NotedPart' }, { type: 'null' }] },
			parts: { type: ['array', 'null'], items: { $ref: '#/components/schemas/NotedPart' } },
		});
		expect(components.schemas.NotedPart).toMatchObject({ properties: { note: { type: ['string', 'null'] } } });
		expect(Notedmultipart?.properties.kind).toEqual({ type: 'string', enum: ['a', 'b'], default: 'a' });
	});

	it('groups errors by status, names their codes and shares one schema', () => {
		const { responses } = copies;
		expect(Object.keys(responses)).toEqual([
			'201',
			'400',
			'401',
			'403',
			'404',
			'408',
			'413',
			'415',
			'429',
			'500',
			'503',
			'504',
		]);
		expect(responses['404']?.description).toContain('`job_not_found`');
		expect(responses['404']?.description).toContain('`model_not_found`');
		for (const [status, response] of Object.entries(responses)) {
			expect(response.headers['x-request-id']).toBeDefined();
			const ref = status === '201' ? 'Thing' : 'Error';
			expect(response.content['application/json']?.schema).toEqual({
				$ref: `#/components/schemas/${ref}`,
			});
		}
		expect(document.components.schemas.Error).toMatchObject({
			properties: { error: { required: ['message', 'type', 'param', 'code'] } },
		});
	});

	it('lists media types and range responses', () => {
		const { responses } = download;
		expect(responses['200']?.content).toEqual({
			'video/mp4': { schema: { type: 'string', format: 'binary' } },
		});
		expect(Object.keys(responses)).toEqual(expect.arrayContaining(['206', '304', '416']));
		expect(Object.keys(chat.responses['200']?.content ?? {})).toEqual(['application/json', 'text/event-stream']);
	});
});
