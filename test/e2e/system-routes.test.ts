import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RawClient, rawClient } from '../support/client.ts';
import { keyA, type Served, serveEmbedded } from '../support/serve.ts';

let served: Served;
let client: RawClient;

beforeAll(async () => {
	served = await serveEmbedded();
	client = rawClient(served.url, keyA);
});

afterAll(() => served?.stop());

describe('the probes', () => {
	test.each([
		['/healthz', { status: 'ok' }],
		['/readyz', { status: 'ready' }],
	])('%s answers without a key', async (path, body) => {
		const response = await fetch(`${served.url}${path}`);
		expect([response.status, await response.json()]).toEqual([200, body]);
	});

	test('answer HEAD without a body', async () => {
		const response = await fetch(`${served.url}/healthz`, { method: 'HEAD' });
		expect([response.status, await response.text()]).toEqual([200, '']);
	});
});

describe('the models', () => {
	interface Listed {
		readonly data: readonly { readonly id: string; readonly description: string }[];
	}

	test('are listed in the format of OpenAI', async () => {
		expect(await client.json('/v1/models')).toMatchObject({
			object: 'list',
			data: [
				{ id: 'builtin-video', object: 'model', created: expect.any(Number), owned_by: 'builtin' },
				{ id: 'builtin-image', object: 'model', created: expect.any(Number), owned_by: 'builtin' },
				{ id: 'builtin-speech', object: 'model', created: expect.any(Number), owned_by: 'builtin' },
				{ id: 'builtin-chat', object: 'model', created: expect.any(Number), owned_by: 'builtin' },
			],
		});
	});

	test('have descriptions that say that they are not neural', async () => {
		const { data } = await client.json<Listed>('/v1/models');
		const others = data.filter(({ description }) => !/procedural|no neural/i.test(description));
		expect([data.length, others]).toEqual([4, []]);
	});
});
