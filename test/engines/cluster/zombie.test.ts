import { eventually } from '@plinth/testing';
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import { blobFilesOf } from '../../support/blob-files.ts';
import { createFleet, type Fleet, type Member, type Server } from '../../support/fleet.ts';
import { describeBytes, readRuns } from '../../support/quick-video.ts';
import { type OwnPostgres, ownPostgres, statement } from '../support/postgres.ts';

let postgres: OwnPostgres;
let database: string;
let fleet: Fleet;
let server: Server;
let first: Member;

beforeAll(async () => {
	postgres = await ownPostgres();
	database = await postgres.database();
	const jobs = { leaseMs: 1_500, heartbeatMs: 300, pollMs: 300, sweepMs: 500 };
	fleet = await createFleet('cluster-zombie', { jobs, database });
	[server, first] = await Promise.all([fleet.serve({ role: 'api' }), fleet.work()]);
}, 60_000);

afterAll(async () => {
	await fleet?.remove();
	await postgres?.remove();
});

test('a worker that is stopped for longer than its lease changes nothing when it resumes', async () => {
	onTestFailed(() => console.error(fleet.output()));
	const { client } = server;
	const { id } = await client.create({ model: 'quick', prompt: 'ms=3000' });
	const began = (pid: number) => readRuns(fleet.runsFile).some((run) => run.pid === pid && run.event === 'began');
	await eventually('the first worker has begun', () => began(first.pid), 10_000);
	first.child.signal('SIGSTOP');
	const second = await fleet.work();
	await eventually('the second worker has begun', () => began(second.pid), 30_000);
	expect(await client.finished(id, 30_000)).toMatchObject({ status: 'completed' });
	first.child.signal('SIGCONT');
	const isLost = () => first.child.stderr().includes('"end":"lost"');
	await eventually('the first worker notices that it has lost its job', isLost, 10_000);

	expect(describeBytes(await client.bytes(`/v1/videos/${id}/content`)).pid).toBe(second.pid);
	const ofFirst = () => blobFilesOf(fleet.dataDir, id).filter((path) => path.includes('/1/'));
	await eventually('the bytes of the first worker are deleted', () => ofFirst().length === 0);
	const text = 'SELECT type, data FROM plinth.events WHERE job_id = $1 ORDER BY place';
	const events = await statement<{ type: string; data: string }>(database, text, [id]);
	expect(events.map(({ type, data }) => `${type} ${JSON.parse(data).attempt}`)).toEqual([
		'job.queued 0',
		'job.started 1',
		'job.started 2',
		'job.completed 2',
	]);
});
