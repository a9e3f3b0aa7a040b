import type { Logger } from '@plinth/core';
import { eventually, silentLogger } from '@plinth/testing';
import { expect, it } from 'vitest';
import { dueId } from '../src/deliveries/due.ts';
import { startReceiver, status } from './receiver.ts';
import { running } from './running.ts';
import { endpointAt, type Stand, settled, stand } from './stand.ts';

const zeros = '0'.repeat(44);
const endpoints = (tenant: string) => ({ tenant, collection: 'webhooks.endpoints' });
const deliveries = (tenant: string) => ({ tenant, collection: 'webhooks.deliveries' });
const due = { tenant: 'system', collection: 'webhooks.due' };

/** Puts a delivery that nobody can read, and its entry, where the walk meets it first. */
async function breakDelivery({ records, clock }: Stand, line = 'broken'): Promise<void> {
	const delivery = `whd_${zeros}`;
	const entry = { sort: 'send', at: clock.now() - 1_000, generation: 0 } as const;
	await records.put(deliveries('other'), delivery, { text: 'broken' });
	await records.put(
		due,
		dueId(delivery, entry),
		{ ...entry, tenant: 'other', delivery, line },
		{ index: line },
	);
}

it('a broken endpoint keeps no event of others waiting, and is none for its owner', async () => {
	const { setup, machine, ended } = await running();
	const id = `whe_${zeros}`;
	await setup.records.put(endpoints('other'), id, { name: 'broken' });
	await ended({ tenant: 'other' });
	await ended();
	await settled(setup, 'delivered');
	expect(await machine.endpoints.list('other')).toEqual([]);
	expect(await machine.endpoints.find('other', id)).toBeNull();
});

it('a broken delivery is complained of once, and holds up no repetition of others', async () => {
	const warnings: string[] = [];
	const log: Logger = { ...silentLogger(), warn: (_, message) => warnings.push(message) };
	const setup = await stand({ log });
	await breakDelivery(setup);
	const receiver = await startReceiver();
	receiver.answer = status(500);
	const machine = setup.machine();
	await endpointAt(machine, receiver.url);
	await setup.end();
	machine.start();
	await settled(setup, 'pending');
	receiver.answer = status(200);
	for (let seconds = 0; seconds < 8; seconds++) await setup.clock.advance(1_000);
	await settled(setup, 'delivered');
	expect(warnings).toEqual(['webhooks that are due could not be read; tried again in a second']);
});

it('a broken delivery of a deleted endpoint holds up nothing else', async () => {
	const { setup, machine, ended } = await running();
	await breakDelivery(setup);
	machine.dispatcher.forget('broken');
	await setup.clock.advance(1_000);
	await ended();
	await settled(setup, 'delivered');
});

it('entries that say something else than their ids are none', async () => {
	const { setup, receiver, ended } = await running();
	receiver.answer = status(500);
	await setup.records.put(due, 'send_000', { text: 'broken' });
	await setup.records.put(due, 'send_001', { sort: 'send' });
	await ended();
	await settled(setup, 'pending');
	receiver.answer = status(200);
	for (let seconds = 0; seconds < 8; seconds++) await setup.clock.advance(1_000);
	await settled(setup, 'delivered');
});

it('an endpoint from before the clock was set back hears of what happens', async () => {
	const { setup, ended } = await running();
	setup.clock.jump(-3_600_000);
	await ended();
	await setup.clock.advance(1_000);
	await settled(setup, 'delivered');
});

it('a process whose clock is behind respects the claims of others', async () => {
	const setup = await stand();
	const machine = setup.machine();
	await endpointAt(machine, 'http://127.0.0.1:1/');
	await setup.end();
	machine.consumer.start();
	await eventually('it is planned', async () => (await setup.due()).length === 1);
	const [delivery] = await setup.deliveries();
	if (!delivery) throw new Error('nothing was planned');
	const entry = { ...delivery.due, tenant: delivery.tenant, delivery: delivery.id };
	setup.clock.jump(20_000);
	const held = await machine.deliveries.claim({ ...entry, line: delivery.line });
	setup.clock.jump(-20_000);
	expect(held).not.toBeNull();
	expect(await machine.deliveries.claim({ ...entry, line: delivery.line })).toBeNull();
});
