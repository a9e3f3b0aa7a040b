import { eventually } from '@plinth/testing';
import { afterEach, beforeEach, describe, expect, onTestFailed, test } from 'vitest';
import { createFleet, type Fleet, type Member, type Server } from '../support/fleet.ts';
import { jobEvents } from '../support/job-events.ts';
import { type QuickRun, readRuns } from '../support/quick-video.ts';

const times = { leaseMs: 4_000, heartbeatMs: 500, pollMs: 500 };
/** The tolerance for time limits on a busy machine. */
const timeoutMs = 2_000;

let fleet: Fleet;
let server: Server;
let workers: readonly Member[];

beforeEach(async () => {
	fleet = await createFleet('processes', { jobs: times, server: { graceMs: 4_000 } });
	onTestFailed(() => console.error(fleet.output()));
	[server, ...workers] = await Promise.all([fleet.serve({ role: 'api' }), fleet.work(), fleet.work()]);
});

afterEach(() => fleet.remove());

function create(prompt: string) {
	return server.client.create({ model: 'quick', prompt });
}

/** Waits until a run is logged, and returns it. */
async function loggedRun(expected: Partial<QuickRun>): Promise<QuickRun> {
	const find = () =>
		readRuns(fleet.runsFile).find((run) =>
			Object.entries(expected).every(([key, value]) => run[key as keyof QuickRun] === value),
		);
	await eventually(JSON.stringify(expected), () => find() !== undefined, 20_000);
	return find() as QuickRun;
}

describe('a server that only accepts, and two workers, on one data directory', () => {
	test('run each of 200 jobs once and record one final state for each', async () => {
		const prompts = Array.from({ length: 200 }, (_, index) => `job-${index} ms=20 kb=4`);
		const created = await Promise.all(prompts.map(create));
		for (const { id } of created) {
			expect(await server.client.finished(id, 60_000)).toMatchObject({ status: 'completed' });
		}
		const runs = readRuns(fleet.runsFile);
		const began = runs.filter(({ event }) => event === 'began');
		expect(began.map(({ prompt }) => prompt).sort()).toEqual(prompts.toSorted());
		expect(new Set(began.map(({ pid }) => pid))).toEqual(new Set(workers.map(({ pid }) => pid)));

		const events = await jobEvents(fleet.dataDir);
		const ends = events.filter(({ type }) => type === 'job.completed' || type === 'job.failed');
		expect(ends.map(({ jobId }) => jobId).sort()).toEqual(created.map(({ id }) => id).sort());
		expect(ends.every(({ data }) => (data as { attempt: number }).attempt === 1)).toBe(true);
	});

	test('stop the work of a deleted job within one heartbeat', async () => {
		const { id } = await create('long ms=60000');
		const { pid } = await loggedRun({ event: 'began', prompt: 'long ms=60000' });
		const asked = Date.now();
		expect((await server.client.send(`/v1/videos/${id}`, { method: 'DELETE' })).status).toBe(200);
		const stopped = await loggedRun({ event: 'aborted', pid });
		expect(stopped.at - asked).toBeLessThan(times.heartbeatMs + timeoutMs);
		expect((await server.client.send(`/v1/videos/${id}`)).status).toBe(404);
	});

	test('take over the job of a killed worker within a lease and one poll', async () => {
		const { id } = await create('taken over ms=4000');
		const { pid } = await loggedRun({ event: 'began' });
		const assigned = workers.find((worker) => worker.pid === pid);
		const successor = workers.find((worker) => worker.pid !== pid);
		await assigned?.kill();
		const killed = Date.now();
		const next = await loggedRun({ event: 'began', ...(successor ? { pid: successor.pid } : {}) });
		expect(next.at - killed).toBeLessThan(times.leaseMs + times.pollMs + timeoutMs);
		expect(await server.client.finished(id)).toMatchObject({ status: 'completed' });
	});
});

describe('plinth worker', () => {
	test('finishes its job on SIGTERM and exits with 0; unfinished jobs wait for the next one', async () => {
		const [short, long] = await Promise.all([create('short ms=1500'), create('long ms=60000')]);
		await loggedRun({ event: 'began', prompt: 'short ms=1500' });
		await loggedRun({ event: 'began', prompt: 'long ms=60000' });
		const asked = Date.now();
		for (const { child } of workers) child.signal('SIGTERM');
		const exits = await Promise.all(workers.map(({ child }) => child.exit));
		expect(Date.now() - asked).toBeLessThan(18_000);
		expect(exits.map(({ code }) => code)).toEqual([0, 0]);
		expect(await server.client.json(`/v1/videos/${short.id}`)).toMatchObject({
			status: 'completed',
		});
		expect(await server.client.json(`/v1/videos/${long.id}`)).toMatchObject({ status: 'queued' });
	});

	test('exits at once on a second signal', async () => {
		const [worker] = workers as [Member];
		await create('long ms=60000');
		const { pid } = await loggedRun({ event: 'began', prompt: 'long ms=60000' });
		const { child } = workers.find((each) => each.pid === pid) ?? worker;
		child.signal('SIGTERM');
		await eventually('it has received the first signal', () => child.stderr().includes('SIGTERM'));
		child.signal('SIGTERM');
		expect((await child.exit).code).toBe(1);
	});
});
