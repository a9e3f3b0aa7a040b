import { eventually } from '@plinth/testing';
import { Egress, type EgressRequest, type EgressResponse } from '@plinth/toolkit';
import { describe, expect, it } from 'vitest';
import { harness } from './harness.ts';
import { startReceiver, status } from './receiver.ts';
import { createSharedStores, endpointAt, waitForDeliveries } from './shared-stores.ts';
import { startProcess } from './start-process.ts';

describe('a receiver that does not respond', () => {
	it('gets four requests at a time and delays no other receiver', async () => {
		const { setup, receiver, machine, ended } = await startProcess();
		const other = await startReceiver();
		receiver.answer = () => {};
		for (let count = 0; count < 300; count++) await setup.end();
		machine.wake();
		await eventually('all are written', async () => (await setup.deliveries()).length === 300);
		await eventually('it is full', () => receiver.received.length === 4);
		await endpointAt(setup, other.url);
		await ended();
		await eventually('the other got it', () => other.received.length === 1);
		expect(receiver.received).toHaveLength(4);
	});

	it('delays the callbacks of one tenant, and not those of other tenants to the same host', async () => {
		const { setup, receiver, ended } = await startProcess();
		const callback = { url: new URL('/callback', receiver.url).href, secret: null };
		receiver.answer = () => {};
		for (let count = 0; count < 6; count++) await ended({ tenant: 'umbrella', callback });
		await eventually('it is full', () => receiver.received.length === 4);
		receiver.answer = status(200);
		await ended({ tenant: 'hooli', callback });
		await eventually('it is delivered', async () => {
			const [delivery] = await setup.deliveries('hooli');
			return delivery?.status === 'delivered';
		});
		expect(receiver.received).toHaveLength(5);
	});

	it('does not delay receivers that respond, even if many others hang', async () => {
		const setup = await createSharedStores();
		const egress = new Hanging();
		const machine = setup.createProcess({ egress });
		const eventTypes = ['video.completed'];
		for (let count = 0; count < 50; count++) {
			const url = `http://hanging${count}/`;
			await setup.endpoints.create('other', { name: 'test', url, eventTypes });
		}
		for (let count = 0; count < 4; count++) await setup.end({ tenant: 'other' });
		await endpointAt(setup, 'http://answers/');
		await machine.start();
		await eventually('it is full', () => egress.open === 20);
		await setup.end();
		machine.wake();
		for (let seconds = 0; seconds < 45; seconds++) await setup.clock.advance(1_000);
		await waitForDeliveries(setup, 'delivered');
		await setup.end();
		machine.wake();
		await waitForDeliveries(setup, 'delivered', 'delivered');
		await eventually('only receivers known as slow hang', async () => {
			await setup.clock.advance(1_000);
			return egress.open === 12;
		});
	});
});

it('test events of a tenant are sent four at a time, independently of other tenants', async () => {
	const { client } = await harness();
	const receiver = await startReceiver();
	let isOpen = false;
	const held: (() => void)[] = [];
	receiver.answer = (response) => {
		if (isOpen) response.end();
		else held.push(() => response.end());
	};
	const sampler = async (key: string) => {
		const { webhooks } = client(key);
		const event_types = ['video.completed' as const];
		const { id } = await webhooks.create({ name: key, url: receiver.url, event_types });
		return () => webhooks.test(id, { event_type: 'video.completed' });
	};
	const [alice, bob] = [await sampler('alice'), await sampler('bob')];
	const samples = Array.from({ length: 6 }, alice);
	await eventually('four are sent', () => receiver.received.length === 4);
	samples.push(bob());
	await eventually('the other one is sent', () => receiver.received.length === 5);
	isOpen = true;
	for (const end of held) end();
	expect(await Promise.all(samples)).toHaveLength(7);
});

/** No server responds except `http://answers/`. */
class Hanging extends Egress {
	open = 0;

	override async send({ url, signal }: EgressRequest): Promise<EgressResponse> {
		if (!url.startsWith('http://hanging')) {
			return { status: 200, headers: {}, body: Buffer.alloc(0), isTruncated: false };
		}
		this.open++;
		const answer = Promise.withResolvers<never>();
		signal?.addEventListener('abort', () => answer.reject(signal.reason));
		return answer.promise.finally(() => this.open--);
	}
}
