import type { JobStore } from '@plinth/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DatabaseHandle } from '../../../adapters/postgres/src/engine/database.ts';
import type { Values } from '../../../adapters/postgres/src/engine/pool.ts';
import { PostgresJobStore } from '../../../adapters/postgres/src/jobs/store.ts';
import { statement, testDatabase } from '../support/postgres.ts';
import { handleOn } from './support.ts';

const week = 168 * 3_600_000;

let database: Awaited<ReturnType<typeof testDatabase>>;
let handle: DatabaseHandle;

beforeAll(async () => {
	database = await testDatabase();
	handle = await handleOn(database.url, 'plans');
});

afterAll(async () => {
	await handle?.close();
	await database?.remove();
});

/** What servers and workers ask again and again. */
const calls: Readonly<Record<string, (store: JobStore) => Promise<unknown>>> = {
	take: (store) => store.take('video', 'worker', { leaseMs: 20_000, count: 1, models: ['m'] }),
	due: (store) => store.due('video', ['m'], 10),
	pending: (store) => store.pending('video'),
	sweep: (store) => store.sweep(100),
	tidy: (store) => store.tidy(),
	events: (store) => store.events(undefined, { limit: 100 }),
	head: (store) => store.head(),
	list: (store) => store.list('acme', { kind: 'video', order: 'desc', limit: 20 }),
	lead: (store) => store.lead('housekeeping', 'worker', 15_000),
};

/** The number of pages that PostgreSQL reads for a call, from its cache or from the disk. */
async function pagesOf(call: (store: JobStore) => Promise<unknown>): Promise<number> {
	let pages = 0;
	type Plan = readonly { readonly Plan: Readonly<Record<`Shared ${'Hit' | 'Read'} Blocks`, number>> }[];
	const explain = async (text: string, values: Values = []) => {
		const explained = `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`;
		const [[[root]]] = (await handle.pool.read(explained, values)) as unknown as [[Plan]];
		pages += (root?.Plan['Shared Hit Blocks'] ?? 0) + (root?.Plan['Shared Read Blocks'] ?? 0);
		return [];
	};
	const pool = { address: handle.pool.address, read: explain, write: explain } as unknown as DatabaseHandle['pool'];
	await call(new PostgresJobStore({ ...handle, pool }, week));
	return pages;
}

async function allPages(): Promise<Readonly<Record<string, number>>> {
	const pages: Record<string, number> = {};
	for (const [name, call] of Object.entries(calls)) {
		// The first call of a connection also reads the catalog.
		await pagesOf(call);
		pages[name] = await pagesOf(call);
	}
	return pages;
}

async function addEndedJobs(name: string, count: number): Promise<void> {
	await statement(
		database.url,
		`INSERT INTO plinth.jobs (id, kind, tenant, principal, model, status, input, max_attempts, created_at,
			completed_at, content_due_at, record_due_at)
		SELECT '${name}_' || g, 'video', 'acme', 'key', 'm', 'completed', '{}', 5, t, t, t + ${week}, t + ${week}
		FROM generate_series(1, ${count}) g, plinth.now_ms() t`,
	);
	await statement(database.url, 'ANALYZE plinth.jobs');
}

async function addWaitingJobs(count: number): Promise<void> {
	const store = new PostgresJobStore(handle, week);
	const job = { kind: 'video', tenant: 'acme', principal: 'key', model: 'm', input: {}, maxAttempts: 5 };
	for (let n = 0; n < count; n++) await store.create({ ...job, id: `waiting_${n}` });
}

test('calls read as many pages beside 20,000 ended jobs as beside 100', async () => {
	await addWaitingJobs(10);
	await addEndedJobs('few', 100);
	const few = await allPages();
	await addEndedJobs('many', 20_000);
	const many = await allPages();
	for (const name of Object.keys(calls)) expect(many[name], name).toBeLessThan(2 * (few[name] ?? 0) + 50);
});
