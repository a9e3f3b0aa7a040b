import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, createApp } from '@plinth/core';
import { jsonOf, type Requests, requestsTo } from '@plinth/testing';
import { findConfig } from 'plinth';
import { afterAll, beforeAll, expect, test } from 'vitest';

const file = join(import.meta.dirname, '../plinth.config.ts');
const key = 'a-key-for-the-tests';

let dataDir: string;
let app: App;
let client: Requests;

beforeAll(async () => {
	dataDir = await mkdtemp(join(tmpdir(), 'plinth-app-'));
	const env = { PLINTH_DATA_DIR: dataDir, PLINTH_API_KEYS: `tests:${key}`, PLINTH_LOG_LEVEL: 'error' };
	const { config } = await findConfig({ file, env });
	app = await createApp(config, { env, file });
	client = requestsTo(app, key);
});

afterAll(async () => {
	await app?.stop();
	await rm(dataDir, { recursive: true });
});

test('the server lists its models', async () => {
	const { data } = await jsonOf<{ data: { id: string }[] }>(await client.get('/v1/models'));
	expect(data.map(({ id }) => id)).toContain('builtin-image');
});

test('a model makes a picture', async () => {
	const response = await client.post('/v1/images/generations', {
		model: 'builtin-image',
		prompt: 'A lighthouse at night',
		size: '256x256',
	});
	const { data } = await jsonOf<{ data: { b64_json: string }[] }>(response);
	expect(
		Buffer.from(data[0]?.b64_json ?? '', 'base64')
			.subarray(1, 4)
			.toString(),
	).toBe('PNG');
});

test('a request without a key is refused', async () => {
	expect((await client.get('/v1/models', { key: null })).status).toBe(401);
});
