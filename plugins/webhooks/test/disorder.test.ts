import { expect, it } from 'vitest';
import { deliveryId } from '../src/ids.ts';
import { status } from './receiver.ts';
import { running } from './running.ts';
import { settled, tenant } from './stand.ts';

const zeros = '0'.repeat(44);
const endpoints = (owner: string) => ({ tenant: owner, collection: 'webhooks.endpoints' });
const deliveries = (owner: string) => ({ tenant: owner, collection: 'webhooks.deliveries' });

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

it('a broken delivery holds up no other, and is none for its owner', async () => {
	const { setup, receiver, endpoint, ended } = await running();
	receiver.answer = status(500);
	await ended();
	const [delivery] = await settled(setup, 'pending');
	if (!delivery) throw new Error('nothing was planned');
	const ref = deliveries(tenant);
	await setup.records.put(ref, delivery.id, { text: 'broken' }, { index: endpoint.id });
	const id = deliveryId(0, 'evt_1', 'callback');
	await setup.records.put(deliveries('other'), id, { text: 'broken' });
	receiver.answer = status(200);
	await ended();
	await setup.clock.advance(6_000);
	await settled(setup, 'delivered');
	expect(await setup.deliveries('other')).toEqual([]);
});

it('an endpoint from before the clock was set back gets what happens', async () => {
	const { setup, ended } = await running();
	setup.clock.jump(-3_600_000);
	await ended();
	await setup.clock.advance(1_000);
	await settled(setup, 'delivered');
});

it('an attempt that a crash repeats waits for the instant that was noted', async () => {
	const { setup, receiver, ended, machine } = await running();
	receiver.answer = status(500);
	await ended();
	const [delivery] = await settled(setup, 'pending');
	if (!delivery) throw new Error('nothing was planned');
	await machine.stop();
	// As if the process had died between the note of the attempt and the end of its job.
	await setup.jobs.create({
		id: `webhook_${zeros}`,
		kind: 'webhook',
		tenant: delivery.receiver,
		principal: 'webhooks',
		model: 'none',
		input: { tenant, id: delivery.id, run: 0 },
		maxAttempts: 5,
	});
	await setup.machine().start();
	await setup.clock.advance(4_000);
	expect(receiver.received).toHaveLength(1);
});
