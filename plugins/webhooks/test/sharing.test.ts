import type { CollectionRef, JsonObject, PutOptions, RecordStore } from '@plinth/core';
import { eventually } from '@plinth/testing';
import { Egress, type EgressRequest, type EgressResponse } from '@plinth/toolkit';
import { expect, it } from 'vitest';
import { DueList, dueId } from '../src/deliveries/due.ts';
import type { Machine } from '../src/delivery/machine.ts';
import { startReceiver, status } from './receiver.ts';
import { endpointAt, type Stand, settled, stand, tenant } from './stand.ts';

/** What happens at a write: the process is killed and the store never hears of it, or the store does as it is told and its answer is lost. */
type Fault = 'killed' | 'unanswered';

/** A store with a fault at the `n`th write. */
function faulty(records: RecordStore, n: number, fault: Fault) {
	let writes = 0;
	const fail = () => Promise.reject(new Error(fault));
	const isDead = () => fault === 'killed' && writes >= n;
	async function write<T>(action: () => Promise<T>): Promise<T> {
		writes++;
		if (isDead()) return fail();
		const answer = await action();
		return writes === n ? fail() : answer;
	}
	const store: RecordStore = {
		get: (ref, id) => (isDead() ? fail() : records.get(ref, id)),
		list: (ref, options) => (isDead() ? fail() : records.list(ref, options)),
		put: (ref: CollectionRef, id: string, value: JsonObject, options?: PutOptions) =>
			write(() => records.put(ref, id, value, options)),
		delete: (ref, id) => write(() => records.delete(ref, id)),
	};
	return { store, isDead, writes: () => writes };
}

/** Fails twice, then all is well. Without a network, for this is done for every write. */
class Recorder extends Egress {
	readonly sent: { readonly id: string; readonly url: string }[] = [];

	override async send({ url, headers = {} }: EgressRequest): Promise<EgressResponse> {
		this.sent.push({ id: headers['webhook-id'] ?? '', url });
		const status = this.sent.length < 3 ? 500 : 200;
		return { status, headers: {}, body: Buffer.alloc(0), isTruncated: false };
	}
}

/** An event for an endpoint and a callback, of which the first attempts fail. The `n`th write has a fault, and another process goes on. */
async function script(n: number, fault: Fault) {
	const setup = await stand({ waits: [1_000, 1_000, 1_000, 1_000] });
	const egress = new Recorder();
	const { store, isDead, writes } = faulty(setup.records, n, fault);
	await endpointAt(setup.machine(), 'http://localhost/endpoint');
	await setup.end({ callback: { url: 'http://localhost/callback', secret: null } });
	let isOver = false;
	const course = async (machine: Machine, isEnded: () => boolean) => {
		machine.start();
		await passing(setup, async () => {
			isOver ||= await isDelivered(setup);
			return isOver || isEnded();
		});
		if (isOver) setup.clock.jump(8 * 24 * 60 * 60 * 1000);
		await passing(setup, async () => isEnded() || (await setup.due()).length === 0, 60_000);
		await machine.stop();
	};
	await course(setup.machine(store, egress), isDead);
	await course(setup.machine(setup.records, egress), () => false);
	return { setup, sent: egress.sent, writes: writes() };
}

async function isDelivered({ deliveries }: Stand): Promise<boolean> {
	const all = await deliveries();
	return all.length === 2 && all.every(({ status }) => status === 'delivered');
}

/** Lets time pass until something holds. */
async function passing(
	{ clock }: Stand,
	holds: () => Promise<boolean>,
	ms = 10_000,
): Promise<void> {
	await eventually('it holds', async () => {
		if (await holds()) return true;
		await clock.advance(ms);
		return holds();
	});
}

it.each(['killed', 'unanswered'] as const)(
	'a process that is %s at any write loses no delivery and leaves nothing behind',
	async (fault) => {
		const { writes: all } = await script(Number.POSITIVE_INFINITY, fault);
		expect(all).toBeGreaterThan(15);
		for (let n = 1; n <= all; n++) {
			const { setup, sent } = await script(n, fault);
			const count = (facts: readonly string[]) => new Set(facts).size;
			expect({
				n,
				ids: count(sent.map(({ id }) => id)),
				targets: count(sent.map(({ url }) => url)),
				due: await setup.due(),
				left: await setup.deliveries(),
			}).toEqual({ n, ids: 1, targets: 2, due: [], left: [] });
		}
	},
);

it('processes that share their stores make one delivery of an event, and send it once', async () => {
	const setup = await stand();
	const receiver = await startReceiver();
	const machines = [setup.machine(), setup.machine(), setup.machine()] as const;
	await endpointAt(machines[0], receiver.url);
	for (let count = 0; count < 60; count++) await setup.end();
	for (const machine of machines) machine.start();
	await eventually('all are delivered', async () => {
		const all = await setup.deliveries();
		return all.length === 60 && all.every(({ status }) => status === 'delivered');
	});
	for (const machine of machines) machine.consumer.wake();
	await setup.clock.advance(2_000);
	const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
	expect(ids).toHaveLength(60);
	expect(new Set(ids).size).toBe(60);
	expect(await setup.due()).toHaveLength(60);
	const { value } = (await setup.records.get(
		{ tenant: 'system', collection: 'webhooks.cursors' },
		'jobs',
	)) as { value: { cursor: string } };
	expect(value.cursor).toBe(await setup.jobs.head());
});

it('a delivery that a process took to its grave is sent by another one', async () => {
	const setup = await stand();
	const receiver = await startReceiver();
	receiver.answer = () => {};
	const dying = faulty(setup.records, 5, 'killed');
	await endpointAt(setup.machine(), receiver.url);
	await setup.end();
	const first = setup.machine(dying.store);
	first.start();
	await eventually('it was sent', () => receiver.received.length === 1);
	await first.stop();
	expect(await setup.deliveries()).toMatchObject([{ status: 'pending', claim: {} }]);
	receiver.answer = status(200);
	setup.machine().start();
	await setup.clock.advance(25_000);
	expect(receiver.received).toHaveLength(1);
	await setup.clock.advance(5_000);
	await settled(setup, 'delivered');
	expect(receiver.received).toHaveLength(2);
});

/** A planned delivery, and the entry that says that it is due. */
async function planned() {
	const setup = await stand();
	const machine = setup.machine();
	await endpointAt(machine, 'http://127.0.0.1:1/');
	await setup.end();
	machine.consumer.start();
	await eventually('it is planned', async () => (await setup.due()).length === 1);
	const [delivery] = await setup.deliveries();
	if (!delivery) throw new Error('nothing was planned');
	const entry = { ...delivery.due, tenant, delivery: delivery.id, line: delivery.line };
	return { setup, deliveries: machine.deliveries, delivery, entry };
}

it('a sender that was presumed dead adds its attempt and changes nothing else', async () => {
	const { setup, deliveries, delivery, entry } = await planned();
	const stale = await deliveries.claim(entry);
	expect(await deliveries.claim(entry)).toBeNull();
	setup.clock.jump(30_000);
	const held = await deliveries.claim(entry);
	if (!stale || !held) throw new Error('it was not claimed');
	const attempt = { at: 0, statusCode: 500, failure: 'no', durationMs: 1 };
	const { url } = delivery;
	await deliveries.settle(stale, { attempt, verdict: 'failed', url });
	expect(await setup.deliveries()).toMatchObject([
		{ status: 'pending', claim: { token: held.token }, attempts: [attempt], due: delivery.due },
	]);
	await deliveries.settle(held, { attempt, verdict: 'delivered', url });
	expect(await setup.deliveries()).toMatchObject([{ status: 'delivered', claim: null }]);
});

it('a claim from before the clock was set back holds nobody up', async () => {
	const { setup, deliveries, entry } = await planned();
	setup.clock.jump(7_200_000);
	expect(await deliveries.claim(entry)).not.toBeNull();
	expect(await deliveries.claim(entry)).toBeNull();
	setup.clock.jump(-3_600_000);
	expect(await deliveries.claim(entry)).not.toBeNull();
});

it('an entry that its writer may still make live stays, and goes once it cannot', async () => {
	const { setup, deliveries, entry } = await planned();
	const early = { ...entry, at: entry.at - 1, generation: 1 };
	await new DueList(setup.records).put(early);
	expect(await deliveries.claim(early)).toBeNull();
	expect(await setup.due()).toHaveLength(2);
	expect(await deliveries.claim(entry)).not.toBeNull();
	expect(await deliveries.claim(early)).toBeNull();
	expect(await setup.due()).toEqual([dueId(entry.delivery, entry)]);
});
