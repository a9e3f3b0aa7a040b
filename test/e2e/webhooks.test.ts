import { setTimeout as delay } from 'node:timers/promises';
import { createApp, type Logger } from '@plinth/core';
import { webhooks } from '@plinth/plugin-webhooks';
import { eventually, silentLogger } from '@plinth/testing';
import OpenAI from 'openai';
import { embedded } from 'plinth';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { sdkClient } from '../clients/sdk.ts';
import { type RawClient, rawClient } from '../support/client.ts';
import { plinthHere } from '../support/command.ts';
import { fakeVideo, tinyPoster } from '../support/fake-models.ts';
import { ApiDocument } from '../support/openapi/document.ts';
import {
	keyA,
	keyB,
	removeDir,
	type Served,
	type ServeOptions,
	serveEmbedded,
	temporaryDir,
} from '../support/serve.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const timeoutMs = 20_000;
/** A generous time limit, for a busy machine. */
const retrySeconds = Array.from({ length: 40 }, () => 0.2);
const models = { 'instant-1': fakeVideo() };

/** The members of an endpoint or delivery that this file reads. */
interface WireObject {
	readonly id: string;
	readonly status: string;
	readonly event_id?: string;
	readonly attempts?: readonly unknown[];
}

let receiver: WebhookReceiver;

beforeEach(async () => {
	receiver = await startWebhookReceiver();
});

afterEach(() => receiver.close());

/** Serves until the end of the test, or until stopped. */
async function serve(options: ServeOptions = {}): Promise<Served> {
	const plugins = { webhooks: webhooks({ allowPrivate: true, retrySeconds }) };
	const served = await serveEmbedded({ models, plugins, ...options });
	onTestFinished(() => served.stop());
	return served;
}

async function addEndpoint(client: RawClient, path: string): Promise<string> {
	const response = await client.post('/v1/webhook_endpoints', {
		name: path,
		url: receiver.url + path,
		event_types: ['video.completed'],
	});
	const { id, signing_secret } = (await response.json()) as { id: string; signing_secret: string };
	receiver.secrets.set(path, signing_secret);
	return id;
}

const listed = async (client: RawClient, path: string) =>
	(await client.json<{ data: readonly WireObject[] }>(path)).data;

/** The only delivery of a tenant, once it has been delivered. */
async function delivered(client: RawClient): Promise<WireObject> {
	let found: readonly WireObject[] = [];
	const isDelivered = async () => {
		await delay(20);
		found = await listed(client, '/v1/webhook_deliveries');
		return found.some(({ status }) => status === 'delivered');
	};
	await eventually('it is delivered', isDelivered, timeoutMs);
	expect(found).toHaveLength(1);
	return found[0] as WireObject;
}

describe('two tenants', () => {
	test('get webhooks of their own jobs only, and cannot access each other’s resources', async () => {
		const { url, app } = await serve();
		const [a, b] = [rawClient(url, keyA), rawClient(url, keyB)];
		const ids = { a: await addEndpoint(a, '/a'), b: await addEndpoint(b, '/b') };
		const { id: job } = await a.create({ model: 'instant-1', prompt: 'of a' });
		const { id: delivery } = await delivered(a);
		const own = await b.create({ model: 'instant-1', prompt: 'of b' });
		await delivered(b);
		expect(receiver.arrivals.map(({ path, event }) => [path, event.data.id])).toEqual([
			['/a', job],
			['/b', own.id],
		]);
		expect(receiver.faults).toEqual([]);

		const operations = new ApiDocument(app.openapi()).operations.filter(({ path }) =>
			/^\/v1\/webhook_\w+\/\{id\}/.test(path),
		);
		expect(operations).toHaveLength(7);
		for (const { method, path, name } of operations) {
			const foreign = path.startsWith('/v1/webhook_endpoints') ? ids.a : delivery;
			const [theirs, nobodys] = await Promise.all(
				[foreign, `${foreign.slice(0, 4)}${'0'.repeat(44)}`].map(async (id) => {
					const headers = { 'content-type': 'application/json' };
					const body = JSON.stringify({ event_type: 'video.completed' });
					const init = method === 'POST' ? { method, headers, body } : { method };
					const response = await b.send(path.replace('{id}', id), init);
					return [response.status, await response.text()];
				}),
			);
			expect([name, theirs?.[0]]).toEqual([name, 404]);
			expect(theirs).toEqual(nobodys);
		}
		const filtered = `/v1/webhook_deliveries?webhook_endpoint_id=${ids.a}`;
		expect(await listed(b, filtered)).toEqual([]);
		expect((await listed(b, '/v1/webhook_endpoints')).map(({ id }) => id)).toEqual([ids.b]);
		expect((await listed(a, filtered)).map(({ id }) => id)).toEqual([delivery]);
		expect(receiver.arrivals).toHaveLength(2);
	});
});

describe('a restart on the same data directory', () => {
	test.each([
		['fails', 'fail'],
		['hangs', 'hang'],
	] as const)('continues a delivery whose receiver %s', async (_, behaviour) => {
		const dataDir = await temporaryDir('webhooks');
		onTestFinished(() => removeDir(dataDir));
		const before = await serve({ dataDir });
		const client = rawClient(before.url, keyA);
		const endpoint = await addEndpoint(client, '/again');
		receiver.behaviour = () => behaviour;
		const { id } = await client.create({ model: 'instant-1', prompt: 'told later' });
		await eventually('it is being sent', () => receiver.arrivals.length > 0, timeoutMs);
		await before.stop();
		receiver.behaviour = () => 'ok';
		const count = receiver.arrivals.length;

		const again = rawClient((await serve({ dataDir })).url, keyA);
		const { event_id } = await delivered(again);
		expect((await listed(again, '/v1/webhook_endpoints')).map((each) => each.id)).toEqual([endpoint]);
		expect(receiver.arrivals.map(({ event }) => [event.id, event.data.id])).toEqual(
			Array.from({ length: count + 1 }, () => [event_id, id]),
		);
		expect(receiver.faults).toEqual([]);
	});

	test('delivers webhooks of a job that ended without a sender', async () => {
		const dataDir = await temporaryDir('webhooks');
		onTestFinished(() => removeDir(dataDir));
		const before = await serve({ dataDir, role: 'api' });
		const client = rawClient(before.url, keyA);
		await addEndpoint(client, '/later');
		const { id } = await client.create({ model: 'instant-1', prompt: 'made elsewhere' });
		await before.stop();
		const silent = await serve({ dataDir, plugins: { webhooks: false } });
		await rawClient(silent.url, keyA).finished(id);
		await silent.stop();
		await delivered(rawClient((await serve({ dataDir })).url, keyA));
		expect(receiver.arrivals.map(({ event }) => event.data.id)).toEqual([id]);
	});
});

describe('a callback', () => {
	test('is accepted in a form with an image from the official SDK', async () => {
		const { url } = await serve();
		const { client, violations } = sdkClient(OpenAI, { url, key: keyA, mode: 'Bearer only' });
		const secret = `whsec_${Buffer.alloc(24, 'of a form').toString('base64')}`;
		receiver.secrets.set('/form', secret);
		const { id } = await client.videos.create({
			...{ model: 'instant-1', prompt: 'with a picture' },
			input_reference: new File([tinyPoster], 'start.png', { type: 'image/png' }),
			size: '640x480' as '720x1280',
			...{ callback_url: `${receiver.url}/form`, callback_secret: secret },
		});
		const { event_id } = await delivered(rawClient(url, keyA));
		expect(receiver.arrivals.map(({ path, event }) => [path, event.id, event.data.id])).toEqual([
			['/form', event_id, id],
		]);
		expect(receiver.arrivals[0]?.headers).toHaveProperty('webhook-signature');
		expect([receiver.faults, violations]).toEqual([[], []]);
	});
});

describe('the built-in composition', () => {
	/** The warnings of a boot with these variables. */
	async function warnings(env: Readonly<Record<string, string>>): Promise<readonly string[]> {
		const dataDir = await temporaryDir('webhooks');
		onTestFinished(() => removeDir(dataDir));
		const said: string[] = [];
		const log: Logger = {
			...silentLogger(),
			warn: (_: object, message: string) => said.push(message),
			child: () => log,
		};
		const config = { extends: embedded, server: { drainDelayMs: 0 } };
		const app = await createApp(config, { env: { PLINTH_DATA_DIR: dataDir, ...env }, log });
		try {
			await app.start();
		} finally {
			await app.stop();
		}
		return said.filter((message) => message.includes('webhook'));
	}

	test('warns at its start when webhooks may go to private networks', async () => {
		expect(await warnings({ PLINTH_WEBHOOK_ALLOW_PRIVATE: 'true' })).toEqual([
			expect.stringContaining('private networks'),
		]);
		expect(await warnings({})).toEqual([]);
	});

	test.each([
		['PLINTH_WEBHOOK_ALLOW_PRIVATE', 'perhaps', 'plugins.webhooks.with.allowPrivate'],
		['PLINTH_WEBHOOK_RETRY_SECONDS', '1,soon', 'plugins.webhooks.with.retrySeconds'],
	])('does not start with %s=%s', async (name, value, path) => {
		await expect(warnings({ [name]: value })).rejects.toThrow(path);
	});

	test('has the routes, and plinth check --verbose prints them', async () => {
		const cwd = await temporaryDir('webhooks');
		onTestFinished(() => removeDir(cwd));
		const { code, stdout } = await plinthHere(['check', '--verbose'], { cwd });
		expect(code).toBe(0);
		expect(stdout).toContain('plugin webhooks provides media.callbacks\n');
		for (const route of [
			'POST /v1/webhook_endpoints',
			'GET /v1/webhook_endpoints/{id}',
			'POST /v1/webhook_endpoints/{id}/rotate_secret',
			'POST /v1/webhook_endpoints/{id}/test',
			'GET /v1/webhook_event_types',
			'GET /v1/webhook_deliveries',
			'POST /v1/webhook_deliveries/{id}/resend',
			'GET /v1/events',
			'GET /v1/videos/{id}/events',
		]) {
			expect(stdout).toContain(`route ${route}\n`);
		}
	});
});
