import type { JobStore, Logger } from '@plinth/core';
import { eventually } from '@plinth/testing';
import { describe, expect, it } from 'vitest';
import { startReceiver } from './receiver.ts';
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
		await endpointAt(setup, receiver.url);
		await machine.start();
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
		await endpointAt(setup, receiver.url);
		await setup.records.put(...place, { cursor: '1' });
		await setup.end();
		setup.clock.jump(30 * 24 * 60 * 60 * 1000);
		await setup.jobs.tidy();
		await setup.end();
		const machine = setup.machine();
		await machine.start();
		await settled(setup, 'delivered');
		for (let look = 0; look < 3; look++) await setup.clock.advance(1_000);
		expect(warnings.filter((each) => !each.includes('allowPrivate'))).toEqual([
			'job events were trimmed before they could be turned into webhooks: some were never sent',
		]);
	});

	it('begins anew where its place means nothing to the store', async () => {
		const { log, warnings } = listener();
		const setup = await stand({ log });
		const receiver = await startReceiver();
		await endpointAt(setup, receiver.url);
		await setup.end();
		await setup.records.put(...place, { cursor: 'of another store' });
		await setup.machine().start();
		await settled(setup, 'delivered');
		expect(warnings.filter((each) => each.includes('job events'))).toHaveLength(1);
		expect((await setup.records.get(...place))?.value).toEqual({ cursor: await setup.jobs.head() });
	});

	it('goes on when the store that failed is back', async () => {
		const { log, warnings } = listener();
		const setup = await stand({ log });
		const receiver = await startReceiver();
		let isAway = true;
		const away: JobStore['events'] = (...call) => (isAway ? Promise.reject(new Error('away')) : events(...call));
		const events = setup.jobs.events.bind(setup.jobs);
		Object.assign(setup.jobs, { events: away });
		await endpointAt(setup, receiver.url);
		await setup.end();
		await setup.machine().start();
		await eventually('the failure is logged', () => warnings.some((each) => /duty/.test(each)));
		isAway = false;
		await setup.clock.advance(5_000);
		await settled(setup, 'delivered');
	});

	it('takes no notice of events that are no ends', async () => {
		const setup = await stand();
		const machine = setup.machine();
		await endpointAt(setup, 'http://127.0.0.1:1/');
		const id = await setup.end();
		await setup.jobs.remove(tenant, id);
		await machine.start();
		await eventually('it has read all', async () => {
			const stored = await setup.records.get<{ cursor: string }>(...place);
			return stored?.value.cursor === (await setup.jobs.head());
		});
		expect(await setup.deliveries()).toHaveLength(1);
	});
});
