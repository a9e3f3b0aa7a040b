import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@plinth/testing';
import { afterEach, beforeEach, expect, onTestFailed, test } from 'vitest';
import { allVideos } from '../support/client.ts';
import { createFleet, type Fleet } from '../support/fleet.ts';
import { JobTracker } from '../support/job-tracker.ts';
import { childrenOf } from '../support/process-tree.ts';
import { downloadVideo, readJob, runRandomClient } from '../support/random-client.ts';
import { seeded } from '../support/seeded.ts';
import { printTable } from '../support/table.ts';

const rounds = 20;
const clientCount = 4;
const jobs = { leaseMs: 2_000, heartbeatMs: 500, progressMs: 50, pollMs: 500 };

let fleet: Fleet;

beforeEach(async () => {
	fleet = await createFleet('process-kills', { jobs });
});

afterEach(() => fleet.remove());

test(`no job is lost when one of two processes on a SQLite file is killed ${rounds} times`, async () => {
	const random = seeded();
	const tracker = new JobTracker();
	onTestFailed(() => console.error(`PLINTH_TEST_SEED=${random.seed}\n${fleet.output()}`));
	const { client, pid } = await fleet.serve({ processes: 2 });
	const ready = () => fleet.output().split('"msg":"ready"').length - 1;
	const twoServe = (replaced: number) => eventually('two processes serve', () => ready() === 2 + replaced, 40_000);
	let isOver = false;
	const context = {
		tracker,
		random,
		client: () => client,
		mayRender: () => false,
		onEvent: () => {},
		isOver: () => isOver,
	};
	const clientsDone = Promise.all(Array.from({ length: clientCount }, () => runRandomClient(context)));
	for (let round = 0; round < rounds; round++) {
		await twoServe(round);
		await delay(random.integer(100, 1_000));
		process.kill(random.pick(childrenOf(pid) as [number, ...number[]]), 'SIGKILL');
	}
	isOver = true;
	await clientsDone;
	// Until the replacement serves, a pooled connection can still lead to the killed process.
	await twoServe(rounds);

	const isOpen = async () => (await allVideos(client)).filter(({ completed_at: at }) => at === null).length;
	await eventually('every job has ended', async () => (await isOpen()) === 0, 60_000);
	const acknowledged = tracker.jobs.filter(({ id }) => id !== undefined);
	for (const job of acknowledged) {
		await readJob(context, client, job);
		if (job.removal === 'none' && job.status === 'completed') await downloadVideo(context, client, job);
	}
	printTable(`kills of single processes, seed ${random.seed}`, {
		rounds,
		acknowledged: acknowledged.length,
		'requested and never acknowledged': tracker.jobs.length - acknowledged.length,
		completed: acknowledged.filter(({ status }) => status === 'completed').length,
		faults: tracker.faults.length,
	});
	expect(tracker.faults).toEqual([]);
	expect(acknowledged.length).toBeGreaterThan(rounds);
});
