import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@plinth/testing';
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import { allVideos } from '../../support/client.ts';
import { createFleet, type Fleet, type Member, type Server } from '../../support/fleet.ts';
import { JobTracker } from '../../support/job-tracker.ts';
import { downloadVideo, readJob, runRandomClient } from '../../support/random-client.ts';
import { seeded } from '../../support/seeded.ts';
import { printTable } from '../../support/table.ts';
import { inconsistentIds } from '../../support/webhook-audit.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';
import { type OwnPostgres, ownPostgres } from '../support/postgres.ts';

const rounds = process.env.PLINTH_TEST_LONG === '1' ? 200 : 20;
const clientCount = 4;
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

test(`${rounds} rounds of SIGKILL to servers, workers and PostgreSQL lose no job`, {
	timeout: rounds * 15_000,
}, async () => {
	const random = seeded();
	const tracker = new JobTracker();
	onTestFailed(() => console.error(`PLINTH_TEST_SEED=${random.seed}\n${fleet.output().slice(-20_000)}`));
	const servers: Server[] = await Promise.all([fleet.serve({ role: 'api' }), fleet.serve({ role: 'api' })]);
	const workers: Member[] = await Promise.all([fleet.work(), fleet.work()]);
	await addEndpoint(servers[0] as Server);
	let isOver = false;
	const context = {
		tracker,
		random,
		client: () => random.pick(servers as [Server, Server]).client,
		mayRender: () => false,
		onEvent: () => {},
		isOver: () => isOver,
	};
	const kills = { server: 0, worker: 0, PostgreSQL: 0 };
	const clientsDone = Promise.all(Array.from({ length: clientCount }, () => runRandomClient(context)));
	for (let round = 0; round < rounds; round++) {
		await delay(random.integer(200, 1_000));
		const target = random.pick(['server', 'worker', 'PostgreSQL'] as const);
		const index = random.integer(0, 1);
		kills[target] += 1;
		if (target === 'PostgreSQL') {
			await postgres.kill();
			await postgres.start();
		} else if (target === 'server') {
			await servers[index]?.kill();
			servers[index] = await fleet.serve({ role: 'api' });
		} else {
			await workers[index]?.kill();
			workers[index] = await fleet.work();
		}
	}
	isOver = true;
	await clientsDone;

	const [{ client }] = servers as [Server];
	// After a kill of PostgreSQL, a server may answer 503 for at most five seconds.
	await eventually('the database is back', async () => (await client.send('/v1/videos')).status === 200);
	const open = async () => (await allVideos(client)).filter(({ status }) => /queued|in_progress/.test(status));
	await eventually('every job has ended', async () => (await open()).length === 0, 60_000);
	const acknowledged = tracker.jobs.filter(({ id }) => id !== undefined);
	for (const job of acknowledged) {
		await readJob(context, client, job);
		if (job.removal === 'none' && job.status === 'completed') await downloadVideo(context, client, job);
	}
	const ended = acknowledged.filter(({ removal, finalState }) => removal === 'none' && finalState !== undefined);
	const hasWebhook = ({ id }: { readonly id?: string }) => receiver.arrivals.some(({ event }) => event.data.id === id);
	await eventually('every final state was delivered', () => ended.every(hasWebhook), 60_000);

	// While the database is down, 503 is the correct response.
	const faults = tracker.faults.filter(({ text }) => !/^(?:POST|GET|DELETE): 503\b|: status 503$/.test(text));
	printTable(`kills of a cluster, seed ${random.seed}`, {
		rounds,
		'processes killed': Object.entries(kills)
			.map((pair) => pair.reverse().join(' '))
			.join(', '),
		acknowledged: acknowledged.length,
		'requested and never acknowledged': tracker.jobs.length - acknowledged.length,
		completed: acknowledged.filter(({ status }) => status === 'completed').length,
		'responses of 503': tracker.faults.length - faults.length,
		'webhooks received': receiver.arrivals.length,
		'events with two ids': inconsistentIds({ receiver }).length,
		faults: faults.length,
	});
	expect(faults).toEqual([]);
	expect(receiver.faults).toEqual([]);
	expect(inconsistentIds({ receiver })).toEqual([]);
	const failures = new Set(acknowledged.flatMap(({ error }) => error ?? []));
	expect([...failures].filter((code) => code !== 'attempts_exhausted')).toEqual([]);
	expect(acknowledged.length).toBeGreaterThan(rounds);
	for (const [target, count] of Object.entries(kills)) expect(count, target).toBeGreaterThan(0);
});

async function addEndpoint({ client }: Server): Promise<void> {
	const wanted = { name: 'all', url: `${receiver.url}/all`, event_types: ['video.completed', 'video.failed'] };
	const response = await client.post('/v1/webhook_endpoints', wanted);
	const { signing_secret } = (await response.json()) as { signing_secret: string };
	receiver.secrets.set('/all', signing_secret);
}
