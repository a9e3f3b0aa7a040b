import { describe, expect, it } from 'vitest';
import { harness } from './harness.ts';

interface Schema {
	readonly type?: string;
	readonly format?: string;
	readonly enum?: readonly unknown[];
	readonly minimum?: number;
	readonly maximum?: number;
	readonly default?: unknown;
	readonly required?: readonly string[];
	readonly properties?: Readonly<Record<string, Schema>>;
}
interface Operation {
	readonly description?: string;
	readonly parameters?: readonly { readonly name: string; readonly schema: Schema }[];
	readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
	readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}
interface Document {
	readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
	readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const document = async () => (await harness()).app.openapi() as Document;

describe('the OpenAPI description', () => {
	it('has all routes with their scopes and responses', async () => {
		const { paths } = await document();
		const found = (path: string, method: string) => {
			const { description = '', responses = {} } = paths[path]?.[method] ?? {};
			return [/`(files:\w+)`/.exec(description)?.[1], ...Object.keys(responses)];
		};
		const one = '/v1/files/{id}';
		expect(found('/v1/files', 'post')).toEqual(
			expect.arrayContaining(['files:write', '200', '400', '403', '413', '415', '503', '507']),
		);
		expect(found('/v1/files', 'get')).toEqual(expect.arrayContaining(['files:read', '200', '400']));
		expect(found(one, 'get')).toEqual(expect.arrayContaining(['files:read', '200', '404']));
		expect(found(one, 'delete')).toEqual(expect.arrayContaining(['files:write', '200', '404']));
		expect(found(`${one}/content`, 'get')).toEqual(
			expect.arrayContaining(['files:read', '200', '206', '304', '404', '416']),
		);
	});

	it('has the form of an upload', async () => {
		const { paths, components } = await document();
		expect(Object.keys(paths['/v1/files']?.post?.requestBody?.content ?? {})).toEqual(['multipart/form-data']);
		const { required, properties = {} } = components.schemas.FileCreate ?? {};
		expect(required?.toSorted()).toEqual(['file', 'purpose']);
		expect(properties.file).toMatchObject({ type: 'string', format: 'binary' });
		expect(properties.purpose?.enum).toContain('user_data');
		expect(properties.expires_after?.properties?.seconds).toMatchObject({
			type: 'integer',
			minimum: 3_600,
			maximum: 2_592_000,
		});
	});

	it('has the parameters of a list', async () => {
		const parameters = (await document()).paths['/v1/files']?.get?.parameters ?? [];
		const of = (name: string) => parameters.find((each) => each.name === name)?.schema;
		expect(parameters.map(({ name }) => name).toSorted()).toEqual(['after', 'limit', 'order', 'purpose']);
		expect(of('limit')).toMatchObject({ minimum: 1, maximum: 10_000, default: 10_000 });
		expect(of('order')).toMatchObject({ enum: ['asc', 'desc'], default: 'desc' });
	});
});
