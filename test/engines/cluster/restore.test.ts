import { eventually } from '@plinth/testing';
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import { type EventStream, openEvents } from '../../support/event-stream.ts';
import { createFleet, type Fleet, fleetKey } from '../../support/fleet.ts';
import { readRuns } from '../../support/quick-video.ts';
import { printTable } from '../../support/table.ts';
import { type OwnPostgres, ownPostgres } from '../support/postgres.ts';
import { loggedEvents, unfinished } from './support.ts';

const jobs = { leaseMs: 3_000, heartbeatMs: 500, concurrency: 3 };

let server: OwnPostgres;
let fleet: Fleet;
let url: string;

beforeAll(async () => {
	server = await ownPostgres();
	url = await server.database();
	fleet = await createFleet('restore', { jobs, database: url });
});

afterAll(async () => {
	await fleet?.remove();
	await server?.remove();
});

/** The position of a client that has read all events so far. */
const positionOf = ({ frames }: EventStream) => frames.findLast(({ id }) => id !== undefined)?.id ?? '';

const eventsOf = ({ frames }: EventStream, id: string) =>
	frames.flatMap(({ data }) => (data.data.id === id && data.type !== 'job.progress' ? [data.type] : []));

test('a restored database keeps the positions of clients and takes running jobs again', async () => {
	onTestFailed(() => console.error(fleet.output()));
	const [{ client, url: api, ...old }, worker] = await Promise.all([fleet.serve({ role: 'api' }), fleet.work()]);
	const stream = await openEvents(`${api}/v1/events`, fleetKey);
	const done = await client.create({ model: 'quick', prompt: 'done ms=10' });
	await client.finished(done.id);
	const running = await client.create({ model: 'quick', prompt: 'running ms=4000' });
	await eventually('it runs', () => readRuns(fleet.runsFile).some(({ prompt }) => prompt.startsWith('running')));
	await eventually('its start event arrives', () => eventsOf(stream, running.id).includes('job.started'));
	const before = positionOf(stream);
	await server.program('pg_dump', ['-Fc', '-f', 'dump', url]);

	const lost = await client.create({ model: 'quick', prompt: 'lost ms=10' });
	await client.finished(lost.id);
	await eventually('its event arrives', () => eventsOf(stream, lost.id).includes('job.completed'));
	const behind = positionOf(stream);
	await Promise.all([old.kill(), worker.kill()]);

	const restored = await server.database();
	await server.program('pg_restore', ['-d', restored, 'dump']);
	const restoredAt = performance.now();
	const env = { DATABASE_URL: restored };
	const there = await fleet.serve({ role: 'api', env });
	const [kept, missed] = await Promise.all(
		[before, behind].map((position) => openEvents(`${there.url}/v1/events`, fleetKey, position)),
	);
	await missed?.until('stream.ready');
	await fleet.work({ env });
	const next = await there.client.create({ model: 'quick', prompt: 'next ms=10' });
	const failed = await unfinished(restored, [running.id, next.id]);
	const takenAfter = Math.round(performance.now() - restoredAt);
	const after = await openEvents(`${there.url}/v1/events`, fleetKey, behind);
	const streams = [kept, missed, after] as readonly EventStream[];
	for (const each of streams) {
		await eventually('the final event of the next job arrives', () =>
			eventsOf(each, next.id).includes('job.completed'),
		);
		await eventually('the final event of the running job arrives', () =>
			eventsOf(each, running.id).includes('job.completed'),
		);
		each.close();
	}
	stream.close();

	const starts = (await loggedEvents(restored)).filter(
		({ type, jobId }) => type === 'job.started' && jobId === running.id,
	);
	const video = await there.client.bytes(`/v1/videos/${running.id}/content`);
	printTable('a database that is restored from a dump', {
		'restored to the end of the job that ran (ms)': takenAfter,
		'attempts of it': starts.length,
		'events after a position before the dump': eventsOf(streams[0] as EventStream, running.id).join(', '),
		'after a position behind it, at once': (streams[1] as EventStream).types().slice(0, 2).join(', '),
		'after a position behind it, later': eventsOf(streams[2] as EventStream, next.id).join(', '),
	});
	expect(failed).toEqual([]);
	expect(starts.map(({ attempt }) => attempt)).toEqual([1, 2]);
	expect(kept?.types()).not.toContain('stream.ready');
	expect(eventsOf(kept as EventStream, running.id)).toEqual(['job.started', 'job.completed']);
	for (const each of [kept, after] as EventStream[]) {
		expect(eventsOf(each, next.id)).toEqual(['job.queued', 'job.started', 'job.completed']);
	}
	expect(video.length).toBeGreaterThan(1_000);
	expect((await there.client.send(`/v1/videos/${lost.id}`)).status).toBe(404);
	expect((await there.client.send(`/v1/videos/${done.id}/content`)).status).toBe(200);
});
