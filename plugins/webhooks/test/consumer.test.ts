import type { JobStore, Logger } from '@plinth/core';
import { eventually } from '@plinth/testing';
import { describe, expect, it } from 'vitest';
import { startReceiver } from './receiver.ts';
import { createSharedStores, endpointAt, tenant, waitForDeliveries } from './shared-stores.ts';

/** A logger that keeps its warnings. */
function warningLog(): { readonly log: Logger; readonly warnings: string[] } {
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
	it('polls for events every second, also without a hint', async () => {
		const setup = await createSharedStores();
		const receiver = await startReceiver();
		const machine = setup.createProcess();
		await endpointAt(setup, receiver.url);
		await machine.start();
		await eventually('it has looked', async () => (await setup.records.get(...place)) !== null);
		await setup.end();
		await eventually('it looks again', async () => {
			await setup.clock.advance(1_000);
			return receiver.received.length === 1;
		});
	});

	it('logs once that events are missing, and continues with the remaining ones', async () => {
		const { log, warnings } = warningLog();
		const setup = await createSharedStores({ log });
		const receiver = await startReceiver();
		await endpointAt(setup, receiver.url);
		await setup.records.put(...place, { cursor: '1' });
		await setup.end();
		setup.clock.jump(30 * 24 * 60 * 60 * 1000);
		await setup.jobs.tidy();
		await setup.end();
		const machine = setup.createProcess();
		await machine.start();
		await waitForDeliveries(setup, 'delivered');
		for (let look = 0; look < 3; look++) await setup.clock.advance(1_000);
		expect(warnings.filter((each) => !each.includes('allowPrivate'))).toEqual([
			'job events were trimmed before they could be turned into webhooks: some were never sent',
		]);
	});

	it('starts again when the store does not know its cursor', async () => {
		const { log, warnings } = warningLog();
		const setup = await createSharedStores({ log });
		const receiver = await startReceiver();
		await endpointAt(setup, receiver.url);
		await setup.end();
		await setup.records.put(...place, { cursor: 'of another store' });
		await setup.createProcess().start();
		await waitForDeliveries(setup, 'delivered');
		expect(warnings.filter((each) => each.includes('job events'))).toHaveLength(1);
		expect((await setup.records.get(...place))?.value).toEqual({ cursor: await setup.jobs.head() });
	});

	it('continues when the store is available again', async () => {
		const { log, warnings } = warningLog();
		const setup = await createSharedStores({ log });
		const receiver = await startReceiver();
		let isUnavailable = true;
		const unavailable: JobStore['events'] = (...call) =>
			isUnavailable ? Promise.reject(new Error('away')) : events(...call);
		const events = setup.jobs.events.bind(setup.jobs);
		Object.assign(setup.jobs, { events: unavailable });
		await endpointAt(setup, receiver.url);
		await setup.end();
		await setup.createProcess().start();
		await eventually('the failure is logged', () => warnings.some((each) => /duty/.test(each)));
		isUnavailable = false;
		await setup.clock.advance(5_000);
		await waitForDeliveries(setup, 'delivered');
	});

	it('ignores events that are not the end of a job', async () => {
		const setup = await createSharedStores();
		const machine = setup.createProcess();
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
