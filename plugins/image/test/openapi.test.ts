import { describe, expect, it } from 'vitest';
import { harness } from './harness.ts';

interface Schema {
	readonly type?: string | readonly string[];
	readonly format?: string;
	readonly pattern?: string;
	readonly enum?: readonly unknown[];
	readonly default?: unknown;
	readonly minimum?: number;
	readonly maximum?: number;
	readonly description?: string;
	readonly required?: readonly string[];
	readonly oneOf?: readonly Schema[];
	readonly items?: Schema;
	readonly properties?: Readonly<Record<string, Schema>>;
	readonly examples?: readonly unknown[];
}
interface Content {
	readonly schema: { readonly $ref?: string };
}
interface Operation {
	readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
	readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
	readonly description?: string;
	readonly security?: readonly unknown[];
}
interface Document {
	readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
	readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** The members of a body, without the `null` that optional members of a JSON body accept. */
function membersOf({ properties = {} }: Schema = {}): Readonly<Record<string, Schema>> {
	const members = Object.entries(properties).map(([name, member]) => {
		const { type, enum: values } = member;
		const [only] = [type ?? []].flat();
		return [name, { ...member, ...(only && { type: only }), ...(values && { enum: values.filter(Boolean) }) }];
	});
	return Object.fromEntries(members);
}

async function document(): Promise<Document> {
	const { app } = await harness();
	return app.openapi() as Document;
}

describe('the OpenAPI description', () => {
	it('has all routes with their responses', async () => {
		const { paths } = await document();
		const answers = (path: string, method: string) => paths[path]?.[method]?.responses ?? {};
		for (const path of ['/v1/images/generations', '/v1/images/edits']) {
			expect(Object.keys(answers(path, 'post'))).toEqual(
				expect.arrayContaining(['200', '400', '401', '403', '404', '413', '415', '502']),
			);
			expect(Object.keys(answers(path, 'post')['200']?.content ?? {}).sort()).toEqual([
				'application/json',
				'text/event-stream',
			]);
			expect(paths[path]?.post?.description).toContain('`images`');
		}
		const download = '/v1/images/results/{name}';
		expect(Object.keys(answers(download, 'get'))).toEqual(expect.arrayContaining(['200', '206', '304', '404', '416']));
		expect(paths[download]?.get?.security).toEqual([]);
	});

	it('has the members of both operations', async () => {
		const { schemas } = (await document()).components;
		for (const name of ['ImageGeneration', 'ImageEdit', 'ImageEditJson']) {
			const { required } = schemas[name] ?? {};
			const properties = membersOf(schemas[name]);
			expect([...(required ?? [])].sort()).toEqual(['model', 'prompt']);
			const integer = (minimum: number, maximum: number, preset?: number) => ({
				type: 'integer',
				minimum,
				maximum,
				...(preset === undefined ? {} : { default: preset }),
			});
			expect(properties).toMatchObject({
				prompt: { type: 'string', minLength: 1, maxLength: 32_000, pattern: '\\S' },
				n: integer(1, 10, 1),
				background: { enum: ['auto', 'transparent', 'opaque'], default: 'auto' },
				output_format: { enum: ['png', 'jpeg', 'webp'], default: 'png' },
				output_compression: integer(0, 100, 100),
				moderation: { enum: ['auto', 'low'], default: 'auto' },
				num_inference_steps: integer(1, 50),
				partial_images: integer(0, 3, 0),
				response_format: { enum: ['b64_json', 'url'], default: 'b64_json' },
				stream: { type: 'boolean', default: false },
				seed: integer(0, 4_294_967_295),
			});
			for (const [field, { description }] of Object.entries(properties)) {
				expect([name, field, description?.length ?? 0]).not.toEqual([name, field, 0]);
			}
		}
	});

	it('has the enumerations of each operation', async () => {
		const { schemas } = (await document()).components;
		expect(membersOf(schemas.ImageGeneration)).toMatchObject({
			size: { type: 'string', default: 'auto' },
			quality: {
				enum: ['auto', 'low', 'medium', 'high', 'xhigh', 'max', 'standard', 'hd'],
				default: 'auto',
			},
			style: { enum: ['vivid', 'natural'] },
		});
		expect(schemas.ImageEditJson?.properties?.size).toEqual(schemas.ImageGeneration?.properties?.size);
		expect(schemas.ImageEdit?.properties).toMatchObject({
			quality: { enum: ['auto', 'low', 'medium', 'high'], default: 'auto' },
			input_fidelity: { enum: ['low', 'high'], default: 'low' },
		});
		expect(schemas.ImageEdit?.properties).not.toHaveProperty('style');
	});

	it('has files in forms, and objects with data URLs or ids in JSON', async () => {
		const { paths, components } = await document();
		const { content } = paths['/v1/images/edits']?.post?.requestBody ?? {};
		const nameOf = (type: string) => content?.[type]?.schema.$ref?.split('/').at(-1) ?? '';
		const form = components.schemas[nameOf('multipart/form-data')]?.properties ?? {};
		const json = components.schemas[nameOf('application/json')]?.properties ?? {};
		const binary = { type: 'string', format: 'binary' };
		expect(form.mask?.oneOf).toContainEqual(binary);
		expect(form.image?.oneOf).toContainEqual(binary);
		expect(form.image?.oneOf?.map(({ items }) => items)).toContainEqual(binary);
		expect(JSON.stringify(json)).not.toContain('binary');
		const members = (forms: readonly Schema[] = []) => forms.map(({ properties = {} }) => Object.keys(properties));
		expect(members(json.images?.items?.oneOf)).toEqual([['image_url'], ['file_id']]);
		expect(members(json.mask?.oneOf)).toEqual([['image_url'], ['file_id'], []]);
		expect(components.schemas.ImageEdit?.oneOf).toEqual([{ required: ['image'] }, { required: ['images'] }]);
	});

	it('has the members of the response', async () => {
		const { schemas } = (await document()).components;
		const { required = [], properties = {} } = schemas.Images ?? {};
		expect(Object.keys(properties)).toEqual(expect.arrayContaining([...required]));
		expect([...required].sort()).toEqual(
			['created', 'data', 'filtered_count', 'output_format', 'quality', 'usage'].sort(),
		);
		expect(schemas.ImageUsage?.required).toContain('input_tokens_details');
		expect(schemas.ImageGeneration?.examples?.length).toBeGreaterThan(0);
	});
});
