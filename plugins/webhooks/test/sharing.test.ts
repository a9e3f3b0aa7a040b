import type { CollectionRef, JobStore, JsonObject, PutOptions, RecordStore } from '@plinth/core';
import { eventually } from '@plinth/testing';
import { Egress, type EgressRequest, type EgressResponse } from '@plinth/toolkit';
import { expect, it } from 'vitest';
import { startReceiver, status } from './receiver.ts';
import { createSharedStores, endpointAt, type SharedStores } from './shared-stores.ts';

const cursors = [{ tenant: 'system', collection: 'webhooks.cursors' }, 'jobs'] as const;

/**
 * The fault at a write. `killed`: the process dies before the store gets the write. `unanswered`: the store applies the
 * write and its response is lost.
 */
type Fault = 'killed' | 'unanswered';

/** Stores with a fault at the `n`-th write of webhooks. */
function faulty({ records, jobs }: SharedStores, n: number, fault: Fault) {
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
		dump: () => records.dump(),
		load: (given) => records.load(given),
	};
	const counted = new Set(['create', 'complete', 'fail']);
	const jobStore = new Proxy(jobs, {
		get(target, name: string) {
			const method = Reflect.get(target, name) as (...call: unknown[]) => Promise<unknown>;
			if (typeof method !== 'function') return method;
			return (...call: unknown[]) => {
				if (isDead()) return fail();
				const action = () => method.apply(target, call);
				return counted.has(name) ? write(action) : action();
			};
		},
	}) as JobStore;
	return { records: store, jobs: jobStore, isDead, writes: () => writes };
}

/** Fails twice, then succeeds. It uses no network, because the test runs once per write. */
class Recorder extends Egress {
	readonly sent: { readonly id: string; readonly url: string }[] = [];

	override async send({ url, headers = {} }: EgressRequest): Promise<EgressResponse> {
		this.sent.push({ id: headers['webhook-id'] ?? '', url });
		const code = this.sent.length < 3 ? 500 : 200;
		return { status: code, headers: {}, body: Buffer.alloc(0), isTruncated: false };
	}

	override async close(): Promise<void> {}
}

/**
 * Sends an event to an endpoint and a callback whose first attempts fail. The `n`-th write has a fault, and another
 * process takes over.
 */
async function deliverWithFault(n: number, fault: Fault) {
	const setup = await createSharedStores({ waits: [1_000, 1_000, 1_000, 1_000] });
	const egress = new Recorder();
	await endpointAt(setup, 'http://localhost/endpoint');
	await setup.end({ callback: { url: 'http://localhost/callback', secret: null } });
	const { records, jobs, isDead, writes } = faulty(setup, n, fault);
	const first = setup.createProcess({ records, jobs, egress });
	await first.start();
	let isTakenOver = false;
	const second = setup.createProcess({ egress });
	const pass = (what: string, holds: () => Promise<boolean>, ms = 2_000) =>
		eventually(`${n}: ${what}`, async () => {
			if (isDead() && !isTakenOver) {
				isTakenOver = true;
				await second.start();
			}
			if (await holds()) return true;
			await setup.clock.advance(ms);
			return holds();
		});
	await pass('all is delivered', () => isDelivered(setup));
	await pass('all is read', async () => {
		const cursor = await setup.records.get<{ cursor: string }>(...cursors);
		return cursor?.value.cursor === (await setup.jobs.head());
	});
	setup.clock.jump(8 * 24 * 60 * 60 * 1000);
	await pass('all is deleted', async () => (await setup.purges()).length === 0, 20_000);
	await Promise.all([first.stop(), second.stop()]);
	return { setup, sent: egress.sent, writes: writes() };
}

async function isDelivered({ deliveries }: SharedStores): Promise<boolean> {
	const all = await deliveries();
	return all.length === 2 && all.every(({ status: each }) => each === 'delivered');
}

it.each(['killed', 'unanswered'] as const)(
	'a process that is %s at any write loses no delivery and leaves no records',
	async (fault) => {
		const { writes: all } = await deliverWithFault(Number.POSITIVE_INFINITY, fault);
		expect(all).toBeGreaterThan(15);
		for (let n = 1; n <= all; n++) {
			const { setup, sent } = await deliverWithFault(n, fault);
			const count = (facts: readonly string[]) => new Set(facts).size;
			expect({
				n,
				ids: count(sent.map(({ id }) => id)),
				targets: count(sent.map(({ url }) => url)),
				purges: await setup.purges(),
				left: await setup.deliveries(),
			}).toEqual({ n, ids: 1, targets: 2, purges: [], left: [] });
		}
	},
	60_000,
);

it('processes with shared stores create one delivery per event, and send it once', async () => {
	const setup = await createSharedStores();
	const receiver = await startReceiver();
	const machines = [setup.createProcess(), setup.createProcess(), setup.createProcess()] as const;
	await endpointAt(setup, receiver.url);
	for (let count = 0; count < 60; count++) await setup.end();
	await Promise.all(machines.map((machine) => machine.start()));
	await eventually('all are delivered', async () => {
		await setup.clock.advance(1_000);
		const all = await setup.deliveries();
		return all.length === 60 && all.every((each) => each.status === 'delivered');
	});
	for (const machine of machines) machine.wake();
	await setup.clock.advance(2_000);
	const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
	expect(ids).toHaveLength(60);
	expect(new Set(ids).size).toBe(60);
});

it('a delivery of a dead process is sent by another one', async () => {
	const setup = await createSharedStores();
	const receiver = await startReceiver();
	receiver.answer = () => {};
	await endpointAt(setup, receiver.url);
	await setup.end();
	// The record, its purge, its job and the cursor are written; nothing after that.
	const dying = faulty(setup, 5, 'killed');
	const first = setup.createProcess(dying);
	await first.start();
	await eventually('it was sent', () => receiver.received.length === 1);
	receiver.answer = status(200);
	await setup.createProcess().start();
	await setup.clock.advance(10_000);
	expect(await setup.deliveries()).toMatchObject([{ status: 'pending' }]);
	await eventually('it is delivered', async () => {
		await setup.clock.advance(1_000);
		return (await setup.deliveries()).every((each) => each.status === 'delivered');
	});
	expect(receiver.received).toHaveLength(2);
});

it('a slow process does not move the cursor back', async () => {
	const setup = await createSharedStores();
	const receiver = await startReceiver();
	await endpointAt(setup, receiver.url);
	await setup.end();
	const { promise: released, resolve: release } = Promise.withResolvers<void>();
	let isHeld = false;
	const slow: RecordStore = {
		...methodsOf(setup.records),
		async put(ref: CollectionRef, id: string, value: JsonObject, options?: PutOptions) {
			if (ref.collection === 'webhooks.cursors') {
				isHeld = true;
				await released;
			}
			return setup.records.put(ref, id, value, options);
		},
	};
	// It assumes that it holds all duties, like a process whose lease has expired unnoticed.
	const jobs = new Proxy(setup.jobs, {
		get(target, name: string) {
			if (name === 'lead') return async () => true;
			const method = Reflect.get(target, name);
			return typeof method === 'function' ? method.bind(target) : method;
		},
	});
	await setup.createProcess({ records: slow, jobs }).start();
	await eventually('it is about to write the cursor', () => isHeld);
	for (let count = 0; count < 5; count++) await setup.end();
	await setup.createProcess().start();
	const cursor = async () => (await setup.records.get<{ cursor: string }>(...cursors))?.value.cursor;
	const seen: (string | undefined)[] = [];
	// Each delivery that ends is one more event to read.
	const delivered = async () => {
		const { events } = await setup.jobs.events(undefined, { limit: 100 });
		return events.filter(({ kind, type }) => kind === 'webhook' && type === 'job.completed').length;
	};
	await eventually('the other one has read all', async () => {
		await setup.clock.advance(1_000);
		const isOver = (await delivered()) === 6;
		seen.push(await cursor());
		return isOver && seen.at(-1) === (await setup.jobs.head());
	});
	const before = (await setup.records.get(...cursors))?.version;
	isHeld = false;
	release();
	await eventually('the slow one has written', async () => {
		await setup.clock.advance(1_000);
		return true;
	});
	expect((await setup.records.get(...cursors))?.version).toBe(before);
	expect(await cursor()).toBe(seen.at(-1));
});

/** The methods of a store as an object that can be spread. */
function methodsOf(records: RecordStore): RecordStore {
	return {
		get: (ref, id) => records.get(ref, id),
		list: (ref, options) => records.list(ref, options),
		put: (ref: CollectionRef, id: string, value: JsonObject, options?: PutOptions) =>
			records.put(ref, id, value, options),
		delete: (ref, id) => records.delete(ref, id),
		dump: () => records.dump(),
		load: (given) => records.load(given),
	};
}
