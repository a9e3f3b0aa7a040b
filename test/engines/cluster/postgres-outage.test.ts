import { eventually } from '@plinth/testing';
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import { allVideos, type RawClient } from '../../support/client.ts';
import { createFleet, type Fleet, type Server } from '../../support/fleet.ts';
import { printTable } from '../../support/table.ts';
import { type OwnPostgres, ownPostgres, statement } from '../support/postgres.ts';

const outageMs = 30_000;

let postgres: OwnPostgres;
let fleet: Fleet;
let server: Server;

beforeAll(async () => {
	postgres = await ownPostgres();
	fleet = await createFleet('cluster-away', { database: await postgres.database() });
	[server] = await Promise.all([fleet.serve({ role: 'api' }), fleet.work()]);
}, 60_000);

afterAll(async () => {
	await fleet?.remove();
	await postgres?.remove();
});

/** A response and how long it took, in milliseconds. */
async function timed(send: () => Promise<Response>) {
	const began = performance.now();
	const response = await send();
	const text = await response.text();
	const retryAfter = Number(response.headers.get('retry-after'));
	return { status: response.status, retryAfter, text, ms: performance.now() - began };
}

const create = (client: RawClient) =>
	timed(() => client.post('/v1/videos', { model: 'quick', prompt: 'ms=50', size: '640x480', seconds: '2' }));
const list = (client: RawClient) => timed(() => client.send('/v1/videos'));
const ready = (client: RawClient) => timed(() => client.send('/readyz'));
const chat = (client: RawClient) =>
	timed(() =>
		client.post('/v1/chat/completions', {
			model: 'builtin-chat',
			messages: [{ role: 'user', content: 'What are you?' }],
		}),
	);

test('while PostgreSQL is down for 30 s, requests that need it fail at once and others succeed', {
	timeout: 90_000,
}, async () => {
	onTestFailed(() => console.error(fleet.output().slice(-10_000)));
	const { client } = server;
	expect(await create(client)).toMatchObject({ status: 201 });
	expect(await chat(client)).toMatchObject({ status: 200 });
	const before = await allVideos(client);

	await postgres.kill();
	const goneAt = performance.now();
	const refused: { readonly status: number; readonly retryAfter: number; readonly ms: number }[] = [];
	const answered: typeof refused = [];
	while (performance.now() - goneAt < outageMs) {
		refused.push(...(await Promise.all([create(client), create(client), list(client)])));
		answered.push(await chat(client));
		expect(await ready(client)).toMatchObject({ status: 503 });
	}
	expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]));
	expect(Math.min(...refused.map(({ retryAfter }) => retryAfter))).toBeGreaterThan(0);
	const slowest = Math.max(...refused.map(({ ms }) => ms));
	expect(slowest).toBeLessThan(2_000);
	expect(new Set(answered.map(({ status }) => status))).toEqual(new Set([200]));

	await postgres.start();
	const backAt = performance.now();
	await eventually('a job can be created', async () => (await create(client)).status === 201, 5_000);
	const backMs = performance.now() - backAt;
	await eventually('the server is ready', async () => (await ready(client)).status === 200, 5_000);
	const isDone = async () => (await allVideos(client)).every(({ status }) => status === 'completed');
	await eventually('every job is done', isDone, 20_000);
	// None of the refused jobs exists.
	expect(await allVideos(client)).toHaveLength(before.length + 1);
	const [{ connections } = { connections: 0 }] = await statement<{ connections: number }>(
		postgres.url(),
		`SELECT max(count)::integer AS connections FROM
			(SELECT count(*) FROM pg_stat_activity WHERE application_name = 'plinth' GROUP BY datname) AS each`,
	);
	printTable('PostgreSQL down for 30 s', {
		'refused with 503': refused.length,
		'slowest of them (ms)': Math.round(slowest),
		'chats completed meanwhile': answered.length,
		'ready after its restart (ms)': Math.round(backMs),
		'connections of two processes': connections,
	});
	expect(connections).toBeLessThanOrEqual(20);
});
