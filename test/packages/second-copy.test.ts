import { copyFile, cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type RunningServer, serve } from './support/programs.ts';

const { app } = inject('prepared');
const cwd = join(app, 'two-copies');
const copy = join(cwd, 'plugin/node_modules/@plinth/core');
let server: RunningServer;

beforeAll(async () => {
	await mkdir(join(cwd, 'plugin'), { recursive: true });
	await cp(join(app, 'node_modules/@plinth/core'), copy, { recursive: true });
	await copyFile(join(import.meta.dirname, 'apps/second-copy.js'), join(cwd, 'plugin/index.js'));
	const config = 'extends: plinth:embedded\nplugins:\n  probe: { use: ./plugin/index.js }\n';
	await writeFile(join(cwd, 'plinth.config.yaml'), config);
	server = await serve({ cwd, env: { PLINTH_API_KEYS: 'key' } });
});

afterAll(async () => {
	await server?.stop();
});

const probe = async (query = '') => {
	const response = await fetch(`${server.url}/v1/probe${query}`, {
		headers: { 'x-api-key': 'key' },
	});
	return { status: response.status, body: await response.json() };
};

test('a plugin with a copy of the kernel of its own gets services, and its replies are understood', async () => {
	const kernel = pathToFileURL(join(copy, 'dist/index.js')).href;
	expect(await probe()).toEqual({ status: 201, body: { kernel, isStored: false } });
});

test('a coded error of the other copy keeps its status and code', async () => {
	expect(await probe('?refuse=yes')).toMatchObject({
		status: 400,
		body: { error: { code: 'invalid_value', param: 'refuse' } },
	});
});
