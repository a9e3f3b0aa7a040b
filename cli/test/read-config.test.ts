import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findConfig } from '../src/read-config.ts';

let folder: string;

beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'plinth-load-'));
});

afterEach(() => rm(folder, { recursive: true }));

async function problemsOf(name: string, text: string) {
	const file = join(folder, name);
	await writeFile(file, text);
	const { config } = await findConfig({ file, env: {} });
	return config.problems.map(({ path, message }) => `${path}: ${message}`);
}

describe('a config file', () => {
	test.each([
		['plinth.config.yaml', '$schema: ./schema.json\nserver: { port: 1 }\n'],
		['plinth.config.json', '{ "$schema": "./schema.json", "server": { "port": 1 } }'],
	])('may name its schema for editors: %s', async (name, text) => {
		expect(await problemsOf(name, text)).toEqual([]);
	});

	test('may not have other unknown keys', async () => {
		expect(await problemsOf('plinth.config.yaml', 'schema: ./schema.json\n')).toEqual([
			'(top level): does not know "schema".',
		]);
	});

	test.each([
		['plinth.config.yaml', '- a list\n', /keys such as extends/],
		['plinth.config.mjs', 'export default null;\n', /Export the config as the default/],
		['plinth.config.json', '{ "server": }', /Fix the file at that place/],
		['plinth.config.yaml', 'server: [1, 2', /Fix the file at that place/],
		['plinth.config.yaml', 'server: { port: ${PORT} }\n', /a text with \$\{\.\.\.\} needs quotes: '\$\{NAME\}'/],
		['plinth.config.yaml', 'server: { cors: [${ORIGIN}] }\n', /a text with \$\{\.\.\.\} needs quotes/],
	])('that contains no object is rejected with a remedy: %s', async (name, text, remedy) => {
		const error = await problemsOf(name, text).catch((reason: Error) => reason);
		expect(error).toMatchObject({ name: 'BootError', message: expect.stringMatching(remedy) });
	});
});
