import { eventually } from '@plinth/testing';
import { Egress, type EgressRequest, type EgressResponse } from '@plinth/toolkit';
import { describe, expect, it } from 'vitest';
import { harness } from './harness.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { running } from './running.ts';
import { endpointAt, settled, stand, tenant } from './stand.ts';

describe('a receiver that hangs', () => {
	it('gets four requests at a time and delays no other', async () => {
		const { setup, receiver, machine, ended } = await running();
		const other = await startReceiver();
		await ended();
		await settled(setup, 'delivered');
		receiver.answer = () => {};
		for (let count = 0; count < 700; count++) await setup.end();
		machine.consumer.wake();
		await eventually('all are written', async () => (await setup.due()).length === 701);
		await eventually('it is full', () => receiver.received.length === 5);
		await endpointAt(machine, other.url);
		await ended();
		await eventually('the other got it', () => other.received.length === 1);
		expect(receiver.received).toHaveLength(5);
	});

	it('delays nobody whose delivery another process has written', async () => {
		const { setup, receiver, machine } = await running();
		const other: Receiver = await startReceiver();
		receiver.answer = () => {};
		for (let count = 0; count < 700; count++) await setup.end();
		machine.consumer.wake();
		await eventually('it is tried', () => receiver.received.length === 1);
		// Its consumer runs, its dispatcher does not.
		const elsewhere = setup.machine();
		const { id } = await endpointAt(elsewhere, other.url);
		const target = { endpointId: id, url: other.url, secret: null, line: id };
		const event = { id: 'evt_1', type: 'video.failed', jobId: 'video_1', at: setup.clock.now() };
		await elsewhere.deliveries.plan(tenant, event, target);
		await setup.clock.advance(2_000);
		await eventually('the other got it', () => other.received.length === 1);
	});

	it('is one of many: those that answer find a place', async () => {
		const setup = await stand();
		const egress = new Hanging();
		const machine = setup.machine(setup.records, egress);
		const eventTypes = ['video.completed'];
		for (let count = 0; count < 50; count++) {
			const url = `http://hanging${count}/`;
			await machine.endpoints.create('other', { name: 'test', url, eventTypes });
		}
		for (let count = 0; count < 4; count++) await setup.end({ tenant: 'other' });
		await endpointAt(machine, 'http://answers/');
		machine.start();
		await eventually('it is full', () => egress.open === 32);
		await setup.end();
		machine.consumer.wake();
		for (let seconds = 0; seconds < 45; seconds++) await setup.clock.advance(1_000);
		await settled(setup, 'delivered');
		await setup.end();
		machine.consumer.wake();
		await settled(setup, 'delivered', 'delivered');
		expect(egress.open).toBe(12);
	});
});

it('samples of a tenant go out four at a time, and those of others beside them', async () => {
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

/** Nobody answers but `http://answers/`. */
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
