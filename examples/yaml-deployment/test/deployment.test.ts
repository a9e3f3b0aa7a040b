import { join } from 'node:path';
import { type App, createApp } from '@plinth/core';
import { silentLogger } from '@plinth/testing';
import { findConfig } from 'plinth';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RawClient, rawClient } from '../../../test/support/client.ts';
import { readMp4 } from '../../../test/support/mp4.ts';
import { removeDir, temporaryDir } from '../../../test/support/serve.ts';

const file = join(import.meta.dirname, '../plinth.config.yaml');

let dataDir: string;
let app: App;
let client: RawClient;

beforeAll(async () => {
	dataDir = await temporaryDir('yaml');
	const env = { PLINTH_DATA_DIR: dataDir };
	const { config } = await findConfig({ file, env });
	app = await createApp(config, { env, file, log: silentLogger() });
	const { url } = await app.listen({ port: 0 });
	client = rawClient(url, 'a-key-of-our-own');
});

afterAll(async () => {
	await app?.stop();
	await removeDir(dataDir);
});

describe('a deployment in YAML', () => {
	test('makes a video with an alias of a model, and keeps it for two hours', async () => {
		const { id, model } = await client.create({ model: 'draft-2026', prompt: 'A harbour' });
		const video = await client.finished(id);
		expect([model, video.status]).toEqual(['draft-2026', 'completed']);
		expect((video.expires_at ?? 0) - (video.completed_at ?? 0)).toBe(2 * 3600);
		expect(readMp4(await client.bytes(`/v1/videos/${id}/content`)).seconds).toBe(2);
	});

	test('lists its own description of the model', async () => {
		expect(await client.json('/v1/models/draft')).toMatchObject({
			description: "The house's quick look before a real render",
		});
	});

	test('has no speech', async () => {
		expect((await client.post('/v1/audio/speech', {})).status).toBe(404);
	});

	test('lists no model of a removed plugin', async () => {
		const { data } = await client.json<{ data: { id: string }[] }>('/v1/models');
		const ids = data.map(({ id }) => id).sort();
		expect(ids).toEqual(['builtin-chat', 'builtin-image', 'builtin-video', 'draft']);
	});

	test('reads its keys from the environment when they are set', async () => {
		const env = { PLINTH_DATA_DIR: dataDir, PLINTH_API_KEYS: 'studio:from-outside' };
		const { config } = await findConfig({ file, env });
		expect(config.backends.auth?.options).toEqual({ keys: 'studio:from-outside' });
	});
});
