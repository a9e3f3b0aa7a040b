import { readFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { App } from '@plinth/core';
import type OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { root } from '../../../test/support/cli.ts';
import { codeBlocks } from '../../../test/support/pages.ts';
import { removeDir, temporaryDir } from '../../../test/support/serve.ts';
import { hostTable } from './table.ts';

const guide = readFileSync(join(root, 'docs/guides/embedding.md'), 'utf8');

/** The programs in the guide, by file name. */
const programs = new Map(codeBlocks(guide, 'ts').map((code) => [/^\/\/ (\S+\.ts)$/m.exec(code)?.[1] ?? '', code]));

let dir: string;

beforeAll(async () => {
	dir = await temporaryDir('embedding');
	await symlink(join(root, 'node_modules'), join(dir, 'node_modules'));
	await writeFile(join(dir, 'package.json'), '{"type":"module"}');
	for (const [name, code] of programs) {
		await writeFile(join(dir, name), code.replaceAll('3000', '0'));
	}
});

afterAll(() => removeDir(dir));

test('the table in the guide equals the generated one', () => {
	expect(guide).toContain(`\n${hostTable()}\n`);
});

describe('a program of the guide:', () => {
	const running: Server[] = [];
	const apps = new Set<App>();
	const run = new Set<string>();
	// Hono on Node replaces these globals; the other tests of this process need the originals.
	const webNames = ['Request', 'Response'] as const;
	const web = webNames.map((name) => Object.getOwnPropertyDescriptor(globalThis, name));

	beforeAll(async () => {
		await mkdir(join(dir, 'data'));
		vi.stubEnv('PLINTH_DATA_DIR', join(dir, 'data'));
		vi.stubEnv('PLINTH_LOG_LEVEL', 'silent');
	});

	afterAll(async () => {
		for (const server of running) {
			server.closeAllConnections();
			server.close();
		}
		for (const app of apps) await app.stop();
		vi.unstubAllEnvs();
		for (const [index, name] of webNames.entries()) {
			Object.defineProperty(globalThis, name, web[index] ?? {});
		}
	});

	async function program<T>(name: string): Promise<T> {
		run.add(name);
		return import(pathToFileURL(join(dir, name)).href);
	}

	async function start(name: string): Promise<string> {
		const { server, app } = await program<{ server: Server; app?: App }>(name);
		running.push(server);
		apps.add(app ?? (await program<{ app: App }>('app.ts')).app);
		if (!server.listening) await new Promise((resolve) => server.once('listening', resolve));
		return `http://localhost:${(server.address() as AddressInfo).port}`;
	}

	test.each(['express.ts', 'fastify.ts', 'koa.ts', 'hono.ts', 'node.ts'])('%s', async (name) => {
		const url = await start(name);
		const headers = { 'x-api-key': 'a-long-key-of-my-own' };
		const models = await fetch(`${url}/ai/v1/models`, { headers });
		expect([models.status, await (await fetch(url)).text()]).toEqual([200, 'my own page']);
	});

	test('route.ts', async () => {
		const { GET } = await program<{ GET: (request: Request) => Promise<Response> }>('route.ts');
		const { app } = await program<{ app: App }>('app.ts');
		apps.add(app);
		expect((await GET(new Request('http://localhost/ai/readyz'))).status).toBe(200);
	});

	test('client.ts, with an unmodified SDK', async () => {
		const url = await start('express.ts');
		programs.set('client.ts', programs.get('client.ts')?.replace('http://127.0.0.1:3000', url) ?? '');
		await writeFile(join(dir, 'client.ts'), programs.get('client.ts') ?? '');
		const { client } = await program<{ client: OpenAI }>('client.ts');
		expect((await client.models.list()).data.map(({ id }) => id)).toContain('builtin-chat');
	});

	test('own-log.ts', async () => {
		const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
		const { app } = await program<{ app: App }>('own-log.ts');
		apps.add(app);
		const headers = { 'x-api-key': 'a-long-key-of-my-own' };
		await (await app.fetch(new Request('http://localhost/v1/models', { headers }))).text();
		await app.stop();
		const lines = write.mock.calls.map(([line]) => JSON.parse(String(line)));
		write.mockRestore();
		expect(lines).toContainEqual(expect.objectContaining({ part: 'plinth', message: 'request', status: 200 }));
	});

	test('signed-in.ts', async () => {
		const url = `${await start('signed-in.ts')}/ai/v1/models`;
		const headers = { authorization: 'Bearer of-a-session' };
		const statuses = [(await fetch(url, { headers })).status, (await fetch(url)).status];
		expect(statuses).toEqual([200, 401]);
	});

	test('end.ts', async () => {
		const before = new Set(process.listeners('SIGTERM'));
		await program('end.ts');
		const [end] = process.listeners('SIGTERM').filter((each) => !before.has(each));
		await end?.('SIGTERM');
		const { app } = await program<{ app: App }>('app.ts');
		const { server } = await program<{ server: Server }>('express.ts');
		expect([app.state, server.listening]).toEqual(['stopped', false]);
	});

	test('each program of the guide has a test', () => {
		expect([...programs.keys()].sort()).toEqual([...run].sort());
	});
});
