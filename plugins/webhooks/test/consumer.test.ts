import type { JobStore, Logger } from '@plinth/core';
import { eventually } from '@plinth/testing';
import { describe, expect, it } from 'vitest';
import { startReceiver, status } from './receiver.ts';
import { endpointAt, settled, stand, tenant } from './stand.ts';

/** A logger that keeps its warnings. */
function listener(): { readonly log: Logger; readonly warnings: string[] } {
	const warnings: string[] = [];
	const log: Logger = {
		debug: () => {},
		info: () => {},
		warn: (_, message) => warnings.push(message),
		error: (_, message) => warnings.push(message),
		child: () => log,
	};
	return { log, warnings };
}

const place = [{ tenant: 'system', collection: 'webhooks.cursors' }, 'jobs'] as const;

describe('the consumer', () => {
	it('looks for events every second, also when nobody says that there are any', async () => {
		const setup = await stand();
		const receiver = await startReceiver();
		const machine = setup.machine();
		await endpointAt(machine, receiver.url);
		machine.start();
		await eventually('it has looked', async () => (await setup.records.get(...place)) !== null);
		await setup.end();
		await eventually('it looks again', async () => {
			await setup.clock.advance(1_000);
			return receiver.received.length === 1;
		});
	});

	it('says once that events are missing, and goes on with those that are left', async () => {
		const { log, warnings } = listener();
		const setup = await stand({ log });
		const receiver = await startReceiver();
		await endpointAt(setup.machine(), receiver.url);
		await setup.records.put(...place, { cursor: '1' });
		await setup.end();
		setup.clock.jump(30 * 24 * 60 * 60 * 1000);
		await setup.jobs.tidy();
		await setup.end();
		const machine = setup.machine();
		machine.start();
		await settled(setup, 'delivered');
		for (let look = 0; look < 3; look++) await setup.clock.advance(1_000);
		expect(warnings).toEqual([
			'job events were trimmed before they could be turned into webhooks: some were never sent',
		]);
	});

	it('begins anew where its place means nothing to the store', async () => {
		const { log, warnings } = listener();
		const setup = await stand({ log });
		const receiver = await startReceiver();
		await endpointAt(setup.machine(), receiver.url);
		await setup.end();
		await setup.records.put(...place, { cursor: 'of another store' });
		setup.machine().start();
		await settled(setup, 'delivered');
		expect(warnings).toHaveLength(1);
		expect((await setup.records.get(...place))?.value).toEqual({ cursor: await setup.jobs.head() });
	});

	it('complains once of a store that fails, and goes on when it is back', async () => {
		const { log, warnings } = listener();
		const setup = await stand({ log });
		const receiver = await startReceiver();
		let isAway = true;
		const away: JobStore['events'] = (...call) =>
			isAway ? Promise.reject(new Error('away')) : events(...call);
		const events = setup.jobs.events.bind(setup.jobs);
		Object.assign(setup.jobs, { events: away });
		const machine = setup.machine();
		await endpointAt(machine, receiver.url);
		await setup.end();
		machine.start();
		await eventually('it complains', () => warnings.length > 0);
		for (let look = 0; look < 3; look++) await setup.clock.advance(1_000);
		expect(warnings).toEqual([
			'job events could not be turned into webhooks; tried again in a second',
		]);
		isAway = false;
		await setup.clock.advance(1_000);
		await settled(setup, 'delivered');
	});

	it('takes no notice of events that are no ends', async () => {
		const setup = await stand();
		const machine = setup.machine();
		await endpointAt(machine, 'http://127.0.0.1:1/');
		const id = await setup.end();
		await setup.jobs.remove(tenant, id);
		machine.consumer.start();
		await eventually('it has read all', async () => {
			const stored = await setup.records.get<{ cursor: string }>(...place);
			return stored?.value.cursor === (await setup.jobs.head());
		});
		expect(await setup.deliveries()).toHaveLength(1);
	});
});

describe('the dispatcher', () => {
	it('has at most thirty-two requests under way, and turns to others as they end', async () => {
		const setup = await stand();
		const machine = setup.machine();
		const slow = await startReceiver();
		const open: (() => void)[] = [];
		for (const name of 'abcdefghij') await endpointAt(machine, new URL(name, slow.url).href);
		await setup.end();
		machine.start();
		await settled(setup, ...Array.from({ length: 10 }, () => 'delivered' as const));
		slow.received.splice(0);
		slow.answer = (response) => {
			open.push(() => response.end());
		};
		for (let count = 0; count < 6; count++) await setup.end();
		machine.consumer.wake();
		await eventually('it is full', () => open.length === 32);
		const reached = () => new Set(slow.received.map(({ path }) => path)).size;
		expect(reached()).toBe(8);
		for (let count = 33; count <= 40; count++) {
			open.shift()?.();
			await eventually('another one follows', () => slow.received.length === count);
		}
		expect([reached(), open.length]).toEqual([10, 32]);
		slow.answer = status(200);
		for (const end of open) end();
		await settled(setup, ...Array.from({ length: 70 }, () => 'delivered' as const));
	});
});
