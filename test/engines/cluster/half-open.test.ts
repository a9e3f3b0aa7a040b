import { eventually } from '@plinth/testing';
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import { createFleet, type Fleet } from '../../support/fleet.ts';
import { readRuns } from '../../support/quick-video.ts';
import { printTable } from '../../support/table.ts';
import { startProxy } from '../postgres/proxy.ts';
import { testDatabase } from '../support/postgres.ts';
import { checkRefusals, keepAsking, loggedEvents, readPath, requestVideo, throughPort, unfinished } from './support.ts';

/** Longer than the test, so that a job starts at once because of a hint, or not at all. */
const jobs = { leaseMs: 12_000, heartbeatMs: 2_000, pollMs: 60_000 };

let database: Awaited<ReturnType<typeof testDatabase>>;
let proxy: Awaited<ReturnType<typeof startProxy>>;
let fleet: Fleet;

beforeAll(async () => {
	database = await testDatabase();
	proxy = await startProxy(Number(new URL(database.url).port));
	fleet = await createFleet('half-open', { jobs, database: throughPort(database.url, proxy.port) });
});

afterAll(async () => {
	await fleet?.remove();
	await proxy?.close();
	await database?.remove();
});

test('silently cut connections are detected, and requests and jobs continue', async () => {
	onTestFailed(() => console.error(fleet.output()));
	const [{ client }] = await Promise.all([fleet.serve({ role: 'api' }), fleet.work()]);
	await Promise.all(Array.from({ length: 20 }, () => client.json('/v1/videos')));
	const long = await client.create({ model: 'quick', prompt: 'long ms=8000' });
	await eventually('it runs', () => readRuns(fleet.runsFile).length === 1);
	let made = 0;
	proxy.freeze();
	const cutAt = performance.now();
	const since = () => Math.round(performance.now() - cutAt);
	const creates = keepAsking(3, () => requestVideo(client, `new ${++made} ms=10`));
	const reads = keepAsking(3, () => readPath(client, `/v1/videos/${long.id}`));

	await eventually('a read fails or succeeds', () => reads.answers.length >= 3, 15_000);
	await eventually('a job is stored', () => creates.answers.some(({ status }) => status === 201), 15_000);
	const storedAfter = since();
	const begun = () => readRuns(fleet.runsFile).some(({ prompt }) => prompt.startsWith('new'));
	await eventually('a hint reaches the worker', begun, 15_000);
	const begunAfter = since();
	const answers = [...(await creates.stop()), ...(await reads.stop())];
	const refused = answers.filter(({ status }) => status === 503);
	const created = creates.answers.flatMap(({ id }) => id ?? []);
	const failed = await unfinished(database.url, [long.id, ...created]);
	const attempts = (await loggedEvents(database.url)).filter(
		({ type, jobId }) => type === 'job.started' && jobId === long.id,
	);

	printTable('silently cut connections', {
		'requests meanwhile': answers.length,
		'refused with 503': refused.length,
		'longest response (ms)': Math.max(...answers.map(({ ms }) => ms)),
		'cut to a stored job (ms)': storedAfter,
		'cut to a job that a hint started (ms)': begunAfter,
		'attempts of the job that ran': attempts.length,
	});
	checkRefusals(answers, [200, 201], [503]);
	expect(refused.length).toBeGreaterThan(0);
	expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(2_500);
	expect(begunAfter).toBeLessThan(15_000);
	expect(failed).toEqual([]);
	expect(attempts.length).toBe(1);
});
