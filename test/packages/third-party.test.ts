import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import OpenAI from 'openai';
import { afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { type RunningServer, run, serve } from './support/programs.ts';
import { root, thirdParty } from './support/workspace.ts';

const { app } = inject('prepared');
const bounds: Readonly<Record<string, number>> = { embeddings: 100, blobs: 140, image: 20 };

let server: RunningServer | undefined;

afterEach(async () => {
	await server?.stop();
	server = undefined;
});

/** The folder with the test and the config of a third-party package. Its code is installed. */
const folderOf = (name: string) => join(app, `third-party-${name}`);

async function serveStranger(name: string): Promise<OpenAI> {
	server = await serve({ cwd: folderOf(name), env: { PLINTH_API_KEYS: 'key-of-the-tests' } });
	return new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'key-of-the-tests', maxRetries: 0 });
}

beforeAll(async () => {
	for (const { folder } of thirdParty) {
		const name = folder.slice(folder.lastIndexOf('/') + 1);
		await mkdir(folderOf(name));
		for (const file of ['test.ts', 'plinth.config.yaml']) {
			await copyFile(join(root, folder, file), join(folderOf(name), file));
		}
	}
});

describe.each(Object.keys(bounds))('the third-party package %s', (name) => {
	test(`is written in fewer than ${bounds[name]} lines`, async () => {
		const file = join(root, 'test/packages/third-party', name, 'index.ts');
		const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
		expect(lines.length).toBeLessThan(bounds[name] ?? 0);
	});

	test('passes its tests, which run the published suites on plain Node', async () => {
		const { code, stdout } = await run(['node', '--test-reporter=tap', 'test.ts'], {
			cwd: folderOf(name),
		});
		const count = (word: string) => Number(new RegExp(`^# ${word} (\\d+)$`, 'm').exec(stdout)?.[1]);
		expect([code, stdout]).toEqual([0, stdout]);
		expect([count('fail'), count('skipped'), count('todo')]).toEqual([0, 0, 0]);
		expect(count('pass')).toBeGreaterThanOrEqual(3);
	});
});

describe('the OpenAI SDK', () => {
	test('gets vectors from a third-party capability', async () => {
		const client = await serveStranger('embeddings');
		const input = ['a red boat', 'the red boat'];
		// By default the SDK requests base64 and decodes it.
		const decoded = await client.embeddings.create({ model: 'words', input, dimensions: 8 });
		const plain = await client.embeddings.create({
			...{ model: 'words', input, dimensions: 8 },
			encoding_format: 'float',
		});
		expect(plain.data.map(({ embedding }) => embedding.length)).toEqual([8, 8]);
		for (const [index, { embedding }] of decoded.data.entries()) {
			const expected = Float32Array.from(plain.data[index]?.embedding ?? []);
			expect(Float32Array.from(embedding)).toEqual(expected);
		}
		const refused = await client.embeddings.create({ model: 'nobody', input }).catch((e) => e);
		expect(refused).toMatchObject({ status: 404, code: 'model_not_found' });
	});

	test('gets an image from a third-party blob store', async () => {
		const client = await serveStranger('blobs');
		const { data } = await client.images.generate({
			...{ model: 'builtin-image', prompt: 'A red boat', size: '256x256' as never },
			response_format: 'url',
		});
		const response = await fetch(data?.[0]?.url ?? '');
		const bytes = Buffer.from(await response.arrayBuffer());
		expect([response.status, bytes.subarray(1, 4).toString()]).toEqual([200, 'PNG']);
	});

	test('gets an image from a third-party model', async () => {
		const client = await serveStranger('image');
		const { data } = await client.images.generate({ model: 'plain', prompt: 'x', n: 2 });
		const pictures = data?.map((each) => Buffer.from(each.b64_json ?? '', 'base64')) ?? [];
		expect(pictures.map((bytes) => bytes.subarray(1, 4).toString())).toEqual(['PNG', 'PNG']);
		expect(pictures[0]?.equals(pictures[1] ?? Buffer.alloc(0))).toBe(false);
	});
});
