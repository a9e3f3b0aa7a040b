import { cp, mkdir, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { version } from '@plinth/core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type RunningServer, run, serve } from './support/programs.ts';

const { app } = inject('prepared');
const installed = join(app, 'node_modules');

/** A project whose plugin has its own copies of some packages, given as package name and source folder. */
async function project(name: string, copies: readonly (readonly [string, string])[]) {
	const cwd = join(await realpath(app), name);
	await cp(join(import.meta.dirname, 'second-copy'), join(cwd, 'plugin'), { recursive: true });
	for (const [folder, copied] of copies) {
		await cp(join(installed, copied), join(cwd, folder, 'node_modules', copied), {
			recursive: true,
		});
	}
	const config = 'extends: plinth:embedded\nplugins:\n  probe: { use: ./plugin/index.js }\n';
	await writeFile(join(cwd, 'plinth.config.yaml'), config);
	return cwd;
}

describe('a plugin that was made by another copy of the kernel', () => {
	let cwd: string;

	beforeAll(async () => {
		cwd = await project('own-core', [['plugin', '@plinth/core']]);
	});

	test.each(['check', 'serve'])('prevents the start of plinth %s, and the error names it', async (command) => {
		const { code, stdout, stderr } = await run(['plinth', command], { cwd });
		const [theirs, ours] = [join(cwd, 'plugin/node_modules'), await realpath(installed)].map(
			(folder) => `${version} in ${join(folder, '@plinth/core/dist')}`,
		);
		expect([code, stdout]).toEqual([1, '']);
		expect(stderr).toContain(
			`1. plugin probe: was made by another copy of @plinth/core, ${theirs}; the copy that starts this server is ${ours}.\n`,
		);
		expect(stderr).toMatch(/^ +at +plugins\.probe$/m);
		expect(stderr).toMatch(/^ +remedy .*peer dependency.*`npm ls @plinth\/core`.*`npm dedupe`/m);
		expect(stderr).toMatch(/^ +code +E_CORE_COPY$/m);
	});
});

describe('a plugin with tools from another copy of the kernel, and schemas from another zod', () => {
	let cwd: string;
	let server: RunningServer;

	beforeAll(async () => {
		cwd = await project('own-tools', [
			['plugin/tools', '@plinth/core'],
			['plugin', 'zod'],
		]);
		server = await serve({ cwd, env: { PLINTH_API_KEYS: 'key-of-the-tests' } });
	});

	afterAll(async () => {
		await server?.stop();
	});

	const probe = async (body: object) => {
		const response = await fetch(`${server.url}/v1/probe`, {
			method: 'POST',
			headers: { 'x-api-key': 'key-of-the-tests', 'content-type': 'application/json' },
			body: JSON.stringify(body),
		});
		return { status: response.status, body: await response.json() };
	};

	test('starts, and its responses are valid', async () => {
		const at = (path: string) => pathToFileURL(join(cwd, 'plugin', path)).href;
		expect(await probe({ size: '2' })).toEqual({
			status: 201,
			body: {
				...{ greeting: 'hello', size: 2, isStored: false },
				tools: at('tools/node_modules/@plinth/core/dist/index.js'),
				zod: at('node_modules/zod/index.js'),
			},
		});
	});

	test('throws coded errors that keep their status and code', async () => {
		expect(await probe({ refuse: true })).toMatchObject({
			status: 400,
			body: { error: { code: 'invalid_value', param: 'refuse' } },
		});
	});

	test.each([
		[{ size: 4 }, 'integer_above_max_value', 'size'],
		[{ refuse: 'yes' }, 'invalid_type', 'refuse'],
	])('refuses %j like any other plugin', async (body, code, param) => {
		expect(await probe(body)).toMatchObject({ status: 400, body: { error: { code, param } } });
	});

	test('is described in OpenAPI', async () => {
		const { paths } = (await (await fetch(`${server.url}/openapi.json`)).json()) as {
			paths: Record<string, { post?: { requestBody: { content: object } } }>;
		};
		expect(paths['/v1/probe']?.post?.requestBody.content).toMatchObject({
			'application/json': {
				schema: { properties: { size: { maximum: 3, default: 1 }, refuse: { type: ['boolean', 'null'] } } },
			},
		});
	});
});

test('`require` and `import` in a host load the same copy', async () => {
	const cwd = join(app, 'both-ways');
	await mkdir(cwd);
	await cp(join(import.meta.dirname, 'second-copy/host.cjs'), join(cwd, 'host.cjs'));
	expect(await run(['node', 'host.cjs'], { cwd })).toEqual({ code: 0, stdout: '2\n', stderr: '' });
});
