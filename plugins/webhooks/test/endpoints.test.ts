import { errorOf, eventually } from '@plinth/testing';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { type Harness, harness } from './harness.ts';
import { type Received, startReceiver, status } from './receiver.ts';

const given = {
	name: 'Renders',
	url: 'http://127.0.0.1:9/hook',
	event_types: ['video.completed', 'video.failed'] as ('video.completed' | 'video.failed')[],
};
const unknown = `whe_${'0'.repeat(44)}`;

interface Shown {
	readonly id: string;
	readonly status: string;
	readonly disabled_reason: string | null;
	readonly disabled_at: number | null;
	readonly updated_at: number;
}

async function shown({ send }: Harness, id: string): Promise<Shown> {
	return (await (await send('GET', `/v1/webhook_endpoints/${id}`)).json()) as Shown;
}

describe('the official SDK', () => {
	it('creates an endpoint, whose secret is returned only this time', async () => {
		const { client, clock, send } = await harness();
		const seconds = Math.floor(clock.now() / 1000);
		const created = await client().webhooks.create(given);
		expect(created).toEqual({
			...given,
			id: expect.stringMatching(/^whe_[0-9a-f]{44}$/),
			object: 'webhook_endpoint',
			created_at: seconds,
			updated_at: seconds,
			signing_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{40}$/),
			signing_secret_hint: `whsec_…${created.signing_secret.slice(-4)}`,
			status: 'enabled',
			disabled_reason: null,
			disabled_at: null,
		});
		const { signing_secret: secret, ...rest } = created;
		expect(await client().webhooks.retrieve(created.id)).toEqual(rest);
		for (const path of [`/v1/webhook_endpoints/${created.id}`, '/v1/webhook_endpoints']) {
			expect(await (await send('GET', path)).text()).not.toContain(secret);
		}
	});

	it('lists endpoints by page, newest first', async () => {
		const { client, send } = await harness();
		const { webhooks } = client();
		for (const name of ['a', 'b', 'c']) await webhooks.create({ ...given, name });
		const names: string[] = [];
		for await (const { name } of webhooks.list({ limit: 2, after: null })) names.push(name);
		expect(names).toEqual(['c', 'b', 'a']);
		const page = (await (await send('GET', '/v1/webhook_endpoints?limit=2')).json()) as {
			readonly data: readonly Shown[];
		};
		const [first, last] = page.data.map(({ id }) => id);
		const rest = { object: 'list', first_id: first, last_id: last, has_more: true };
		expect(page).toMatchObject(rest);
		expect((await client('bob').webhooks.list()).data).toEqual([]);
	});

	it('updates the given members; an update without changes has no effect', async () => {
		const { client, clock } = await harness();
		const { webhooks } = client();
		const { id, created_at } = await webhooks.create(given);
		clock.jump(5_000);
		const same = { ...given, event_types: given.event_types.toReversed() };
		expect(await webhooks.update(id, same)).toMatchObject({ updated_at: created_at });
		const updated = await webhooks.update(id, { event_types: ['video.failed', 'video.failed'] });
		expect(updated).toMatchObject({
			name: 'Renders',
			url: given.url,
			event_types: ['video.failed'],
			updated_at: created_at + 5,
		});
	});

	it('deletes an endpoint', async () => {
		const { client } = await harness();
		const { webhooks } = client();
		const { id } = await webhooks.create(given);
		expect(await webhooks.delete(id)).toEqual({
			id,
			object: 'webhook_endpoint.deleted',
			deleted: true,
		});
		await expect(webhooks.retrieve(id)).rejects.toMatchObject({ status: 404 });
	});

	it('rotates the secret, and the old one expires immediately unless it is kept', async () => {
		const { client, clock } = await harness();
		const receiver = await startReceiver();
		const { webhooks } = client();
		const { id, ...first } = await webhooks.create({ ...given, url: receiver.url });
		const signers = async () => {
			await webhooks.test(id, { event_type: 'video.completed' });
			return signersOf(receiver.received.at(-1));
		};
		clock.jump(1_000);
		const kept = { keep_old_secret_active_for_24_hours: true };
		const second = await webhooks.rotateSecret(id, kept);
		expect(second).toMatchObject({ updated_at: first.created_at + 1 });
		expect((await signers())(first.signing_secret)).toBe(true);
		const third = await webhooks.rotateSecret(id);
		expect(third.signing_secret_hint).toBe(`whsec_…${third.signing_secret.slice(-4)}`);
		const isSigner = await signers();
		const all = [first, second, third].map(({ signing_secret }) => isSigner(signing_secret));
		expect(all).toEqual([false, false, true]);
	});

	it('sends a test event, whatever the receiver responds', async () => {
		const { client, send } = await harness();
		const receiver = await startReceiver();
		receiver.answer = status(503);
		const { webhooks } = client();
		const { id } = await webhooks.create({ ...given, url: receiver.url });
		expect(await webhooks.test(id, { event_type: 'video.failed' })).toEqual({
			object: 'webhook_endpoint.test',
			webhook_endpoint_id: id,
			event_type: 'video.failed',
			status_code: 503,
			success: true,
		});
		expect(JSON.parse(receiver.received[0]?.body ?? '')).toEqual({
			id: receiver.received[0]?.headers['webhook-id'],
			object: 'event',
			created_at: expect.any(Number),
			type: 'video.failed',
			data: { id: expect.stringMatching(/^video_0+$/) },
		});
		const deliveries = await (await send('GET', '/v1/webhook_deliveries')).json();
		expect(deliveries).toMatchObject({ data: [] });
	});

	it('lists the event types: the ends of all kinds of jobs', async () => {
		const { client } = await harness();
		expect(await client().webhooks.eventTypes.list()).toEqual({
			object: 'list',
			data: ['video.completed', 'video.failed', 'render.completed', 'render.failed'],
		});
	});
});

describe('a rejection', () => {
	it.each([
		['a missing name', { name: undefined }, 'missing_required_parameter', 'name'],
		['an empty name', { name: '' }, 'string_below_min_length', 'name'],
		['a long name', { name: 'x'.repeat(257) }, 'string_above_max_length', 'name'],
		['a name of another type', { name: { toString: 1 } }, 'invalid_type', 'name'],
		['a long url', { url: `https://e.test/${'x'.repeat(2048)}` }, 'string_above_max_length', 'url'],
		['no url', { url: 'hello' }, 'invalid_value', 'url'],
		['another scheme', { url: 'ftp://example.com/' }, 'invalid_value', 'url'],
		['credentials', { url: 'https://a:b@example.com/' }, 'invalid_value', 'url'],
		['no types', { event_types: [] }, 'invalid_value', 'event_types'],
		['a text for the types', { event_types: 'video.completed' }, 'invalid_type', 'event_types'],
		['an unknown type', { event_types: ['video.completed', 'job.completed'] }, 'invalid_value', 'event_types[1]'],
	])('of %s has the parameter', async (_, wrong, code, param) => {
		const { send, client } = await harness();
		const created = await send('POST', '/v1/webhook_endpoints', { ...given, ...wrong });
		expect(await errorOf(created)).toMatchObject({ status: 400, code, param });
		const { id } = await client().webhooks.create(given);
		const [value] = Object.values(wrong);
		if (value === undefined) return;
		const updated = await send('POST', `/v1/webhook_endpoints/${id}`, wrong);
		expect(await errorOf(updated)).toMatchObject({ status: 400, code, param });
	});

	it.each([
		'http://example.com/',
		'https://127.0.0.1/',
		'https://[::1]/',
		'https://localhost/',
		'https://169.254.169.254/latest',
		'https://10.1.2.3:8443/',
	])('of %s occurs unless the operator allows private networks', async (url) => {
		const { send } = await harness({ options: { allowPrivate: false } });
		const response = await send('POST', '/v1/webhook_endpoints', { ...given, url });
		expect(await errorOf(response)).toMatchObject({ status: 400, param: 'url' });
		const { data } = (await (await send('GET', '/v1/webhook_endpoints')).json()) as { data: [] };
		expect(data).toEqual([]);
	});

	it('of unknown, foreign and malformed ids is the same on all routes', async () => {
		const { send, client } = await harness();
		const foreign = await client('bob').webhooks.create(given);
		const answers = new Set<string>();
		for (const id of [unknown, foreign.id, 'whe_1', 'video_1', '%00', 'x'.repeat(500)]) {
			for (const [method, path, json] of [
				['GET', ''],
				['POST', '', { name: 'x', event_types: ['nothing'] }],
				['DELETE', ''],
				['POST', '/rotate_secret', {}],
				['POST', '/test', { event_type: 'nothing' }],
			] as const) {
				const response = await send(method, `/v1/webhook_endpoints/${id}${path}`, json);
				answers.add(JSON.stringify(await errorOf(response)));
			}
		}
		expect([...answers].map((answer) => JSON.parse(answer))).toEqual([
			{
				status: 404,
				type: 'invalid_request_error',
				code: 'webhook_endpoint_not_found',
				param: null,
				message: 'There is no such webhook endpoint.',
			},
		]);
	});

	it('of a test has the event type, or says that no server responds', async () => {
		const { send, client } = await harness();
		const { id } = await client().webhooks.create({ ...given, url: 'http://127.0.0.1:1/' });
		const test = (event_type: unknown) => send('POST', `/v1/webhook_endpoints/${id}/test`, { event_type });
		const invalid = { status: 400, code: 'invalid_value', param: 'event_type' };
		expect(await errorOf(await test('video.deleted'))).toMatchObject(invalid);
		expect(await errorOf(await test('video.completed'))).toEqual({
			status: 400,
			type: 'invalid_request_error',
			code: 'webhook_unreachable',
			param: null,
			message: 'The receiver cannot be reached: the connection was refused.',
		});
	});

	it('of the hundred and first endpoint is clear, also for concurrent requests', async () => {
		const { send } = await harness();
		const create = () => send('POST', '/v1/webhook_endpoints', given);
		const responses = await Promise.all(Array.from({ length: 103 }, create));
		const refused = responses.filter(({ status: code }) => code !== 200);
		expect(refused).toHaveLength(3);
		expect(await errorOf(refused[0] as Response)).toMatchObject({
			status: 400,
			code: 'too_many_webhook_endpoints',
		});
		expect((await send('POST', '/v1/webhook_endpoints', given, 'bob')).status).toBe(200);
	});

	it.each([
		['limit=0', 'limit'],
		['limit=101', 'limit'],
		['after=video_1', 'after'],
	])('of %s in a list has the parameter', async (query, param) => {
		const { send } = await harness();
		for (const path of ['/v1/webhook_endpoints', '/v1/webhook_deliveries']) {
			const response = await send('GET', `${path}?${query}`);
			expect(await errorOf(response)).toMatchObject({ status: 400, param });
		}
	});

	it('is returned to keys without the scope', async () => {
		const { send } = await harness();
		for (const [method, path, scope] of [
			['GET', '/v1/webhook_endpoints', 'webhooks:write'],
			['POST', '/v1/webhook_endpoints', 'webhooks:read'],
			['POST', `/v1/webhook_endpoints/${unknown}`, 'webhooks:read'],
			['DELETE', `/v1/webhook_endpoints/${unknown}`, 'webhooks:read'],
			['POST', `/v1/webhook_endpoints/${unknown}/rotate_secret`, 'webhooks:read'],
			['POST', `/v1/webhook_endpoints/${unknown}/test`, 'webhooks:read'],
			['GET', '/v1/webhook_event_types', 'webhooks:write'],
			['GET', '/v1/webhook_deliveries', 'webhooks:write'],
			['POST', `/v1/webhook_deliveries/${unknown}/resend`, 'webhooks:read'],
		] as const) {
			const response = await send(method, path, undefined, `alice.${scope}`);
			expect(response.status).toBe(403);
		}
	});
});

describe('a disabled endpoint', () => {
	it.each([
		['the status enabled', { status: 'enabled' }],
		['another address', { url: 'http://127.0.0.1:9/other' }],
	])('has a reason, and is enabled by %s', async (_, update) => {
		const test = await harness();
		const receiver = await startReceiver();
		receiver.answer = status(410);
		const { id } = await test.client().webhooks.create({ ...given, url: receiver.url });
		await test.end();
		await eventually('it is disabled', async () => (await shown(test, id)).status === 'disabled');
		const { disabled_reason, disabled_at, updated_at } = await shown(test, id);
		const now = Math.floor(test.clock.now() / 1000);
		expect([disabled_reason, disabled_at]).toEqual(['gone', now]);
		expect(updated_at).toBeLessThan(now);
		await test.send('POST', `/v1/webhook_endpoints/${id}`, update);
		expect(await shown(test, id)).toMatchObject({
			status: 'enabled',
			disabled_reason: null,
			disabled_at: null,
			updated_at: now,
		});
	});
});

/** Tests whether a request is signed with a secret. */
function signersOf(request: Received | undefined): (secret: string) => boolean {
	const headers = request?.headers ?? {};
	const at = new Date(Number(headers['webhook-timestamp']) * 1000);
	return (secret) => {
		const id = String(headers['webhook-id']);
		const signature = new Webhook(secret).sign(id, at, request?.body ?? '');
		return String(headers['webhook-signature']).split(' ').includes(signature);
	};
}
