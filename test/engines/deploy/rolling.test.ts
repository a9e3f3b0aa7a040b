import { join } from 'node:path';
import { eventually } from '@plinth/testing';
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import { exitTimeoutMs } from '../../../cli/src/signals.ts';
import { root } from '../../support/cli.ts';
import { openEvents } from '../../support/event-stream.ts';
import { printTable } from '../../support/table.ts';
import { loggedEvents } from '../cluster/support.ts';
import { type ComposeProcesses, key, startCompose } from './compose-processes.ts';
import { Load } from './load.ts';

/** The servers twice, because the first restart changes the state of nginx. */
const order = ['api-1', 'api-2', 'worker-1', 'worker-2', 'api-1', 'api-2'];

let compose: ComposeProcesses;

beforeAll(async () => {
	compose = await startCompose('rolling', {
		config: join(root, 'test/support/quick.config.ts'),
		env: {
			TEST_PRESET: 'plinth:cluster',
			TEST_RUNS: '/dev/null',
			TEST_SERVER: '{"trustedProxies":1}',
			PLINTH_LOG_LEVEL: 'warn',
		},
	});
}, 90_000);

afterAll(() => compose?.remove());

/** Follows the events of the tenant, and reconnects when a stream ends. */
async function follow(url: string, ended: Map<string, number>, isOver: () => boolean): Promise<number> {
	let streams = 0;
	let last: string | undefined;
	while (!isOver()) {
		const stream = await openEvents(`${url}/v1/events`, key, last);
		streams += 1;
		expect(stream.status).toBe(200);
		let read = 0;
		const isEnded = () => {
			for (const { id, data } of stream.frames.slice(read)) {
				last = id ?? last;
				const { id: job } = data.data as { readonly id?: string };
				if (data.type === 'job.completed' && job) ended.set(job, (ended.get(job) ?? 0) + 1);
			}
			read = stream.frames.length;
			return stream.isOver || isOver();
		};
		await eventually('the stream ends', isEnded, 60_000);
		stream.close();
		isEnded();
	}
	return streams;
}

test('no client sees an error while every process behind the shipped nginx is restarted under load', {
	timeout: 180_000,
}, async () => {
	const load = new Load(compose.nginx.url);
	onTestFailed(() => console.error(compose.output().slice(-20_000), load.counts, load.faults));
	const finalEvents = new Map<string, number>();
	let isOver = false;
	const following = follow(compose.nginx.url, finalEvents, () => isOver);
	following.catch(() => {});
	const stops: { readonly name: string; readonly code: number | null; readonly ms: number }[] = [];
	await eventually('the load has begun', () => load.created.length > 20, 20_000);
	for (const name of order) {
		const running = compose.processes[name];
		if (!running) throw new Error(`There is no ${name}.`);
		stops.push({ name, ...(await running.stop()) });
		await running.start();
		const before = load.counts.polls;
		await eventually('the load continues', () => load.counts.polls > before + 20, 10_000);
	}
	await load.stop();

	const isDone = async () => {
		const ends = (await loggedEvents(compose.database)).filter(({ type }) => /job\.(?:completed|failed)/.test(type));
		return ends.length === load.created.length && finalEvents.size === load.created.length;
	};
	await eventually('every job has ended, and its final event arrived', isDone, 20_000).catch(() => {});
	isOver = true;
	const streams = await following;
	const events = await loggedEvents(compose.database);
	const completed = new Set(events.filter(({ type }) => type === 'job.completed').map(({ jobId }) => jobId));
	for (const made of load.created) await load.check(made);

	const duplicates = [...finalEvents.values()].filter((count) => count > 1).length;
	printTable('a rolling restart behind nginx', {
		restarts: stops.map(({ name, ms }) => `${name} ${(ms / 1_000).toFixed(1)} s`).join(', '),
		...load.counts,
		'refused, reset or wrong': load.faults.length,
		'jobs accepted, completed': `${load.created.length}, ${completed.size}`,
		'event streams, final events, duplicates': [streams, finalEvents.size, duplicates].join(', '),
	});
	expect(load.faults).toEqual([]);
	expect(load.created.filter(({ id }) => !completed.has(id))).toEqual([]);
	expect(load.created.filter(({ id }) => finalEvents.get(id) !== 1)).toEqual([]);
	expect(stops.filter(({ code, ms }) => code !== 0 || ms > exitTimeoutMs)).toEqual([]);
	expect(load.counts.polls).toBeGreaterThan(500);
	expect(streams).toBeGreaterThan(1);
});
