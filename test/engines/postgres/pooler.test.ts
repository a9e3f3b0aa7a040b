import type { BusEvent, EventBus, Logger } from '@plinth/core';
import { postgresEvents } from '@plinth/postgres';
import { createBackend, eventually, jobStoreSuite, manualClock, recordStoreSuite, silentLogger } from '@plinth/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DatabaseHandle } from '../../../adapters/postgres/src/engine/database.ts';
import { type OwnPostgres, ownPostgres } from '../support/postgres.ts';
import { empty, handleOn, holdOpen, jobsOn, realClock, recordsOn } from './support.ts';

let server: OwnPostgres;
let direct: string;
let pooler: Awaited<ReturnType<OwnPostgres['pooler']>>;
let one: DatabaseHandle;
let two: DatabaseHandle;

beforeAll(async () => {
	server = await ownPostgres();
	direct = await server.database();
	pooler = await server.pooler(direct);
	one = await handleOn(pooler.url, 'one');
	two = await handleOn(pooler.url, 'two');
});

afterAll(async () => {
	await one?.close();
	await two?.close();
	await pooler?.stop();
	await server?.remove();
});

describe('through a pooler in transaction mode', () => {
	const create = async () => {
		await empty(direct);
		const clock = manualClock();
		return {
			clock,
			store: jobsOn(one, clock),
			peer: async () => jobsOn(two, clock),
			holdOpen: (jobId: string) => holdOpen(direct, jobId),
			close: async () => {},
		};
	};
	for (const { name, run } of jobStoreSuite({ create })) test(name, run);

	const createRecords = async () => {
		await empty(direct);
		const clock = manualClock();
		return { clock, store: recordsOn(one, clock), close: async () => {} };
	};
	for (const { name, run } of recordStoreSuite({ create: createRecords })) test(name, run);
});

describe('hints', () => {
	const bus = async (url: string, listen: boolean, log: Logger = silentLogger()) => {
		const options = { clock: realClock(), log };
		const { provided, stop } = await createBackend<EventBus>(postgresEvents({ url, listen }), options);
		const received: BusEvent[] = [];
		provided.subscribe({}, (event) => received.push(event));
		return { bus: provided, received, stop };
	};
	const event = { type: 'job.queued', tenant: 'acme', subject: 'video_1', data: null };

	test('bypass the pooler with their own URL', async () => {
		const far = new URL(direct);
		far.searchParams.set('application_name', 'far');
		const [here, there] = [await bus(direct, true), await bus(far.href, true)];
		here.bus.publish(event);
		await eventually('it arrives', () => there.received.length === 1);
		await Promise.all([here.stop(), there.stop()]);
	});

	test('stay in their process with listen: false', async () => {
		const alone = await bus(pooler.url, false);
		alone.bus.publish(event);
		await eventually('it arrives', () => alone.received.length === 1);
		await alone.stop();
	});

	test('that do not arrive are reported once', async () => {
		const lines: string[] = [];
		const log = { ...silentLogger(), warn: (_: object, text: string) => lines.push(text) } as unknown as Logger;
		const blind = await bus(pooler.url, true, log);
		await eventually('a warning', () => lines.length > 0, 10_000);
		expect(lines).toEqual([expect.stringContaining('give postgresEvents a direct URL')]);
		await blind.stop();
	}, 20_000);
});
