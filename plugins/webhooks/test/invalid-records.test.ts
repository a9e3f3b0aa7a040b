import { expect, it } from 'vitest';
import { deliveryId } from '../src/ids.ts';
import { status } from './receiver.ts';
import { tenant, waitForDeliveries } from './shared-stores.ts';
import { startProcess } from './start-process.ts';

const zeros = '0'.repeat(44);
const endpoints = (owner: string) => ({ tenant: owner, collection: 'webhooks.endpoints' });
const deliveries = (owner: string) => ({ tenant: owner, collection: 'webhooks.deliveries' });

it('an invalid endpoint record delays no events of others, and is hidden from its owner', async () => {
	const { setup, machine, ended } = await startProcess();
	const id = `whe_${zeros}`;
	await setup.records.put(endpoints('other'), id, { name: 'broken' });
	await ended({ tenant: 'other' });
	await ended();
	await waitForDeliveries(setup, 'delivered');
	expect(await machine.endpoints.list('other')).toEqual([]);
	expect(await machine.endpoints.find('other', id)).toBeNull();
});

it('an invalid delivery record delays no others, and is hidden from its owner', async () => {
	const { setup, receiver, endpoint, ended } = await startProcess();
	receiver.answer = status(500);
	await ended();
	const [delivery] = await waitForDeliveries(setup, 'pending');
	if (!delivery) throw new Error('There is no delivery.');
	const ref = deliveries(tenant);
	await setup.records.put(ref, delivery.id, { text: 'broken' }, { index: endpoint.id });
	const id = deliveryId(0, 'evt_1', 'callback');
	await setup.records.put(deliveries('other'), id, { text: 'broken' });
	receiver.answer = status(200);
	await ended();
	await setup.clock.advance(6_000);
	await waitForDeliveries(setup, 'delivered');
	expect(await setup.deliveries('other')).toEqual([]);
});

it('an endpoint that was created before the clock was set back receives events', async () => {
	const { setup, ended } = await startProcess();
	setup.clock.jump(-3_600_000);
	await ended();
	await setup.clock.advance(1_000);
	await waitForDeliveries(setup, 'delivered');
});

it('an attempt that is repeated after a crash waits until its recorded time', async () => {
	const { setup, receiver, ended, machine } = await startProcess();
	receiver.answer = status(500);
	await ended();
	const [delivery] = await waitForDeliveries(setup, 'pending');
	if (!delivery) throw new Error('There is no delivery.');
	await machine.stop();
	// As if the process had died after the attempt was recorded and before its job ended.
	await setup.jobs.create({
		id: `webhook_${zeros}`,
		kind: 'webhook',
		tenant: delivery.receiver,
		principal: 'webhooks',
		model: 'none',
		input: { tenant, id: delivery.id, run: 0 },
		maxAttempts: 5,
	});
	await setup.createProcess().start();
	await setup.clock.advance(4_000);
	expect(receiver.received).toHaveLength(1);
});
