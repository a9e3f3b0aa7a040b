import { apiKeys } from '@plinth/keys';
import { silentLogger } from '@plinth/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type AppConfig, BootError, createApp } from '../../src/index.ts';
import { noise, toy, toyPlugin } from './support.ts';

const backends = { auth: apiKeys({ keys: 'key-of-the-tests' }) };

async function boot(config: object) {
	const plugins = { toys: toyPlugin().plugin() };
	const app = await createApp({ backends, plugins, ...config } as AppConfig, { log: silentLogger(), env: {} });
	onTestFinished(() => app.stop());
	return app;
}

async function problemsOf(groups: object, models: object = { a: toy(), b: noise(), p: { balance: { a: 1 } } }) {
	const error = await boot({ models, groups }).then(
		() => undefined,
		(thrown: unknown) => thrown,
	);
	if (error !== undefined && !(error instanceof BootError)) throw error;
	return (error?.problems ?? []).map(({ owner, path, message }) => `${owner}, ${path}: ${message}`);
}

describe('groups in a config', () => {
	test('may contain models of several kinds, with sizes as numbers and texts', async () => {
		const models = { a: { use: toy(), memory: '1.5GB' }, b: { use: noise(), memory: 512 * 1_024 ** 2 } };
		const app = await boot({ models, groups: { card: { memory: '2 GiB', models: ['a', 'b'], idleSeconds: '60' } } });
		const headers = { authorization: 'Bearer key-of-the-tests' };
		const listed = await app.fetch(new Request('http://plinth.test/v1/models/a', { headers }));
		expect(await listed.json()).toMatchObject({ group: { id: 'card', state: 'unloaded', waiting: 0 } });
	});

	test.each([
		['neither', { models: ['a'] }, 'group card, groups.card: needs either exclusive: true or memory.'],
		['both', { models: ['a'], exclusive: true, memory: 1 }, 'groups.card: needs either exclusive: true or memory.'],
		['no models', { models: [], exclusive: true }, 'groups.card.models'],
		['a wrong name', { models: ['x'], exclusive: true }, 'groups.card.models[0]: names x, and there is no model'],
		['a name of every object', { models: ['constructor'], exclusive: true }, 'and there is no model with that id.'],
		['a pool', { models: ['p'], exclusive: true }, 'groups.card.models[0]: names p, which is a pool.'],
		['a model twice', { models: ['a', 'a'], exclusive: true }, 'names a, which is in group card already.'],
		['a model without memory', { models: ['a'], memory: '1GB' }, 'names a, which has no memory setting.'],
		['no size', { models: ['a'], memory: 'much' }, 'groups.card.memory: must be a size such as 24GB or 512MB'],
		['an unknown option', { models: ['a'], exclusive: true, size: 1 }, 'groups.card'],
	])('with %s are refused', async (_, card, message) => {
		expect(await problemsOf({ card })).toContainEqual(expect.stringContaining(message));
	});

	test('refuse a model that needs more memory than the group has', async () => {
		const models = { a: { use: toy(), memory: '2GB' }, b: noise() };
		const [problem] = await problemsOf({ card: { models: ['a'], memory: '1GB' } }, models);
		expect(problem).toContain('names a, which needs more memory than the group has.');
	});

	test('report a memory setting without effect', async () => {
		const models = { a: { use: toy(), memory: '2GB' } };
		expect(await problemsOf({}, models)).toEqual([expect.stringContaining('models.a.memory: has no effect')]);
	});
});
