import type { BusEvent, EventBus } from '@plinth/core';
import { postgresEvents } from '@plinth/postgres';
import { createBackend, eventBusSuite, eventually } from '@plinth/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { statement, testDatabase } from '../support/postgres.ts';
import { realClock } from './support.ts';

let database: Awaited<ReturnType<typeof testDatabase>>;
const running: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
	database = await testDatabase();
});

afterAll(async () => {
	for (const each of running) await each.stop();
	await database?.remove();
});

async function bus(name: string): Promise<EventBus> {
	const url = new URL(database.url);
	url.searchParams.set('application_name', name);
	const backend = await createBackend<EventBus>(postgresEvents({ url: url.href }), { clock: realClock() });
	running.push(backend);
	return backend.provided;
}

function listen(on: EventBus): BusEvent[] {
	const received: BusEvent[] = [];
	on.subscribe({}, (event) => received.push(event));
	return received;
}

const event = (n: number): BusEvent => ({ type: 'job.queued', tenant: 'acme', subject: `video_${n}`, data: { n } });

describe('postgresEvents', () => {
	const create = async () => {
		const { provided, stop } = await createBackend<EventBus>(postgresEvents({ url: database.url }), {
			clock: realClock(),
		});
		return { bus: provided, close: stop };
	};
	for (const { name, run } of eventBusSuite({ create })) test(name, run);
});

describe('hints between two processes', () => {
	test('arrive complete, once and in order, with few notifications per tick', async () => {
		const [here, there] = [await bus('one'), await bus('two')];
		const [received, own] = [listen(there), listen(here)];
		const events = Array.from({ length: 300 }, (_, n) => event(n));
		for (const each of events) here.publish(each);
		await eventually('all arrive', () => received.length >= events.length);
		expect(received).toEqual(events);
		expect(own).toEqual(events);
	});

	test('continue after the connection was cut', async () => {
		const [here, there] = [await bus('cut'), await bus('cut')];
		const received = listen(there);
		const cut = await statement<{ pid: number }>(
			database.url,
			`SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'cut'`,
		);
		expect(cut.length).toBeGreaterThanOrEqual(2);
		let n = 0;
		await eventually('a hint arrives again', () => {
			n += 1;
			here.publish(event(n));
			return received.length > 0;
		});
	});

	test('that are too long for a notification stay in their process', async () => {
		const [here, there] = [await bus('long'), await bus('long')];
		const [received, own] = [listen(there), listen(here)];
		here.publish({ ...event(1), data: 'x'.repeat(8_000) });
		here.publish(event(2));
		await eventually('the next one arrives', () => received.length > 0);
		expect(received).toEqual([event(2)]);
		expect(own.length).toBe(2);
	});
});
