import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openai } from '@ai-sdk/openai';
import { createModel } from '@plinth/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aiSdk } from '../src/index.ts';
import { modelOf } from './support/models.ts';

let folder: string;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'plinth-test-ai-sdk-'));
	const model = "(id) => ({ specificationVersion: 'v4', provider: 'local.chat', modelId: id })";
	await writeFile(
		join(folder, 'two.mjs'),
		`export const createOne = () => ({});
export const createTwo = ({ apiKey }) => apiKey === 'k' ? { languageModel: ${model} } : {};
`,
	);
	await writeFile(
		join(folder, 'old.mjs'),
		"export const createOld = () => ({ chat: () => ({ specificationVersion: 'v2' }) });\n",
	);
	await writeFile(join(folder, 'none.mjs'), 'export const nothing = 1;\n');
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const create = (config: Parameters<typeof aiSdk.chat>[0]) => createModel(aiSdk.chat(config), { folder });

describe('a model', () => {
	test('can be an object of a provider package, with or without options', async () => {
		await expect(modelOf(aiSdk.chat(openai.chat('gpt-4o')))).resolves.toMatchObject({ apiVersion: 1 });
		const model = await modelOf(
			aiSdk.chat({ model: openai.chat('gpt-4o'), images: 'true', files: ['application/pdf'] }),
		);
		expect(model.abilities).toMatchObject({ images: true, files: ['application/pdf'] });
	});

	test('can name a package beside the config and one of its functions', async () => {
		const config = { provider: './two.mjs#createTwo', model: 'm', options: { apiKey: 'k' } };
		await expect(create(config)).resolves.toMatchObject({ model: { apiVersion: 1 } });
	});

	test.each([
		['names no package', { model: 'm' }, /provider is missing: name a package/],
		[
			'names a package that is not installed',
			{ provider: '@ai-sdk/nobody', model: 'm' },
			/@ai-sdk\/nobody is not installed beside .+ npm install @ai-sdk\/nobody/,
		],
		['names a package that is no provider', { provider: './none.mjs', model: 'm' }, /has no function create/],
		[
			'names a function that does not exist',
			{ provider: './two.mjs#createThree', model: 'm' },
			/has no function createThree/,
		],
		['names a provider without such models', { provider: './two.mjs', model: 'm' }, /has no language models/],
		['names a provider of an older version', { provider: './old.mjs', model: 'm' }, /version 3 or 4/],
		['has an unknown option', { provider: '@ai-sdk/openai', model: 'm', temprature: 1 }, /temprature/],
		['is something else', { model: 7 }, /Expected the name of a model, or a model object/],
	])('that %s is refused at the start', async (_, config, message) => {
		await expect(create(config as Parameters<typeof aiSdk.chat>[0])).rejects.toThrow(message);
	});
});
