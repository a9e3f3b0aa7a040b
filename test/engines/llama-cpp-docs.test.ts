import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createApp } from '@plinth/core';
import { silentLogger } from '@plinth/testing';
import { findConfig } from 'plinth';
import { afterAll, expect, test } from 'vitest';
import { root } from '../support/cli.ts';
import { codeBlocks } from '../support/pages.ts';
import { asking, chatModel, modelFolder, response } from './support/models.ts';
import { writeTinyModel } from './support/tiny-gguf.ts';

const { folder, remove } = modelFolder();
const page = readFileSync(join(root, 'docs/adapters/llama-cpp.md'), 'utf8');

afterAll(remove);

test.each(['yaml', 'ts'] as const)('the %s config of the page starts a server with the model', async (language) => {
	const [text = ''] = codeBlocks(page, language);
	const file = join(folder, `plinth.config.${language}`);
	await writeFile(file, text);
	await mkdir(join(folder, 'models'), { recursive: true });
	await writeTinyModel(join(folder, 'models/qwen3-4b-q4_k_m.gguf'));
	const env = { PLINTH_DATA_DIR: join(folder, language), PLINTH_API_KEYS: 'a:the-key-of-tenant-a' };
	const { config } = await findConfig({ file, env });
	const app = await createApp(config, { env, file, log: silentLogger() });
	const headers = { authorization: 'Bearer the-key-of-tenant-a' };
	const model = await app.fetch(new Request('http://localhost/v1/models/qwen-chat', { headers }));
	await app.stop();
	expect(await model.json()).toMatchObject({ id: 'qwen-chat', owned_by: 'llamaCpp' });
});

const { PLINTH_TEST_GGUF: real } = process.env;

// Registered only where the developer provides a model file, so that no test is skipped.
if (real) {
	test('a model file of the developer answers, writes JSON and calls a tool', { timeout: 600_000 }, async () => {
		const { model, close } = await chatModel(folder, { file: real, gpu: 'auto' });
		try {
			const hello = await response(
				model,
				asking('Answer with one word: what is the capital of France?', { temperature: 0 }),
			);
			expect(hello.text).toMatch(/Paris/i);
			const schema = {
				type: 'object',
				properties: { city: { type: 'string' }, inhabitants: { type: 'integer' } },
				required: ['city', 'inhabitants'],
			};
			const format = { type: 'schema', name: 'city', schema, isStrict: true } as const;
			const json = await response(model, asking('Describe the capital of France.', { format, temperature: 0 }));
			expect(JSON.parse(json.text)).toEqual({ city: expect.any(String), inhabitants: expect.any(Number) });
			const weather = { name: 'get_weather', description: 'Tells the weather.', parameters: schema, isStrict: true };
			const request = asking('What is the weather in Paris?', {
				tools: [weather],
				toolChoice: 'required',
				temperature: 0,
			});
			expect((await response(model, request)).calls).toMatchObject([{ name: 'get_weather' }]);
		} finally {
			await close();
		}
	});
}
