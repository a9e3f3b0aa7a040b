import { services } from '@plinth/core';
import { errorOf, eventually } from '@plinth/testing';
import { describe, expect, it } from 'vitest';
import { type Harness, harness } from './harness.ts';
import { type Received, startReceiver, status } from './receiver.ts';

const given = { name: 'Renders', event_types: ['video.completed' as const] };

interface Delivery {
	readonly id: string;
	readonly status: string;
	readonly webhook_endpoint_id: string | null;
	readonly job_id: string;
	readonly attempts: readonly object[];
}

async function list({ send }: Harness, query = '', key?: string) {
	const response = await send('GET', `/v1/webhook_deliveries${query}`, undefined, key);
	return (await response.json()) as {
		readonly data: readonly Delivery[];
		readonly has_more: boolean;
		readonly last_id: string | null;
	};
}

/** Waits until the deliveries have these statuses. */
async function wait(test: Harness, ...statuses: readonly string[]): Promise<readonly Delivery[]> {
	let data: readonly Delivery[] = [];
	await eventually(`deliveries are ${statuses.join()}`, async () => {
		({ data } = await list(test));
		return data.map((delivery) => delivery.status).join() === statuses.join();
	});
	return data;
}

describe('deliveries', () => {
	it('are returned with their attempts', async () => {
		const test = await harness();
		const receiver = await startReceiver();
		const endpoint = await test.client().webhooks.create({ ...given, url: receiver.url });
		const jobId = await test.end();
		const [delivery] = await wait(test, 'delivered');
		const now = Math.floor(test.clock.now() / 1000);
		expect(delivery).toEqual({
			id: expect.stringMatching(/^whd_[0-9a-f]{44}$/),
			object: 'webhook_delivery',
			webhook_endpoint_id: endpoint.id,
			url: receiver.url,
			event_id: receiver.received[0]?.headers['webhook-id'],
			event_type: 'video.completed',
			job_id: jobId,
			status: 'delivered',
			created_at: now,
			next_attempt_at: null,
			attempts: [{ at: now, status_code: 200, failure: null, duration_ms: 0 }],
		});
		const path = `/v1/webhook_deliveries/${delivery?.id}`;
		expect(await (await test.send('GET', path)).json()).toEqual(delivery);
	});

	it('are listed by page, newest first, all or those of one endpoint', async () => {
		const test = await harness();
		const receiver = await startReceiver();
		const { id } = await test.client().webhooks.create({ ...given, url: receiver.url });
		const jobs = [await test.end(), await test.end()];
		const callback = { url: receiver.url, secret: null };
		jobs.push(await test.end('alice', callback));
		await test.end('bob', callback);
		await wait(test, 'delivered', 'delivered', 'delivered', 'delivered');
		const first = await list(test, '?limit=3');
		const rest = await list(test, `?limit=3&after=${first.last_id}`);
		expect([first.has_more, rest.has_more]).toEqual([true, false]);
		const seen = [...first.data, ...rest.data].map(({ job_id }) => job_id);
		expect(seen).toEqual([jobs[2], jobs[2], jobs[1], jobs[0]]);
		const own = await list(test, `?webhook_endpoint_id=${id}`);
		expect(own.data.map(({ job_id }) => job_id)).toEqual(jobs.toReversed());
		expect((await list(test, `?webhook_endpoint_id=${id}`, 'bob')).data).toEqual([]);
		const wrong = await test.send('GET', '/v1/webhook_deliveries?webhook_endpoint_id=1');
		const refusal = { status: 400, param: 'webhook_endpoint_id' };
		expect(await errorOf(wrong)).toMatchObject(refusal);
	});

	it('of callbacks have no endpoint, and do not contain the secret', async () => {
		const test = await harness();
		const receiver = await startReceiver();
		const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
		await test.end('alice', { url: receiver.url, secret });
		const [delivery] = await wait(test, 'delivered');
		expect(delivery).toMatchObject({ webhook_endpoint_id: null, url: receiver.url });
		expect(JSON.stringify(delivery)).not.toContain(secret);
	});

	it('are resent with the same id, and only while their endpoint subscribes to them', async () => {
		const test = await harness();
		const receiver = await startReceiver();
		const { webhooks } = test.client();
		const { id } = await webhooks.create({ ...given, url: receiver.url });
		await test.end();
		const [delivery] = await wait(test, 'delivered');
		const resend = () => test.send('POST', `/v1/webhook_deliveries/${delivery?.id}/resend`);
		receiver.answer = status(410);
		const now = Math.floor(test.clock.now() / 1000);
		expect(await (await resend()).json()).toMatchObject({
			status: 'pending',
			next_attempt_at: now,
			attempts: delivery?.attempts,
		});
		await wait(test, 'failed');
		const [first, again] = receiver.received as [Received, Received];
		expect(again.headers['webhook-id']).toBe(first.headers['webhook-id']);
		await eventually('the endpoint is disabled', async () => (await resend()).status === 400);
		expect((await errorOf(await resend())).code).toBe('webhook_endpoint_disabled');
		await webhooks.delete(id);
		expect((await errorOf(await resend())).code).toBe('webhook_endpoint_deleted');
	});

	it('have the whole retry schedule again when they are resent', async () => {
		const test = await harness({ options: { retrySeconds: [1] } });
		const receiver = await startReceiver();
		receiver.answer = status(500);
		await test.client().webhooks.create({ ...given, url: receiver.url });
		await test.end();
		const reach = (count: number) =>
			eventually(`attempt ${count}`, async () => {
				if (receiver.received.length < count) await test.clock.advance(1_000);
				return receiver.received.length === count;
			});
		await reach(2);
		const [failed] = await wait(test, 'failed');
		const resend = () => test.send('POST', `/v1/webhook_deliveries/${failed?.id}/resend`);
		const answers = await Promise.all([resend(), resend()]);
		expect(answers.map((answer) => answer.status)).toEqual([200, 200]);
		await reach(4);
		const [again] = await wait(test, 'failed');
		expect(again?.attempts).toHaveLength(4);
		expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
	});

	it('of a deleted endpoint are cancelled', async () => {
		const test = await harness();
		const receiver = await startReceiver();
		receiver.answer = status(500);
		const { webhooks } = test.client();
		const { id } = await webhooks.create({ ...given, url: receiver.url });
		await test.end();
		await eventually('it was tried', async () => (await list(test)).data[0]?.attempts.length === 1);
		await webhooks.delete(id);
		await wait(test, 'cancelled');
	});

	it('do not cause events themselves', async () => {
		const test = await harness();
		const receiver = await startReceiver();
		await test.end('alice', { url: receiver.url, secret: null });
		await wait(test, 'delivered');
		const store = test.app.service(services.jobs);
		const { events } = await store.events(undefined, { tenant: 'alice', limit: 100 });
		expect(events.map(({ kind }) => kind)).toEqual(['video', 'video', 'video']);
		await test.clock.advance(2_000);
		expect(receiver.received).toHaveLength(1);
		expect(test.app.service(services.jobKinds).names()).toEqual(['video', 'render']);
	});

	it('are 404 for unknown, foreign and malformed ids alike', async () => {
		const test = await harness();
		const receiver = await startReceiver();
		await test.end('bob', { url: receiver.url, secret: null });
		await eventually('it came', () => receiver.received.length === 1);
		const [foreign] = (await list(test, '', 'bob')).data;
		const answers = new Set<string>();
		for (const id of [foreign?.id, `whd_${'0'.repeat(44)}`, 'whd_1', '%00']) {
			for (const [method, path] of [
				['GET', ''],
				['POST', '/resend'],
			] as const) {
				const response = await test.send(method, `/v1/webhook_deliveries/${id}${path}`);
				answers.add(JSON.stringify(await errorOf(response)));
			}
		}
		expect([...answers].map((answer) => JSON.parse(answer))).toEqual([
			{
				status: 404,
				type: 'invalid_request_error',
				code: 'webhook_delivery_not_found',
				param: null,
				message: 'There is no such webhook delivery.',
			},
		]);
	});
});

describe('a callback', () => {
	const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

	it.each([
		['no url', 'hello', null, 'callback_url'],
		['a long url', `https://e.test/${'x'.repeat(2048)}`, null, 'callback_url'],
		['a private address', 'https://192.168.1.1/', null, 'callback_url'],
		['plain http', 'http://93.184.216.34/', null, 'callback_url'],
		['a secret of another form', 'https://93.184.216.34/', 'secret', 'callback_secret'],
		['a short secret', 'https://93.184.216.34/', 'whsec_AAAA', 'callback_secret'],
		['a long secret', 'https://93.184.216.34/', `whsec_${'A'.repeat(92)}`, 'callback_secret'],
		['a secret that is no base64', 'https://93.184.216.34/', `${secret}!`, 'callback_secret'],
	])('with %s is rejected', async (_, url, given, param) => {
		const { callbacks } = await harness({ options: { allowPrivate: false } });
		const refusal = { code: 'E_VALUE_INVALID', param };
		await expect(callbacks.check({ url, secret: given })).rejects.toMatchObject(refusal);
	});

	it('with a public URL and a valid secret is accepted', async () => {
		const { callbacks } = await harness({ options: { allowPrivate: false } });
		await callbacks.check({ url: 'https://93.184.216.34/done', secret });
		await callbacks.check({ url: 'https://93.184.216.34/done', secret: null });
	});
});
