import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@plinth/testing';
import { afterEach, beforeEach, expect, onTestFailed, test } from 'vitest';
import { allVideos } from '../support/client.ts';
import { createFleet, type Fleet } from '../support/fleet.ts';
import { Ledger } from '../support/ledger.ts';
import { childrenOf } from '../support/process-tree.ts';
import { seeded } from '../support/seeded.ts';
import { printTable } from '../support/table.ts';
import { download, look, visit } from '../support/visitor.ts';

const rounds = 20;
const visitors = 4;
const jobs = { leaseMs: 2_000, heartbeatMs: 500, progressMs: 50, pollMs: 500 };

let fleet: Fleet;

beforeEach(async () => {
	fleet = await createFleet('process-kills', { jobs });
});

afterEach(() => fleet.remove());

test(`one of two processes on one SQLite file is killed ${rounds} times: nothing is lost`, async () => {
	const random = seeded();
	const ledger = new Ledger();
	onTestFailed(() => console.error(`PLINTH_TEST_SEED=${random.seed}\n${fleet.output()}`));
	const { client, pid } = await fleet.serve({ processes: 2 });
	const ready = () => fleet.output().split('"msg":"ready"').length - 1;
	let isOver = false;
	const context = {
		ledger,
		random,
		client: () => client,
		mayRender: () => false,
		happened: () => {},
		isOver: () => isOver,
	};
	const visiting = Promise.all(Array.from({ length: visitors }, () => visit(context)));
	for (let round = 0; round < rounds; round++) {
		await eventually('two processes serve', () => ready() === 2 + round, 40_000);
		await delay(random.integer(100, 1_000));
		process.kill(random.pick(childrenOf(pid) as [number, ...number[]]), 'SIGKILL');
	}
	isOver = true;
	await visiting;

	const isOpen = async () => (await allVideos(client)).filter(({ completed_at: at }) => at === null).length;
	await eventually('every job has ended', async () => (await isOpen()) === 0, 60_000);
	const acknowledged = ledger.entries.filter(({ id }) => id !== undefined);
	for (const entry of acknowledged) {
		await look(context, client, entry);
		if (entry.removal === 'none' && entry.status === 'completed') await download(context, client, entry);
	}
	printTable(`kills of single processes, seed ${random.seed}`, {
		rounds,
		acknowledged: acknowledged.length,
		'asked for and never acknowledged': ledger.entries.length - acknowledged.length,
		completed: acknowledged.filter(({ status }) => status === 'completed').length,
		faults: ledger.faults.length,
	});
	expect(ledger.faults).toEqual([]);
	expect(acknowledged.length).toBeGreaterThan(rounds);
});
