import { join } from 'node:path';
import { webhooks } from '@plinth/plugin-webhooks';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Child, startNode } from '../../../test/support/cli.ts';
import { fakeVideo } from '../../../test/support/fake-models.ts';
import { keyA, type Served, serveEmbedded } from '../../../test/support/serve.ts';

const script = join(import.meta.dirname, '../receiver.ts');
const events = ['video.completed' as const, 'video.failed' as const];

let served: Served;
let receiver: Child;
let url: string;
let client: OpenAI;
let endpoint: string;

beforeAll(async () => {
	served = await serveEmbedded({
		models: { 'fake-1': fakeVideo() },
		plugins: { webhooks: webhooks({ allowPrivate: true }) },
	});
	client = new OpenAI({ baseURL: `${served.url}/v1`, apiKey: keyA });
	const given = { name: 'Mine', url: 'http://127.0.0.1:9000/', event_types: events };
	const created = await client.webhooks.create(given);
	endpoint = created.id;
	const env = { WEBHOOK_SECRET: created.signing_secret, PORT: '0' };
	receiver = startNode([script], { cwd: import.meta.dirname, env });
	url = (await receiver.printed(/Receiving at (http:\S+)/))[1] ?? '';
	await client.webhooks.update(endpoint, { url });
}, 30_000);

afterAll(async () => {
	await receiver?.kill();
	await served?.stop();
});

test('the receiver accepts a test event of the server', async () => {
	const result = await client.webhooks.test(endpoint, { event_type: 'video.completed' });
	expect(result.status_code).toBe(204);
});

test('the receiver gets an event for the end of a job', async () => {
	const { id } = await client.videos.create({ model: 'fake-1', prompt: 'A boat' });
	await receiver.printed(new RegExp(`video\\.completed {"id":"${id}"}`));
});

test('the receiver rejects an event that the server did not sign', async () => {
	const forged = await fetch(url, { method: 'POST', body: '{"type":"video.completed"}' });
	expect(forged.status).toBe(400);
});
