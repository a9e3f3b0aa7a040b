import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { resolveConfig } from '../../src/engine/config/resolve.ts';
import { type AppConfig, definePlugin } from '../../src/index.ts';
import { toy, toyPlugin } from '../models/support.ts';

const options = z.strictObject({ hours: z.number().default(1), size: z.number().default(1) });
const shop = definePlugin({ id: 'shop', config: options, setup: () => {} });
const preset: AppConfig = {
	backends: {
		blobs: { use: '@plinth/memory#memoryBlobs', with: {} },
		records: { use: '@plinth/memory#memoryRecords' },
	},
	models: { a: toy(), b: { use: toy(), aliases: ['bee'], concurrency: 2 }, all: { balance: { a: 1, b: 1 } } },
	plugins: { toys: toyPlugin().plugin(), shop: shop({ hours: 2, size: 3 }) },
};

const resolved = (config: AppConfig, env: Record<string, string> = {}) =>
	resolveConfig({ extends: preset, ...config }, { folder: import.meta.dirname, env });

describe('an entry without use', () => {
	test('changes single options of a plugin of the preset', async () => {
		const { plugins, problems } = await resolved({ plugins: { shop: { with: { hours: 5 } } } });
		expect(problems).toEqual([]);
		expect(plugins.shop).toMatchObject({ definition: shop.definition, options: { hours: 5, size: 3 } });
		expect((await resolved({})).plugins.shop?.options).toEqual({ hours: 2, size: 3 });
	});

	test('changes options of a named factory, and may contain variables', async () => {
		const base: AppConfig = { backends: { blobs: { use: '@plinth/fs#fsBlobs', with: { dir: './here' } } } };
		const config = { extends: base, backends: { blobs: { with: { dir: '${WHERE}' } } } };
		const { backends } = await resolveConfig(config, { folder: import.meta.dirname, env: { WHERE: './there' } });
		expect(backends.blobs?.options).toEqual({ dir: './there' });
	});

	test('adds to a model of the preset, and to a pool', async () => {
		const { models, pools, problems } = await resolved({
			models: { a: { aliases: ['ay'] }, b: { concurrency: 1 }, all: { fallback: ['a'] } },
		});
		expect(problems).toEqual([]);
		expect(models.a).toMatchObject({ aliases: ['ay'], use: { definition: toy.definition } });
		expect(models.b).toMatchObject({ aliases: ['bee'], concurrency: 1 });
		expect(pools.all).toMatchObject({ balance: { a: 1, b: 1 }, fallback: ['a'] });
	});

	test('can be applied to a changed entry', async () => {
		const middle: AppConfig = { extends: preset, plugins: { shop: { with: { hours: 5 } } } };
		const { plugins } = await resolved({ extends: middle, plugins: { shop: { with: { size: 6 } } } });
		expect(plugins.shop?.options).toEqual({ hours: 5, size: 6 });
	});

	test.each([
		['a plugin', { plugins: { shopp: { with: { hours: 1 } } } }, 'plugins.shopp', /no preset defines plugins\.shopp/],
		['a model', { models: { c: { aliases: ['d'] } } }, 'models.c', /must be a factory call/],
	])('is refused when no preset has %s of that name', async (_what, config, path, message) => {
		const { problems } = await resolved(config);
		expect(problems).toMatchObject([{ code: 'E_CONFIG_SHAPE', path, message: expect.stringMatching(message) }]);
	});

	test('is refused with a key that is misspelt', async () => {
		const { problems } = await resolved({ plugins: { shop: { wiht: { hours: 1 } } as never } });
		expect(problems).toMatchObject([{ path: 'plugins.shop', message: expect.stringContaining('"wiht"') }]);
	});

	test('is not reported when its preset is missing', async () => {
		const { problems } = await resolved({ extends: 'nothing-of-that-name:preset', models: { a: { aliases: ['ay'] } } });
		expect(problems.map(({ path }) => path)).toEqual(['extends']);
	});
});

test('an entry with use replaces the entry of a preset', async () => {
	const { plugins } = await resolved({ plugins: { shop: { use: shop({ hours: 7 }) } } });
	expect(plugins.shop?.options).toEqual({ hours: 7 });
});

describe('packages of a config outside of the installation', () => {
	const read = async (installation?: string) => {
		const folder = await mkdtemp(join(tmpdir(), 'plinth-elsewhere-'));
		onTestFinished(() => rm(folder, { recursive: true, force: true }));
		const backends = { blobs: { use: '@plinth/memory#memoryBlobs' } };
		const config = await resolveConfig({ backends }, { folder, installation, env: {} });
		return { folder, config };
	};

	test('resolve from the installation', async () => {
		const { config } = await read(import.meta.dirname);
		expect(config.problems).toEqual([]);
		expect(config.backends.blobs?.definition.name).toBe('memoryBlobs');
	});

	test('resolve only from the config without an installation', async () => {
		const { config, folder } = await read();
		expect(config.problems).toMatchObject([
			{ code: 'E_CONFIG_NAME', message: expect.stringContaining(`not installed beside ${folder}.`) },
		]);
	});
});
