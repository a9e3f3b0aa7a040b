import { eventually } from '@plinth/testing';
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import { openEvents } from '../../support/event-stream.ts';
import { createFleet, type Fleet, fleetKey } from '../../support/fleet.ts';
import { printTable } from '../../support/table.ts';
import { startProxy } from '../postgres/proxy.ts';
import { type OwnPostgres, ownPostgres, statement } from '../support/postgres.ts';
import { checkRefusals, keepAsking, requestVideo, throughPort, unfinished } from './support.ts';

const jobs = { leaseMs: 4_000, heartbeatMs: 500, maxPendingPerTenant: 0 };

let primary: OwnPostgres;
let standby: OwnPostgres;
let proxy: Awaited<ReturnType<typeof startProxy>>;
let fleet: Fleet;
let url: string;

beforeAll(async () => {
	primary = await ownPostgres();
	url = await primary.database();
	standby = await primary.standby();
	await statement(url, "ALTER SYSTEM SET synchronous_standby_names = '*'");
	await statement(url, 'SELECT pg_reload_conf()');
	const isSynchronous = async () =>
		(await statement(url, "SELECT FROM pg_stat_replication WHERE sync_state = 'sync'")).length === 1;
	await eventually('the standby takes part in commits', isSynchronous, 10_000);
	proxy = await startProxy(primary.port);
	fleet = await createFleet('standby', { jobs, database: throughPort(url, proxy.port) });
});

afterAll(async () => {
	await fleet?.remove();
	await proxy?.close();
	await standby?.remove();
	await primary?.remove();
});

test('no acknowledged job is lost when the primary is killed and its standby promoted', async () => {
	onTestFailed(() => console.error(fleet.output()));
	const [{ client, url: api }] = await Promise.all([fleet.serve({ role: 'api' }), fleet.work(), fleet.work()]);
	const stream = await openEvents(`${api}/v1/events`, fleetKey);
	let made = 0;
	const load = keepAsking(6, () => requestVideo(client, `job ${++made} ms=100`));
	const stored = () => load.answers.filter(({ status }) => status === 201).length;
	await eventually('jobs are stored', () => stored() >= 50, 15_000);

	const killedAt = performance.now();
	await primary.kill();
	proxy.move(standby.port);
	const before = stored();
	await statement(standby.url(), 'SELECT pg_promote()');
	await eventually('jobs are stored again', () => stored() > before, 20_000);
	const gap = Math.round(performance.now() - killedAt);
	await eventually('more are stored', () => stored() > before + 20, 10_000);
	const answers = await load.stop();

	const promoted = throughPort(url, standby.port);
	const acknowledged = answers.flatMap(({ id }) => id ?? []);
	const known = await statement<{ id: string }>(promoted, 'SELECT id FROM plinth.jobs WHERE id = ANY ($1)', [
		acknowledged,
	]);
	const failed = await unfinished(promoted, acknowledged);
	const told = () =>
		new Set(stream.frames.flatMap(({ data }) => (data.type === 'job.completed' ? [data.data.id] : [])));
	const isTold = () => acknowledged.every((id) => told().has(id));
	await eventually('the final event of each arrives', isTold).catch(() => {});
	stream.close();

	printTable('a synchronous standby is promoted', {
		'acknowledged before and after the kill': `${before} and ${acknowledged.length - before}`,
		lost: acknowledged.length - known.length,
		'refused with 503': answers.filter(({ status }) => status === 503).length,
		'longest response (ms)': Math.max(...answers.map(({ ms }) => ms)),
		'kill to the next stored job (ms)': gap,
	});
	checkRefusals(answers, [201], [503]);
	expect(known.length).toBe(acknowledged.length);
	expect(gap).toBeLessThan(10_000);
	expect(failed).toEqual([]);
	expect(isTold()).toBe(true);
});
