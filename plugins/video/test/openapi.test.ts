import { videoSizes as sizes } from '@plinth/toolkit';
import { describe, expect, it } from 'vitest';
import { harness } from './harness.ts';

interface Schema {
	readonly type?: string;
	readonly enum?: readonly unknown[];
	readonly default?: unknown;
	readonly minLength?: number;
	readonly maxLength?: number;
	readonly pattern?: string;
	readonly minimum?: number;
	readonly maximum?: number;
	readonly required?: readonly string[];
	readonly properties?: Readonly<Record<string, Schema>>;
}
interface Operation {
	readonly parameters?: readonly { readonly name: string; readonly schema: Schema }[];
	readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
	readonly responses: Readonly<Record<string, unknown>>;
	readonly description?: string;
}
interface Document {
	readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
	readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

async function document(): Promise<Document> {
	const { app } = await harness();
	return app.openapi() as Document;
}

describe('the OpenAPI description', () => {
	it('has all routes with their scopes and responses', async () => {
		const { paths } = await document();
		const statuses = (path: string, method: string) => Object.keys(paths[path]?.[method]?.responses ?? {});
		expect(statuses('/v1/videos', 'post')).toEqual(
			expect.arrayContaining(['201', '400', '401', '403', '404', '413', '415', '422']),
		);
		expect(statuses('/v1/videos', 'get')).toEqual(expect.arrayContaining(['200', '400', '401']));
		expect(statuses('/v1/videos/{id}', 'get')).toEqual(expect.arrayContaining(['200', '404']));
		expect(statuses('/v1/videos/{id}', 'delete')).toEqual(expect.arrayContaining(['200', '404']));
		expect(statuses('/v1/videos/{id}/content', 'get')).toEqual(
			expect.arrayContaining(['200', '206', '304', '404', '416']),
		);
		expect(statuses('/v1/videos/{id}/remix', 'post')).toEqual(expect.arrayContaining(['201', '400', '404']));
		for (const path of ['/v1/videos/edits', '/v1/videos/extensions', '/v1/videos/characters']) {
			expect(statuses(path, 'post')).toContain('404');
		}
		expect(paths['/v1/videos']?.post?.description).toContain('videos:write');
	});

	it('documents the fields of a new video', async () => {
		const { components, paths } = await document();
		const { required, properties = {} } = components.schemas.VideoCreate ?? {};
		expect([...(required ?? [])].sort()).toEqual(['model', 'prompt']);
		expect(properties.prompt).toMatchObject({
			type: 'string',
			minLength: 1,
			maxLength: 32_000,
			pattern: '\\S',
		});
		expect(properties.seconds).toMatchObject({
			type: 'string',
			enum: ['2', '4', '8', '12'],
			default: '4',
		});
		expect(properties.size).toMatchObject({ enum: [...sizes], default: '720x1280' });
		expect(Object.keys(paths['/v1/videos']?.post?.requestBody?.content ?? {}).sort()).toEqual([
			'application/json',
			'multipart/form-data',
		]);
	});

	it('documents the responses: all members except url and warnings are required', async () => {
		const { components } = await document();
		const { required = [], properties = {} } = components.schemas.Video ?? {};
		expect([...required, 'url', 'warnings'].sort()).toEqual(Object.keys(properties).sort());
		expect(properties.status).toMatchObject({
			enum: ['queued', 'in_progress', 'completed', 'failed'],
		});
		expect(Object.keys(components.schemas)).toEqual(expect.arrayContaining(['VideoList', 'VideoDeleted']));
	});

	it('documents the limits of the list query', async () => {
		const { paths } = await document();
		const parameters = paths['/v1/videos']?.get?.parameters ?? [];
		const limit = parameters.find(({ name }) => name === 'limit');
		expect(limit?.schema).toMatchObject({ type: 'integer', minimum: 0, maximum: 100, default: 20 });
		expect(parameters.map(({ name }) => name).sort()).toEqual(['after', 'limit', 'order']);
	});
});
