import { setTimeout as delay } from 'node:timers/promises';
import type { JobStore } from '@plinth/core';
import { eventually } from '@plinth/testing';
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import type { DatabaseHandle } from '../../../adapters/postgres/src/engine/database.ts';
import { PostgresJobStore } from '../../../adapters/postgres/src/jobs/store.ts';
import { createFleet, type Fleet } from '../../support/fleet.ts';
import { percentile } from '../../support/latency.ts';
import { printTable } from '../../support/table.ts';
import { handleOn } from '../postgres/support.ts';
import { statement, testDatabase } from '../support/postgres.ts';
import { keepAsking, requestVideo } from './support.ts';

/** Five minutes; an hour with `PLINTH_TEST_CHURN_MINUTES=60`. */
const minutes = Number(process.env.PLINTH_TEST_CHURN_MINUTES ?? 5);
const running = 200;
/** How long takes are measured at the beginning and at the end. */
const windowMs = 20_000;
const pauseMs = 15;
const week = 168 * 3_600_000;

let database: Awaited<ReturnType<typeof testDatabase>>;
let fleet: Fleet;
let handle: DatabaseHandle;
let store: JobStore;

beforeAll(async () => {
	database = await testDatabase();
	const jobs = { concurrency: running, maxPendingPerTenant: 0, heartbeatMs: 1_000, progressMs: 1_000 };
	fleet = await createFleet('churn', { database: database.url, jobs });
	handle = await handleOn(database.url, 'probe');
	store = new PostgresJobStore(handle, week);
});

afterAll(async () => {
	await handle?.close();
	await fleet?.remove();
	await database?.remove();
});

/** The number of rows of a table. Some are counted ten times a second, so their conditions need an index. */
async function count(rows: string): Promise<number> {
	const [row] = await handle.pool.read<readonly [number]>(`SELECT count(*)::integer FROM plinth.${rows}`);
	return row?.[0] ?? 0;
}

/** Dead rows and pages of the lease table, which has a row for each running job. */
async function leasesNow(): Promise<string> {
	const text = `SELECT n_dead_tup AS dead, pg_relation_size(relid) / 8192 AS pages FROM pg_stat_user_tables
		WHERE schemaname = 'plinth' AND relname = 'leases'`;
	const [row] = await statement<{ dead: string; pages: string }>(database.url, text);
	return `${row?.dead}, ${row?.pages}`;
}

/** Takes jobs of another kind, one at a time. Returns the durations in milliseconds, in ascending order. */
async function takes(): Promise<readonly number[]> {
	const until = performance.now() + windowMs;
	const times: number[] = [];
	const common = { kind: 'probe', tenant: 'probe', principal: 'probe', model: 'm', input: {}, maxAttempts: 5 };
	while (performance.now() < until) {
		await store.create({ ...common, id: `probe_${crypto.randomUUID()}` });
		const began = performance.now();
		const [claim] = await store.take('probe', 'probe', { leaseMs: 20_000, count: 1 });
		times.push(performance.now() - began);
		if (claim) await store.complete(claim.job.id, claim.fence, { result: {}, retentionMs: null });
		await delay(pauseMs);
	}
	return times.toSorted((a, b) => a - b);
}

test(`${running} running jobs for ${minutes} minutes do not slow down a take`, async () => {
	onTestFailed(() => console.error(fleet.output()));
	const [{ client }] = await Promise.all([fleet.serve({ role: 'api' }), fleet.work()]);
	let made = 0;
	const create = () => requestVideo(client, `job ${++made} ms=${14_000 + (made % 40) * 100} kb=1`);
	const isShort = async () =>
		(await count("jobs WHERE kind = 'video' AND completed_at IS NULL AND NOT removed")) < running + 20;
	const load = keepAsking(4, async () => {
		while (!(await isShort())) await delay(100);
		return create();
	});
	const runningNow = () => count("leases WHERE kind = 'video'");
	await eventually('they run', async () => (await runningNow()) >= running * 0.95, 60_000);

	const until = Date.now() + minutes * 60_000;
	const fresh = await takes();
	const [leasesBefore, samples] = [await leasesNow(), [] as number[]];
	while (Date.now() < until - windowMs) {
		samples.push(await runningNow());
		await delay(500);
	}
	const aged = await takes();
	const leasesAfter = await leasesNow();
	const completed = await count("jobs WHERE kind = 'video' AND status = 'completed'");
	await load.stop();

	const figures = (times: readonly number[]) =>
		[0.5, 0.99].map((share) => percentile(times, share).toFixed(2)).join(', ');
	printTable(`takes with ${running} running jobs, ${minutes} minutes`, {
		'running in between, at least': Math.min(...samples),
		'jobs completed': completed,
		'dead rows and pages of leases, at the beginning': leasesBefore,
		'and at the end': leasesAfter,
		'take when fresh: p50, p99 (ms)': `${figures(fresh)} (${fresh.length})`,
		'take at the end: p50, p99 (ms)': `${figures(aged)} (${aged.length})`,
	});
	expect(Math.min(...samples)).toBeGreaterThan(running * 0.8);
	expect(percentile(aged, 0.99)).toBeLessThanOrEqual(2 * percentile(fresh, 0.99));
});
