import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@plinth/testing';
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import { allVideos } from '../../support/client.ts';
import { createFleet, type Fleet, type Member, type Server } from '../../support/fleet.ts';
import { Ledger } from '../../support/ledger.ts';
import { seeded } from '../../support/seeded.ts';
import { printTable } from '../../support/table.ts';
import { download, look, visit } from '../../support/visitor.ts';
import { wrongIds } from '../../support/webhook-audit.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';
import { type OwnPostgres, ownPostgres } from '../support/postgres.ts';

const rounds = process.env.PLINTH_TEST_LONG === '1' ? 200 : 20;
const visitors = 4;
const jobs = { leaseMs: 2_000, heartbeatMs: 500, progressMs: 50, pollMs: 500, sweepMs: 500 };
const env = {
	PLINTH_WEBHOOK_ALLOW_PRIVATE: 'true',
	PLINTH_WEBHOOK_RETRY_SECONDS: Array.from({ length: 40 }, () => '0.3').join(),
};

let postgres: OwnPostgres;
let fleet: Fleet;
let receiver: WebhookReceiver;

beforeAll(async () => {
	[postgres, receiver] = await Promise.all([ownPostgres(), startWebhookReceiver()]);
	fleet = await createFleet('cluster-kills', { jobs, env, database: await postgres.database() });
}, 60_000);

afterAll(async () => {
	await fleet?.remove();
	await receiver?.close();
	await postgres?.remove();
});

test(`${rounds} rounds of SIGKILL to servers, workers and PostgreSQL lose no job`, { timeout: 900_000 }, async () => {
	const random = seeded();
	const ledger = new Ledger();
	onTestFailed(() => console.error(`PLINTH_TEST_SEED=${random.seed}\n${fleet.output().slice(-20_000)}`));
	const servers: Server[] = await Promise.all([fleet.serve({ role: 'api' }), fleet.serve({ role: 'api' })]);
	const workers: Member[] = await Promise.all([fleet.work(), fleet.work()]);
	await addEndpoint(servers[0] as Server);
	let isOver = false;
	const context = {
		ledger,
		random,
		client: () => random.pick(servers as [Server, Server]).client,
		mayRender: () => false,
		happened: () => {},
		isOver: () => isOver,
	};
	const kills = { server: 0, worker: 0, PostgreSQL: 0 };
	const visiting = Promise.all(Array.from({ length: visitors }, () => visit(context)));
	for (let round = 0; round < rounds; round++) {
		await delay(random.integer(200, 1_000));
		const victim = random.pick(['server', 'worker', 'PostgreSQL'] as const);
		const index = random.integer(0, 1);
		kills[victim] += 1;
		if (victim === 'PostgreSQL') {
			await postgres.kill();
			await postgres.start();
		} else if (victim === 'server') {
			await servers[index]?.kill();
			servers[index] = await fleet.serve({ role: 'api' });
		} else {
			await workers[index]?.kill();
			workers[index] = await fleet.work();
		}
	}
	isOver = true;
	await visiting;

	const [{ client }] = servers as [Server];
	const open = async () => (await allVideos(client)).filter(({ status }) => /queued|in_progress/.test(status));
	await eventually('every job has ended', async () => (await open()).length === 0, 60_000);
	const acknowledged = ledger.entries.filter(({ id }) => id !== undefined);
	for (const entry of acknowledged) {
		await look(context, client, entry);
		if (entry.removal === 'none' && entry.status === 'completed') await download(context, client, entry);
	}
	const ended = acknowledged.filter(({ removal, ended }) => removal === 'none' && ended !== undefined);
	const isTold = ({ id }: { readonly id?: string }) => receiver.arrivals.some(({ event }) => event.data.id === id);
	await eventually('every end was told', () => ended.every(isTold), 60_000);

	// While the database is away, 503 is the answer that is due.
	const faults = ledger.faults.filter(({ text }) => !/^(?:POST|GET|DELETE): 503\b|: status 503$/.test(text));
	printTable(`kills of a cluster, seed ${random.seed}`, {
		rounds,
		'processes killed': Object.entries(kills)
			.map((pair) => pair.reverse().join(' '))
			.join(', '),
		acknowledged: acknowledged.length,
		'asked for and never acknowledged': ledger.entries.length - acknowledged.length,
		completed: acknowledged.filter(({ status }) => status === 'completed').length,
		'answers of 503': ledger.faults.length - faults.length,
		'webhooks that came': receiver.arrivals.length,
		'events with two ids': wrongIds({ receiver }).length,
		faults: faults.length,
	});
	expect(faults).toEqual([]);
	expect(receiver.faults).toEqual([]);
	expect(wrongIds({ receiver })).toEqual([]);
	const failures = new Set(acknowledged.flatMap(({ error }) => error ?? []));
	expect([...failures].filter((code) => code !== 'attempts_exhausted')).toEqual([]);
	expect(acknowledged.length).toBeGreaterThan(rounds);
	for (const [victim, count] of Object.entries(kills)) expect(count, victim).toBeGreaterThan(0);
});

async function addEndpoint({ client }: Server): Promise<void> {
	const wanted = { name: 'all', url: `${receiver.url}/all`, event_types: ['video.completed', 'video.failed'] };
	const answer = await client.post('/v1/webhook_endpoints', wanted);
	const { signing_secret } = (await answer.json()) as { signing_secret: string };
	receiver.secrets.set('/all', signing_secret);
}
