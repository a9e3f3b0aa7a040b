import { eventually } from '@plinth/testing';
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import { type EventStream, openEvents } from '../../support/event-stream.ts';
import { createFleet, type Fleet, fleetKey, type Server } from '../../support/fleet.ts';
import { printTable } from '../../support/table.ts';
import { connection, type OwnPostgres, ownPostgres, statement } from '../support/postgres.ts';
import { spread } from './support.ts';

const rounds = 40;

let server: OwnPostgres;
let fleet: Fleet;

beforeAll(async () => {
	server = await ownPostgres();
	fleet = await createFleet('idle', { database: await server.database() });
});

afterAll(async () => {
	await fleet?.remove();
	await server?.remove();
});

const ofJob = ({ frames }: EventStream, type: string, id: string) =>
	frames.find(({ data }) => data.type === type && data.data.id === id);

/** The time from the response of a create request to its event at a client of another server, in milliseconds. */
async function delays(here: Server, stream: EventStream): Promise<readonly number[]> {
	const found: number[] = [];
	for (let round = 0; round < rounds; round += 1) {
		const { id } = await here.client.create({ model: 'quick', prompt: `job ${round} ms=10` });
		const queuedAt = performance.now();
		await eventually('its creation event arrives', () => ofJob(stream, 'job.queued', id) !== undefined);
		found.push(performance.now() - queuedAt);
		await here.client.finished(id);
		const completedAt = performance.now();
		await eventually('its final event arrives', () => ofJob(stream, 'job.completed', id) !== undefined);
		found.push(performance.now() - completedAt);
	}
	return found;
}

test('a transaction that stays open in another database delays no event', async () => {
	onTestFailed(() => console.error(fleet.output()));
	const [here, there] = await Promise.all([fleet.serve({ role: 'api' }), fleet.serve({ role: 'api' }), fleet.work()]);
	const stream = await openEvents(`${there.url}/v1/events`, fleetKey);
	const before = await delays(here, stream);

	const otherClient = await connection(await server.database());
	await otherClient.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
	await otherClient.query('CREATE TABLE unfinished (id integer)');
	const meanwhile = await delays(here, stream);
	const [oldest] = await statement<{ state: string }>(
		server.url(),
		'SELECT state FROM pg_stat_activity WHERE backend_xid IS NOT NULL ORDER BY age(backend_xid) DESC LIMIT 1',
	);
	await otherClient.end();
	stream.close();

	printTable('an idle transaction in another database: delay of events between servers', {
		without: spread(before),
		with: spread(meanwhile),
	});
	expect(oldest?.state).toBe('idle in transaction');
	expect(Math.max(...meanwhile)).toBeLessThan(1_000);
});
