import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiDocument, escapePointer } from '../support/openapi/document.ts';
import { SchemaChecks } from '../support/openapi/schemas.ts';
import { type Served, serveEmbedded } from '../support/serve.ts';

interface Schema {
	readonly enum?: readonly (string | null)[];
	readonly default?: unknown;
	readonly minLength?: number;
	readonly maxLength?: number;
	readonly minimum?: number;
	readonly maximum?: number;
	readonly type?: string | readonly string[];
	readonly pattern?: string;
}

interface Operation {
	readonly operationId?: string;
	readonly summary?: string;
	readonly tags?: readonly string[];
	readonly parameters?: readonly { readonly name: string; readonly in: string }[];
	readonly security?: readonly Readonly<Record<string, unknown>>[];
	readonly requestBody?: {
		readonly content: Readonly<
			Record<string, { readonly schema: { readonly $ref?: string }; readonly encoding?: unknown }>
		>;
	};
	readonly responses: Readonly<Record<string, unknown>>;
}

interface Document {
	readonly openapi: string;
	readonly servers: readonly { readonly url: string }[];
	readonly security: readonly Readonly<Record<string, unknown>>[];
	readonly tags: readonly { readonly name: string }[];
	readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
	readonly components: {
		readonly schemas: Readonly<Record<string, { readonly properties: Readonly<Record<string, Schema>> }>>;
	};
}

const systemRoutes = ['GET /healthz', 'GET /readyz', 'GET /openapi.json', 'GET /v1/models', 'GET /v1/models/{id}'];

let served: Served;
let document: Document;

beforeAll(async () => {
	served = await serveEmbedded();
	document = (await (await fetch(`${served.url}/openapi.json`)).json()) as Document;
});

afterAll(() => served?.stop());

describe('/openapi.json', () => {
	test('is accepted by an independent validator', async () => {
		const { errors } = await new Validator().validate(structuredClone(document) as never);
		expect(errors ?? []).toEqual([]);
	});

	test('is OpenAPI 3.1', () => {
		expect(document.openapi).toMatch(/^3\.1\./);
	});

	test('contains the URL of this server', () => {
		expect(document.servers).toEqual([{ url: served.url }]);
	});

	test('contains every route of the deployment, and no other', () => {
		const described = Object.entries(document.paths).flatMap(([path, operations]) =>
			Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
		);
		const routes = served.app.tree().parts.flatMap((part) => part.routes);
		expect(described.sort()).toEqual([...routes, ...systemRoutes].sort());
	});

	test('equals the document of the app itself', () => {
		expect(served.app.openapi()).toEqual(document);
	});

	test('allows each key scheme on its own, and requires none on public routes', () => {
		expect(document.security.map((entry) => Object.keys(entry))).toEqual([['bearer'], ['apiKey']]);
		expect(document.paths['/healthz']?.get?.security).toEqual([]);
	});

	test.each(['/v1/videos', '/v1/images/edits'])('takes %s as multipart and as JSON', (path) => {
		const content = document.paths[path]?.post?.requestBody?.content ?? {};
		expect(Object.keys(content).sort()).toEqual(['application/json', 'multipart/form-data']);
	});

	test('has the lengths and sizes of the API, as strings with their defaults', () => {
		const { seconds, size } = bodyOf('/v1/videos');
		expect(seconds).toMatchObject({ type: 'string', enum: ['2', '4', '8', '12'], default: '4' });
		expect(size).toMatchObject({
			enum: ['720x1280', '1280x720', '1024x1792', '1792x1024', '640x480', '480x640'],
			default: '720x1280',
		});
	});

	test('has the sizes and qualities of the API, and additional ones', () => {
		const [edit, generation] = [bodyOf('/v1/images/edits'), bodyOf('/v1/images/generations')];
		const quality = ['auto', 'low', 'medium', 'high'];
		expect(edit.quality).toMatchObject({ enum: quality, default: 'auto' });
		expect(generation.quality?.enum).toEqual(expect.arrayContaining([...quality, 'hd']));
		const sizes = ['auto', '1024x1024', '1536x1024', '1024x1536'];
		expect(edit.size).toEqual(generation.size);
		expect(generation.size).toMatchObject({ type: 'string', default: 'auto' });
		const pattern = new RegExp(generation.size?.pattern ?? 'x^');
		expect([...sizes, '64x64', '3840x2160'].filter((size) => !pattern.test(size))).toEqual([]);
	});

	test('has the numbers and booleans of forms with their bounds and defaults', () => {
		for (const path of ['/v1/images/edits', '/v1/images/generations']) {
			const { n, stream, partial_images, output_compression, num_inference_steps } = bodyOf(path);
			expect(n).toMatchObject({ type: 'integer', minimum: 1, maximum: 10, default: 1 });
			expect(stream).toMatchObject({ type: 'boolean', default: false });
			expect(partial_images).toMatchObject({ type: 'integer', minimum: 0, maximum: 3, default: 0 });
			expect(output_compression).toMatchObject({ minimum: 0, maximum: 100, default: 100 });
			expect(num_inference_steps).toMatchObject({ type: 'integer', minimum: 1, maximum: 50 });
		}
	});

	test('has the limits of texts and numbers', () => {
		expect(bodyOf('/v1/images/edits').prompt).toMatchObject({ minLength: 1, maxLength: 32_000 });
		expect(bodyOf('/v1/videos').prompt).toMatchObject({ minLength: 1, maxLength: 32_000 });
		expect(bodyOf('/v1/audio/speech').input).toMatchObject({ minLength: 1, maxLength: 4_096 });
		expect(bodyOf('/v1/audio/speech').speed).toMatchObject({ minimum: 0.25, maximum: 4 });
	});

	test('names every operation once, with a summary and a tag that the document declares', () => {
		const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
		const ids = operations.map(({ operationId }) => operationId);
		expect(new Set(ids).size).toBe(operations.length);
		const declared = document.tags.map(({ name }) => name);
		for (const { operationId, summary, tags = [] } of operations) {
			expect({ operationId, summary, tags }).toEqual({
				operationId: expect.stringMatching(/^[a-z][a-z0-9_]*$/),
				summary: expect.stringMatching(/^[A-Z].{5,80}$/),
				tags: [expect.toBeOneOf(declared)],
			});
		}
	});

	test('has examples that its own schemas allow', () => {
		const checks = new SchemaChecks(new ApiDocument(document), 'json');
		const found = examplesIn(document, '#');
		const homes = found.map(({ pointer }) => pointer.split('/').at(-1));
		expect(homes).toEqual(
			expect.arrayContaining([
				'VideoCreate',
				'VideoCreateJson',
				'VideoRemix',
				'SpeechCreate',
				'ImageGeneration',
				'ImageEdit',
				'ImageEditJson',
				'Error',
			]),
		);
		const wrong = found.flatMap(({ pointer, example }) =>
			checks
				.at(pointer)(example)
				.map((problem) => `${pointer}: ${problem}`),
		);
		expect(wrong).toEqual([]);
	});

	test('describes no file in JSON, and the form encoding of an object', () => {
		const { content = {} } = document.paths['/v1/videos']?.post?.requestBody ?? {};
		const json = content['application/json']?.schema.$ref?.split('/').at(-1) ?? '';
		expect(document.components.schemas[json]?.properties.input_reference).toMatchObject({
			oneOf: [{ type: 'object', required: ['image_url'] }, { type: 'object', required: ['file_id'] }, { type: 'null' }],
		});
		expect(JSON.stringify(document.components.schemas[json])).not.toContain('binary');
		expect(content['multipart/form-data']?.encoding).toEqual({
			input_reference: { style: 'deepObject', explode: true },
		});
	});

	test('describes no file in JSON for a body with many files', () => {
		const { content = {} } = document.paths['/v1/images/edits']?.post?.requestBody ?? {};
		const names = ['application/json', 'multipart/form-data'].map((type) =>
			content[type]?.schema.$ref?.split('/').at(-1),
		);
		const texts = names.map((name) => JSON.stringify(document.components.schemas[name ?? '']));
		expect(texts.map((text) => text.includes('binary'))).toEqual([false, true]);
	});

	test('allows additional members in responses', () => {
		for (const name of ['Video', 'VideoList', 'Images', 'Model', 'Error']) {
			expect(document.components.schemas[name]).not.toHaveProperty('additionalProperties');
		}
	});

	test.each([
		['Idempotency-Key', 'a retry is recognised', ['post /v1/videos', 'post /v1/videos/{id}/remix']],
		['Last-Event-ID', 'a stream resumes', ['get /v1/events', 'get /v1/videos/{id}/events']],
	])('documents %s where %s, and nowhere else', (header, _sentence, wanted) => {
		const taking = Object.entries(document.paths).flatMap(([path, operations]) =>
			Object.entries(operations)
				.filter(([, { parameters = [] }]) => parameters.some(({ name }) => name === header))
				.map(([method]) => `${method} ${path}`),
		);
		expect(taking.sort()).toEqual(wanted);
	});

	test('documents no other request header', () => {
		const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
		const headers = operations.flatMap(({ parameters = [] }) => parameters).filter((each) => each.in === 'header');
		expect([...new Set(headers.map(({ name }) => name))].sort()).toEqual(['Idempotency-Key', 'Last-Event-ID']);
	});

	test('describes the response of the readiness probe when not ready', () => {
		expect(Object.keys(document.paths['/readyz']?.get?.responses ?? {})).toContain('503');
	});

	test('lists the error statuses of a route', () => {
		const failures = Object.keys(document.paths['/v1/videos']?.post?.responses ?? {});
		expect(failures).toEqual(
			expect.arrayContaining('201 400 401 403 404 408 413 415 422 429 500 503 504 507'.split(' ')),
		);
	});
});

function bodyOf(path: string): Readonly<Record<string, Schema>> {
	const content = document.paths[path]?.post?.requestBody?.content ?? {};
	const name = Object.values(content)[0]?.schema.$ref?.split('/').at(-1) ?? '';
	return withoutNull(document.components.schemas[name]?.properties ?? {});
}

/** The members of a JSON body without `null`, which every optional member may be. */
function withoutNull(properties: Readonly<Record<string, Schema>>): Readonly<Record<string, Schema>> {
	const members = Object.entries(properties).map(([name, member]) => {
		const { type, enum: values } = member;
		const [only] = [type ?? []].flat();
		return [name, { ...member, ...(only && { type: only }), ...(values && { enum: values.filter(Boolean) }) }];
	});
	return Object.fromEntries(members);
}

/** Every example of a schema, with the JSON pointer of that schema. */
function examplesIn(node: unknown, pointer: string): { pointer: string; example: unknown }[] {
	if (typeof node !== 'object' || node === null) return [];
	const { example, examples, schema } = node as Record<string, unknown>;
	const own = [...(Array.isArray(examples) ? examples : []), ...(example === undefined ? [] : [example])];
	const home = schema === undefined ? pointer : `${pointer}/schema`;
	return [
		...own.map((each) => ({ pointer: home, example: each })),
		...Object.entries(node).flatMap(([key, inner]) =>
			key === 'examples' || key === 'example' ? [] : examplesIn(inner, `${pointer}/${escapePointer(key)}`),
		),
	];
}
