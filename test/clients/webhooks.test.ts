import { webhooks } from '@plinth/plugin-webhooks';
import { eventually } from '@plinth/testing';
import OpenAI from 'openai';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { fakeVideo } from '../support/fake-models.ts';
import { keyA, type Served, serveEmbedded } from '../support/serve.ts';
import { type Arrival, startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';
import { type Sdk, sdkClient, type WatchedClient } from './sdk.ts';

const unknownId = `whe_${'0'.repeat(44)}`;
const requestID = expect.stringMatching(/^req_/);
const secretForm = /^whsec_[A-Za-z0-9+/]{40}$/;
const event_types: ('video.completed' | 'video.failed')[] = ['video.completed', 'video.failed'];

let served: Served;
let receiver: WebhookReceiver;
let watched: WatchedClient;
let client: Sdk;

beforeAll(async () => {
	receiver = await startWebhookReceiver();
	served = await serveEmbedded({
		models: { 'instant-1': fakeVideo() },
		plugins: { webhooks: webhooks({ allowPrivate: true }) },
	});
	watched = sdkClient(OpenAI, { url: served.url, key: keyA, mode: 'Bearer only' });
	client = watched.client;
});

// Collected instead of thrown: the SDK would treat a throw as a broken connection and retry.
afterEach(() => expect(watched.violations).toEqual([]));

afterAll(async () => {
	await served?.stop();
	await receiver?.close();
});

const make = (path: string, name = path) => client.webhooks.create({ name, url: receiver.url + path, event_types });

/** Waits for requests to a path, and returns the last of them. */
async function arrivalAt(path: string, count = 1): Promise<Arrival> {
	const found = () => receiver.arrivals.filter((arrival) => arrival.path === path);
	await eventually(`a request to ${path} arrives`, () => found().length >= count, 20_000);
	return found().at(-1) as Arrival;
}

const unwrap = ({ body, headers }: Pick<Arrival, 'body' | 'headers'>, secret: string) =>
	client.webhooks.unwrap(body, headers as Record<string, string>, secret);

describe('webhook endpoints', () => {
	test('can be created, read, changed and deleted', async () => {
		const { signing_secret, ...endpoint } = await make('/life', 'A life');
		expect(signing_secret).toMatch(secretForm);
		expect(endpoint).toMatchObject({
			id: expect.stringMatching(/^whe_/),
			object: 'webhook_endpoint',
			name: 'A life',
			event_types,
			signing_secret_hint: expect.stringContaining(signing_secret.slice(-4)),
		});
		expect(await client.webhooks.retrieve(endpoint.id)).toEqual(endpoint);
		const change = { name: 'Another name', event_types: event_types.slice(0, 1) };
		expect(await client.webhooks.update(endpoint.id, change)).toMatchObject(change);
		expect(await client.webhooks.delete(endpoint.id)).toEqual({
			id: endpoint.id,
			object: 'webhook_endpoint.deleted',
			deleted: true,
		});
		const error = await caught(client.webhooks.retrieve(endpoint.id));
		expect(error).toBeInstanceOf(OpenAI.NotFoundError);
	});

	test('are listed once each over several pages', async () => {
		const ids = [];
		for (let index = 0; index < 25; index++) ids.push((await make(`/page/${index}`)).id);
		const listed: string[] = [];
		for await (const { id } of client.webhooks.list({ limit: 10 })) listed.push(id);
		expect(listed).toEqual(ids.toReversed());
		await Promise.all(ids.map((id) => client.webhooks.delete(id)));
		expect((await client.webhooks.list()).data).toEqual([]);
	});

	test('sign with a new secret, and also with the old one if it is kept', async () => {
		const path = '/rotated';
		const { id, ...first } = await make(path);
		const kept = await client.webhooks.rotateSecret(id, {
			keep_old_secret_active_for_24_hours: true,
		});
		await client.webhooks.test(id, { event_type: 'video.failed' });
		const both = await arrivalAt(path);
		for (const { signing_secret } of [first, kept]) {
			expect(await unwrap(both, signing_secret)).toMatchObject({ type: 'video.failed' });
		}
		const last = await client.webhooks.rotateSecret(id, {
			keep_old_secret_active_for_24_hours: false,
		});
		await client.webhooks.test(id, { event_type: 'video.failed' });
		const one = await arrivalAt(path, 2);
		expect(await unwrap(one, last.signing_secret)).toMatchObject({ type: 'video.failed' });
		for (const { signing_secret } of [first, kept]) {
			const error = await caught(unwrap(one, signing_secret));
			expect(error).toBeInstanceOf(OpenAI.InvalidWebhookSignatureError);
		}
		const implied = await client.webhooks.rotateSecret(id);
		expect(implied.signing_secret).toMatch(secretForm);
		await client.webhooks.delete(id);
	});

	test('can be tested, and the result has the response of the receiver', async () => {
		const { id } = await make('/tried');
		const event_type = 'video.completed';
		const result = { object: 'webhook_endpoint.test', webhook_endpoint_id: id, event_type };
		expect(await client.webhooks.test(id, { event_type })).toEqual({
			...result,
			status_code: 200,
			success: true,
		});
		receiver.behaviour = () => 'fail';
		expect(await client.webhooks.test(id, { event_type })).toMatchObject({ status_code: 500 });
		receiver.behaviour = () => 'ok';
		await client.webhooks.delete(id);
	});

	test('receive events of the listed types only', async () => {
		const { object, data } = await client.webhooks.eventTypes.list();
		expect([object, data]).toEqual(['list', expect.arrayContaining(event_types)]);
	});
});

describe('the webhook of a video', () => {
	const path = '/video';
	let secret: string;
	let videoId: string;
	let arrival: Arrival;

	beforeAll(async () => {
		const endpoint = await make(path);
		secret = endpoint.signing_secret;
		videoId = (await client.videos.create({ model: 'instant-1', prompt: 'a real one' })).id;
		arrival = await arrivalAt(path);
		await client.webhooks.delete(endpoint.id);
	});

	test('is unwrapped, and its id is that of the video', async () => {
		expect(await unwrap(arrival, secret)).toEqual({
			id: arrival.headers['webhook-id'],
			object: 'event',
			created_at: expect.any(Number),
			type: 'video.completed',
			data: { id: videoId },
		});
		expect(await client.videos.retrieve(videoId)).toMatchObject({ status: 'completed' });
	});

	test('is refused with another body', async () => {
		const body = arrival.body.replace(videoId, videoId.replace(/.$/, 'x'));
		expect(body).not.toBe(arrival.body);
		const error = await caught(unwrap({ ...arrival, body }, secret));
		expect(error).toBeInstanceOf(OpenAI.InvalidWebhookSignatureError);
	});

	test.each(['webhook-id', 'webhook-timestamp'])('is refused with another %s', async (name) => {
		const value = String(arrival.headers[name]);
		const other = value.replace(/.$/, (last) => (last === '1' ? '2' : '1'));
		const headers = { ...arrival.headers, [name]: other };
		const error = await caught(unwrap({ ...arrival, headers }, secret));
		expect(error).toBeInstanceOf(OpenAI.InvalidWebhookSignatureError);
	});

	test('is refused when it is old', async () => {
		const sentAt = Number(arrival.headers['webhook-timestamp']);
		const headers = { ...arrival.headers, 'webhook-timestamp': `${sentAt - 301}` };
		const error = await caught(unwrap({ ...arrival, headers }, secret));
		expect(error).toMatchObject({ message: expect.stringContaining('too old') });
	});

	test('arrives as a callback, too, if the job has one', async () => {
		const own = `whsec_${Buffer.alloc(32, 'callback').toString('base64')}`;
		const { id } = await client.videos.create({
			...{ model: 'instant-1', prompt: 'called back' },
			...{ callback_url: `${receiver.url}/callback`, callback_secret: own },
		});
		const event = await unwrap(await arrivalAt('/callback'), own);
		expect(event).toMatchObject({ type: 'video.completed', data: { id } });
	});
});

describe('a refusal', () => {
	test.each<readonly [string, () => PromiseLike<unknown>]>([
		['retrieve', () => client.webhooks.retrieve(unknownId)],
		['update', () => client.webhooks.update(unknownId, { name: 'x' })],
		['delete', () => client.webhooks.delete(unknownId)],
		['rotateSecret', () => client.webhooks.rotateSecret(unknownId)],
		['test', () => client.webhooks.test(unknownId, { event_type: 'video.failed' })],
	])('for an unknown id is a NotFoundError: %s', async (_, ask) => {
		const error = await caught(ask());
		expect(error).toBeInstanceOf(OpenAI.NotFoundError);
		expect(error).toMatchObject({
			status: 404,
			code: 'webhook_endpoint_not_found',
			param: null,
			requestID,
		});
	});

	test.each([
		['url', { url: 'ftp://example.com/' }],
		['name', { name: '' }],
		['event_types[0]', { event_types: ['batch.expired' as const] }],
	])('for an invalid %s is a BadRequestError that names it', async (param, wrong) => {
		const good = { name: 'good', url: `${receiver.url}/never`, event_types };
		const error = await caught(client.webhooks.create({ ...good, ...wrong }));
		expect(error).toBeInstanceOf(OpenAI.BadRequestError);
		expect(error).toMatchObject({ status: 400, param, requestID });
	});

	test('for an invalid callback is one, too, and no video is created', async () => {
		const before = (await client.videos.list({ limit: 100 })).data.length;
		const wrong = { callback_url: 'ftp://example.com/' };
		const error = await caught(client.videos.create({ model: 'instant-1', prompt: 'never', ...wrong }));
		expect(error).toBeInstanceOf(OpenAI.BadRequestError);
		expect(error).toMatchObject({ status: 400, param: 'callback_url', requestID });
		expect((await client.videos.list({ limit: 100 })).data).toHaveLength(before);
	});
});

async function caught(work: PromiseLike<unknown>): Promise<unknown> {
	try {
		await work;
	} catch (error) {
		return error;
	}
	throw new Error('Nothing was thrown.');
}
