import { eventually } from '@plinth/testing';
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import { rawClient } from '../../support/client.ts';
import { createFleet, type Fleet, type Server } from '../../support/fleet.ts';
import { readRuns } from '../../support/quick-video.ts';
import { printTable } from '../../support/table.ts';
import { type OwnPostgres, ownPostgres } from '../support/postgres.ts';

const jobs = { north: 600, south: 30, west: 30 };
const tenants = Object.keys(jobs) as (keyof typeof jobs)[];
const keyOf = (tenant: string) => `key-of-the-tenant-${tenant}`;

let postgres: OwnPostgres;
let fleet: Fleet;
let server: Server;

beforeAll(async () => {
	postgres = await ownPostgres();
	const env = { PLINTH_API_KEYS: tenants.map((tenant) => `${tenant}:${keyOf(tenant)}`).join() };
	const options = { env, jobs: { maxPendingPerTenant: 0 }, database: await postgres.database() };
	fleet = await createFleet('cluster-shares', options);
	server = await fleet.serve({ role: 'api' });
}, 60_000);

afterAll(async () => {
	await fleet?.remove();
	await postgres?.remove();
});

test('three tenants with 600, 30 and 30 jobs have equal shares of four workers', async () => {
	onTestFailed(() => console.error(fleet.output().slice(-10_000)));
	for (const tenant of tenants) {
		const client = rawClient(server.url, keyOf(tenant));
		const make = () => client.create({ model: 'quick', prompt: `${tenant} ms=20 kb=1` });
		for (let made = 0; made < jobs[tenant]; made += 30) await Promise.all(Array.from({ length: 30 }, make));
	}
	await Promise.all(Array.from({ length: 4 }, () => fleet.work()));
	const begun = () => readRuns(fleet.runsFile).filter(({ event }) => event === 'began');
	// Up to this count all tenants have waiting jobs. With equal shares, 30 jobs of each would have begun.
	const counted = 75;
	await eventually('enough jobs have begun', () => begun().length >= counted, 60_000);
	const first = begun().slice(0, counted);
	const shares = tenants.map((tenant) => first.filter(({ prompt }) => prompt.startsWith(tenant)).length);
	printTable(
		`shares of the first ${counted} jobs`,
		Object.fromEntries(tenants.map((name, at) => [name, shares[at] ?? 0])),
	);
	for (const share of shares) expect(Math.abs(share / (counted / 3) - 1)).toBeLessThanOrEqual(0.2);
	await eventually('all four workers run jobs', () => new Set(begun().map(({ pid }) => pid)).size === 4);
});
