import { apiKeys } from '@plinth/keys';
import { silentLogger } from '@plinth/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { type AppConfig, BootError, codePoints, createApp, definePlugin, defineRoute } from '../../src/index.ts';
import { noise, toy, toyKind } from './support.ts';

const key = 'key-of-the-tests';
const body = z
	.object({ model: codePoints({ min: 1 }).meta({ description: 'A toy.' }), size: z.number().optional() })
	.refine(({ size = 0 }) => size < 10, 'too large')
	.meta({ id: 'ToyCreate' });

const consumer = definePlugin({
	id: 'consumer',
	config: z.strictObject({}),
	models: [toyKind],
	setup: ({ route }) =>
		route(
			defineRoute({
				method: 'POST',
				path: '/v1/toys',
				scope: 'toys',
				summary: 'Ask a toy',
				body,
				encoding: ['json', 'multipart'],
				response: { description: 'The name of the model.' },
				errors: [],
				handler: ({ body: { model } }) => ({ model }),
			}),
		),
});

async function boot(plugin: NonNullable<AppConfig['plugins']>[string]) {
	const backends = { auth: apiKeys({ keys: key }) };
	const models = { a: { use: toy(), aliases: ['ay'] }, other: noise() };
	const deaf = definePlugin({
		id: 'deaf',
		config: z.strictObject({}),
		models: [{ ...toyKind, name: 'noise' }],
		setup: () => {},
	});
	const config = { backends, models, plugins: { consumer: plugin, deaf: deaf() } };
	const app = await createApp(config, { log: silentLogger(), env: { DEFAULT: 'ay' } });
	onTestFinished(() => app.stop());
	const post = async (init: RequestInit) => {
		const headers = { ...(init.headers as Record<string, string>), 'x-api-key': key };
		const answer = await app.fetch(new Request('http://plinth.test/v1/toys', { method: 'POST', ...init, headers }));
		return { status: answer.status, body: await answer.json() };
	};
	const json = (value: object) =>
		post({ body: JSON.stringify(value), headers: { 'content-type': 'application/json' } });
	return { app, post, json };
}

describe('a plugin with a default model', () => {
	test('uses it for requests without a model, in JSON and in forms', async () => {
		const { json, post } = await boot({ use: consumer(), defaultModel: '${DEFAULT}' });
		const answered = (model: string) => ({ status: 200, body: { model } });
		expect(await json({})).toEqual(answered('ay'));
		expect(await json({ model: null })).toEqual(answered('ay'));
		expect(await json({ model: 'a' })).toEqual(answered('a'));
		const form = new FormData();
		form.append('unknown', 'x');
		expect(await post({ body: form })).toEqual(answered('ay'));
	});

	test('still checks the rest of the body, and a model that the request names', async () => {
		const { json } = await boot({ use: consumer(), defaultModel: 'a' });
		expect(await json({ model: '' })).toMatchObject({ status: 400, body: { error: { param: 'model' } } });
		expect(await json({ size: 10 })).toMatchObject({ status: 400 });
	});

	test('documents it in the OpenAPI document', async () => {
		const { app } = await boot({ use: consumer(), defaultModel: 'a' });
		const { components } = app.openapi() as { components: { schemas: Record<string, object> } };
		expect(components.schemas.ToyCreate).not.toHaveProperty('required');
		expect(components.schemas.ToyCreate).toMatchObject({
			properties: { model: { default: 'a', description: 'A toy.' } },
		});
	});
});

test('without a default model, a request must name one', async () => {
	const { json, app } = await boot(consumer());
	expect(await json({})).toMatchObject({ status: 400, body: { error: { param: 'model' } } });
	const { components } = app.openapi() as { components: { schemas: Record<string, object> } };
	expect(components.schemas.ToyCreate).toMatchObject({ required: ['model'] });
});

test.each([
	['is not there', 'b', 'E_CONFIG_SHAPE', 'there is no such model'],
	['is of another kind', 'other', 'E_MODEL_KIND', 'other, a noise model'],
])('a default model that %s is refused at boot', async (_what, defaultModel, code, words) => {
	const failure = await boot({ use: consumer(), defaultModel }).catch((error: unknown) => error);
	expect(failure).toBeInstanceOf(BootError);
	expect((failure as BootError).problems).toMatchObject([
		{ code, owner: 'plugin consumer', path: 'plugins.consumer.defaultModel', message: expect.stringContaining(words) },
	]);
});
