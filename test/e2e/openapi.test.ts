import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Served, serveEmbedded } from '../support/serve.ts';

interface Schema {
	readonly enum?: readonly string[];
	readonly default?: unknown;
	readonly minLength?: number;
	readonly maxLength?: number;
	readonly minimum?: number;
	readonly maximum?: number;
	readonly type?: string;
}

interface Operation {
	readonly security?: readonly Readonly<Record<string, unknown>>[];
	readonly requestBody?: {
		readonly content: Readonly<Record<string, { readonly schema: { readonly $ref?: string } }>>;
	};
	readonly responses: Readonly<Record<string, unknown>>;
}

interface Document {
	readonly openapi: string;
	readonly servers: readonly { readonly url: string }[];
	readonly security: readonly Readonly<Record<string, unknown>>[];
	readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
	readonly components: {
		readonly schemas: Readonly<
			Record<string, { readonly properties: Readonly<Record<string, Schema>> }>
		>;
	};
}

const systemRoutes = [
	'GET /healthz',
	'GET /readyz',
	'GET /openapi.json',
	'GET /v1/models',
	'GET /v1/models/{id}',
];

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

	test('names the address of this server', () => {
		expect(document.servers).toEqual([{ url: served.url }]);
	});

	test('holds every route of the deployment, and no other', () => {
		const described = Object.entries(document.paths).flatMap(([path, operations]) =>
			Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
		);
		const routes = served.app.tree().parts.flatMap((part) => part.routes);
		expect(described.sort()).toEqual([...routes, ...systemRoutes].sort());
	});

	test('is what the app itself describes', () => {
		expect(served.app.openapi()).toEqual(document);
	});

	test('accepts either key scheme alone, and none on public routes', () => {
		expect(document.security.map((entry) => Object.keys(entry))).toEqual([['bearer'], ['apiKey']]);
		expect(document.paths['/healthz']?.get?.security).toEqual([]);
	});

	test('takes videos as multipart and as JSON', () => {
		const content = document.paths['/v1/videos']?.post?.requestBody?.content ?? {};
		expect(Object.keys(content).sort()).toEqual(['application/json', 'multipart/form-data']);
	});

	test('has the lengths and sizes of the interface, as strings with their defaults', () => {
		const { seconds, size } = bodyOf('/v1/videos');
		expect(seconds).toMatchObject({ type: 'string', enum: ['2', '4', '8', '12'], default: '4' });
		expect(size).toMatchObject({
			enum: ['720x1280', '1280x720', '1024x1792', '1792x1024', '640x480', '480x640'],
			default: '720x1280',
		});
	});

	test('has the limits of texts and numbers', () => {
		expect(bodyOf('/v1/videos').prompt).toMatchObject({ minLength: 1, maxLength: 32_000 });
		expect(bodyOf('/v1/audio/speech').input).toMatchObject({ minLength: 1, maxLength: 4_096 });
		expect(bodyOf('/v1/audio/speech').speed).toMatchObject({ minimum: 0.25, maximum: 4 });
	});

	test('lists the failures of a route', () => {
		const failures = Object.keys(document.paths['/v1/videos']?.post?.responses ?? {});
		expect(failures).toEqual(expect.arrayContaining(['201', '400', '401', '404', '413', '415']));
	});
});

function bodyOf(path: string): Readonly<Record<string, Schema>> {
	const content = document.paths[path]?.post?.requestBody?.content ?? {};
	const name = Object.values(content)[0]?.schema.$ref?.split('/').at(-1) ?? '';
	return document.components.schemas[name]?.properties ?? {};
}
