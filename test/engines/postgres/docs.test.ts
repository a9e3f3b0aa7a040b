import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '@plinth/core';
import { silentLogger } from '@plinth/testing';
import { findConfig } from 'plinth';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeBlocks } from '../../support/pages.ts';
import { writeProject } from '../../support/readme.ts';
import { testDatabase } from '../support/postgres.ts';

let database: Awaited<ReturnType<typeof testDatabase>>;
let folder: string;

beforeAll(async () => {
	database = await testDatabase();
	folder = await mkdtemp(join(tmpdir(), 'plinth-pages-'));
});

afterAll(async () => {
	await rm(folder, { recursive: true, force: true });
	await database?.remove();
});

test.each(['yaml', 'ts'])('the config of the page starts a server: %s', async (language) => {
	const page = await readFile(join(import.meta.dirname, '../../../docs/adapters/postgres.md'), 'utf8');
	const [text = ''] = codeBlocks(page, language);
	const project = join(folder, language);
	const file = await writeProject(project, `plinth.config.${language}`, text);
	const env = {
		DATABASE_URL: database.url,
		PLINTH_DATA_DIR: join(project, 'data'),
		PLINTH_API_KEYS: 'a:key-of-the-pages',
	};
	const { config } = await findConfig({ file, env });
	const app = await createApp(config, { file, env, folder: project, log: silentLogger() });
	await app.start();
	const headers = { authorization: 'Bearer key-of-the-pages', 'content-type': 'application/json' };
	const body = JSON.stringify({ model: 'builtin-video', prompt: 'A red boat', seconds: '4' });
	const made = await app.fetch(new Request('http://localhost/v1/videos', { method: 'POST', headers, body }));
	expect(made.status).toBeLessThan(300);
	const { id } = (await made.json()) as { id: string };
	const read = await app.fetch(new Request(`http://localhost/v1/videos/${id}`, { headers }));
	expect(read.status).toBe(200);
	await app.fetch(new Request(`http://localhost/v1/videos/${id}`, { method: 'DELETE', headers }));
	await app.stop();
});
