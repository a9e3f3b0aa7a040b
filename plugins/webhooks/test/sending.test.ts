import { eventually } from '@plinth/testing';
import OpenAI from 'openai';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { activeSecrets, rotated } from '../src/endpoints.ts';
import { defaultWaits } from '../src/options.ts';
import { makeSecret } from '../src/secrets.ts';
import { type Received, status } from './receiver.ts';
import { type SharedStores, tenant, waitForDeliveries } from './shared-stores.ts';
import { startProcess } from './start-process.ts';

const day = 24 * 60 * 60 * 1000;
const refuse = status(500);

/** Jumps to an instant, without timers in between. */
async function jumpTo({ clock }: SharedStores, at: number): Promise<void> {
	clock.jump(at - clock.now() - 1_000);
	await clock.advance(1_000);
}

/** Whether a request is signed with a secret. */
function isSigned({ headers, body }: Received, secret: string): boolean {
	const id = String(headers['webhook-id']);
	const at = new Date(Number(headers['webhook-timestamp']) * 1000);
	const signature = new Webhook(secret).sign(id, at, body);
	return signatureOf({ headers }).split(' ').includes(signature);
}

function signatureOf({ headers }: Pick<Received, 'headers'>): string {
	return [headers['webhook-signature'] ?? ''].flat().join();
}

describe('an event', () => {
	it('is sent as a thin event whose signature the official SDK verifies', async () => {
		const { setup, receiver, endpoint, ended } = await startProcess();
		setup.clock.jump(Date.now() - setup.clock.now());
		const jobId = await ended();
		await waitForDeliveries(setup, 'delivered');
		const [request] = receiver.received as [Received];
		const client = new OpenAI({ apiKey: 'none', webhookSecret: endpoint.secret });
		const { body, headers } = request;
		const event = await client.webhooks.unwrap(body, headers as Record<string, string>);
		expect(event).toEqual({
			id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
			object: 'event',
			created_at: expect.any(Number),
			type: 'video.completed',
			data: { id: jobId },
		});
		expect(headers).toMatchObject({
			'webhook-id': event.id,
			'content-type': 'application/json',
			'user-agent': expect.stringMatching(/^Plinth-Webhooks\/\d/),
		});
	});

	it('is sent to the endpoints of its tenant that subscribe to its type and existed when it occurred', async () => {
		const { setup, receiver, machine } = await startProcess();
		const given = { name: 'other', url: receiver.url };
		const failures = { ...given, eventTypes: ['video.failed'] };
		const wanting = await machine.endpoints.create(tenant, failures);
		await machine.endpoints.create('umbrella', failures);
		await setup.end({ fails: true });
		await setup.end();
		setup.clock.jump(1);
		await machine.endpoints.create(tenant, failures);
		machine.wake();
		const deliveries = await waitForDeliveries(setup, 'delivered', 'delivered', 'delivered');
		expect(receiver.received).toHaveLength(3);
		const wanted = deliveries.filter(({ endpointId }) => endpointId === wanting.id);
		expect(wanted.map(({ event }) => event.type)).toEqual(['video.failed']);
	});

	it('about a cancelled job is a failure', async () => {
		const { setup, receiver, ended } = await startProcess();
		await ended({ fails: true });
		await waitForDeliveries(setup, 'delivered');
		expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({ type: 'video.failed' });
	});

	it('is sent to the callback of its job, signed when there is a secret', async () => {
		const { receiver, ended } = await startProcess();
		const secret = makeSecret();
		const url = new URL('/callback', receiver.url).href;
		await ended({ callback: { url, secret }, tenant: 'umbrella' });
		await ended({ callback: { url, secret: null }, tenant: 'umbrella' });
		await eventually('both came', () => receiver.received.length === 2);
		const [signed, plain] = receiver.received.toSorted((a, b) => signatureOf(b).length - signatureOf(a).length) as [
			Received,
			Received,
		];
		expect([signed.path, plain.path]).toEqual(['/callback', '/callback']);
		expect(isSigned(signed, secret)).toBe(true);
		expect(plain.headers).not.toHaveProperty('webhook-signature');
		expect(plain.headers['webhook-id']).toMatch(/^evt_/);
	});
});

describe('the retry schedule', () => {
	it('has waits from five seconds to ten hours, with the same id, a new time and a new signature', async () => {
		const { setup, receiver, endpoint, ended } = await startProcess();
		receiver.answer = refuse;
		await ended();
		const began = setup.clock.now();
		for (const [index, wait] of defaultWaits.entries()) {
			const count = index + 1;
			await eventually(`attempt ${count}`, () => receiver.received.length === count);
			const [delivery] = await waitForDeliveries(setup, 'pending');
			const last = delivery?.attempts.at(-1)?.at ?? 0;
			expect(delivery?.nextAttemptAt).toBe(last + wait);
			await jumpTo(setup, last + wait - 1);
			expect(receiver.received).toHaveLength(count);
			// Workers poll for due jobs each second.
			await setup.clock.advance(1_000);
		}
		const [delivery] = await waitForDeliveries(setup, 'failed');
		expect(delivery?.attempts[0]).toEqual({
			at: began,
			statusCode: 500,
			failure: 'the receiver answered 500',
			durationMs: 0,
		});
		expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
		expect(receiver.received.every((request) => isSigned(request, endpoint.secret))).toBe(true);
		const times = receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']));
		expect(times).toEqual(delivery?.attempts.map((attempt) => Math.floor(attempt.at / 1000)));
		await jumpTo(setup, setup.clock.now() + day);
		expect(receiver.received).toHaveLength(8);
	});

	it('ends with the first success', async () => {
		const { setup, receiver, ended } = await startProcess([500, 500]);
		receiver.answer = refuse;
		await ended();
		await waitForDeliveries(setup, 'pending');
		receiver.answer = status(204);
		await setup.clock.advance(1_000);
		const [delivery] = await waitForDeliveries(setup, 'delivered');
		expect(delivery?.attempts.map(({ statusCode }) => statusCode)).toEqual([500, 204]);
	});

	it.each([
		['seconds', '3600', 3_600_000],
		['a shorter time than the schedule', '1', 5_000],
		['more than a day', '9999999', day],
		['something else', 'soon', 5_000],
	])('respects a Retry-After of %s', async (_, header, wait) => {
		const { setup, receiver, ended } = await startProcess();
		receiver.answer = status(503, { 'retry-after': header });
		await ended();
		const [delivery] = await waitForDeliveries(setup, 'pending');
		expect(delivery?.nextAttemptAt).toBe((delivery?.createdAt ?? 0) + wait);
	});

	it('treats a redirect as a failure and does not follow it', async () => {
		const { setup, receiver, ended } = await startProcess([]);
		receiver.answer = status(307, { location: new URL('/elsewhere', receiver.url).href });
		await ended();
		const [delivery] = await waitForDeliveries(setup, 'failed');
		expect(receiver.received).toHaveLength(1);
		expect(delivery?.attempts).toMatchObject([
			{ statusCode: 307, failure: 'the receiver answered 307, and redirects are not followed' },
		]);
	});

	it('aborts a request after fifteen seconds', async () => {
		const { setup, receiver, ended } = await startProcess([]);
		receiver.answer = () => {};
		await ended();
		await eventually('it was sent', () => receiver.received.length === 1);
		await setup.clock.advance(15_000);
		const [delivery] = await waitForDeliveries(setup, 'failed');
		expect(delivery?.attempts).toMatchObject([
			{ statusCode: null, failure: 'no answer came within 15 seconds', durationMs: 15_000 },
		]);
	});

	it('records a readable reason when there is no response', async () => {
		const { setup, machine, endpoint, ended } = await startProcess([]);
		await machine.endpoints.change(tenant, endpoint.id, (record) => ({
			...record,
			url: 'http://127.0.0.1:1/',
		}));
		await ended();
		const [delivery] = await waitForDeliveries(setup, 'failed');
		expect(delivery).toMatchObject({
			url: 'http://127.0.0.1:1/',
			attempts: [{ statusCode: null, failure: 'the connection was refused' }],
		});
	});

	it('keeps the latest fifty attempts', async () => {
		const { setup, receiver, ended } = await startProcess(Array.from({ length: 54 }, () => 0));
		receiver.answer = refuse;
		await ended();
		const [delivery] = await waitForDeliveries(setup, 'failed');
		expect(receiver.received).toHaveLength(55);
		expect(delivery?.attempts).toHaveLength(50);
	});
});

describe('an endpoint', () => {
	it('whose receiver responds 410 is disabled immediately, and its other deliveries are cancelled', async () => {
		const { setup, receiver, machine, endpoint, ended } = await startProcess();
		receiver.answer = refuse;
		await ended();
		await waitForDeliveries(setup, 'pending');
		receiver.answer = status(410);
		await ended();
		await waitForDeliveries(setup, 'failed', 'pending');
		await eventually('it is disabled', async () => {
			const found = await machine.endpoints.find(tenant, endpoint.id);
			return found?.disabled?.reason === 'gone';
		});
		await setup.clock.advance(10_000);
		await waitForDeliveries(setup, 'failed', 'cancelled');
		await ended();
		expect(await setup.deliveries()).toHaveLength(2);
		expect(receiver.received).toHaveLength(2);
	});

	it('whose URL was changed before a late 410 stays enabled', async () => {
		const { setup, receiver, machine, endpoint, ended } = await startProcess();
		const held: (() => void)[] = [];
		receiver.answer = (response) => held.push(() => response.writeHead(410).end());
		await ended();
		await eventually('the request waits for its answer', () => held.length === 1);
		const url = new URL('/new', receiver.url).href;
		await machine.endpoints.change(tenant, endpoint.id, (record) => ({ ...record, url }));
		for (const answer of held) answer();
		await waitForDeliveries(setup, 'failed');
		receiver.answer = status(200);
		await ended();
		await waitForDeliveries(setup, 'delivered', 'failed');
		expect(receiver.received.map(({ path }) => path)).toEqual(['/hook', '/new']);
		expect((await machine.endpoints.find(tenant, endpoint.id))?.disabled).toBeNull();
	});

	it('that has only failed for five days is disabled', async () => {
		const { setup, receiver, machine, endpoint, ended } = await startProcess([]);
		const find = () => machine.endpoints.find(tenant, endpoint.id);
		const fail = async () => {
			receiver.answer = refuse;
			const before = receiver.received.length;
			await ended();
			await eventually('it came', () => receiver.received.length > before);
			await eventually('it ended', async () => (await setup.deliveries())[0]?.status === 'failed');
		};
		await fail();
		await eventually('the failure is noted', async () => (await find())?.failingSince !== null);
		await jumpTo(setup, setup.clock.now() + 4 * day);
		receiver.answer = status(200);
		await ended();
		await eventually('the success is noted', async () => (await find())?.failingSince === null);
		await fail();
		await eventually('the failure is noted', async () => (await find())?.failingSince !== null);
		const since = (await find())?.failingSince ?? 0;
		await jumpTo(setup, since + 5 * day - 2_000);
		await fail();
		expect((await find())?.disabled).toBeNull();
		await jumpTo(setup, since + 5 * day);
		await fail();
		await eventually('it is disabled', async () => (await find())?.disabled !== null);
		expect((await find())?.disabled?.reason).toBe('failing');
	});

	it('signs with both secrets for a day after a rotation, then with the new one only', async () => {
		const { setup, receiver, machine, endpoint, ended } = await startProcess();
		const fresh = makeSecret();
		await machine.endpoints.change(tenant, endpoint.id, (record) => rotated(record, fresh, setup.clock.now(), true));
		await ended();
		await waitForDeliveries(setup, 'delivered');
		await jumpTo(setup, setup.clock.now() + day);
		await ended();
		await eventually('both came', () => receiver.received.length === 2);
		const [during, after] = receiver.received as [Received, Received];
		expect([isSigned(during, endpoint.secret), isSigned(during, fresh)]).toEqual([true, true]);
		expect([isSigned(after, endpoint.secret), isSigned(after, fresh)]).toEqual([false, true]);
	});

	it('signs with valid secrets, for any number of expired ones', async () => {
		const { setup, endpoint } = await startProcess();
		const now = setup.clock.now();
		const [expired, living, fresh] = [makeSecret(), makeSecret(), makeSecret()];
		const old = Array.from({ length: 3 }, () => ({ secret: expired, until: now }));
		const oldSecrets = [...old, { secret: living, until: now + 1 }];
		const record = rotated({ ...endpoint, oldSecrets }, fresh, now, true);
		expect(activeSecrets(record, now)).toEqual([fresh, endpoint.secret, living]);
	});

	it('gets no requests after its deletion, and the current request is aborted', async () => {
		const { setup, receiver, machine, endpoint, ended } = await startProcess();
		receiver.answer = refuse;
		await ended();
		await waitForDeliveries(setup, 'pending');
		receiver.answer = () => {};
		await ended();
		await eventually('one hangs', () => receiver.received.length === 2);
		await machine.remove(endpoint);
		await waitForDeliveries(setup, 'cancelled', 'pending');
		await eventually('the request ended', () => receiver.received[1]?.isGone() === true);
		await setup.clock.advance(10_000);
		await waitForDeliveries(setup, 'cancelled', 'cancelled');
		expect(receiver.received).toHaveLength(2);
	});

	it('gets no requests after its deletion by another process', async () => {
		const { setup, receiver, machine, endpoint, ended } = await startProcess();
		receiver.answer = refuse;
		await ended();
		await waitForDeliveries(setup, 'pending');
		await machine.endpoints.remove(tenant, endpoint.id);
		await setup.clock.advance(5_000);
		await waitForDeliveries(setup, 'cancelled');
		expect(receiver.received).toHaveLength(1);
	});
});

describe('a delivery', () => {
	it('is deleted with all its records seven days after its end', async () => {
		const { setup, ended } = await startProcess();
		await ended();
		const [delivery] = await waitForDeliveries(setup, 'delivered');
		const week = 7 * day;
		await jumpTo(setup, (delivery?.endedAt ?? 0) + week - 120_000);
		await setup.clock.advance(60_000);
		expect(await setup.deliveries()).toHaveLength(1);
		await eventually('it is deleted', async () => {
			await setup.clock.advance(60_000);
			return (await setup.purges()).length === 0;
		});
		expect(await setup.deliveries()).toEqual([]);
	});

	it('that is interrupted by a stop is sent again at the next start', async () => {
		const { setup, receiver, machine, ended } = await startProcess();
		receiver.answer = () => {};
		await ended();
		await eventually('it hangs', () => receiver.received.length === 1);
		await machine.stop();
		expect(await setup.deliveries()).toMatchObject([{ status: 'pending', tries: 0, attempts: [] }]);
		receiver.answer = status(200);
		await setup.createProcess().start();
		await waitForDeliveries(setup, 'delivered');
	});
});
