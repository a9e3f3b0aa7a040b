import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@plinth/testing';
import { afterEach, beforeEach, expect, onTestFailed, test } from 'vitest';
import { allVideos } from '../support/client.ts';
import { type Seeded, seeded } from '../support/seeded.ts';
import { printTable } from '../support/table.ts';
import {
	type AuditInput,
	deliveryKey,
	type EndedVideo,
	expectedDeliveries,
	inconsistentIds,
	lostJobs,
	misdirectedDeliveries,
	missingDeliveries,
} from '../support/webhook-audit.ts';
import {
	createWebhookFleet,
	purgedDeliveries,
	type WebhookFleet,
	type WebhookServer,
} from '../support/webhook-fleet.ts';
import { createJobs, type RequestedJob } from '../support/webhook-jobs.ts';
import { type Behaviour, startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const kills = process.env.PLINTH_TEST_LONG === '1' ? 200 : 20;
const creators = 4;
/** Enough time for the deliveries of a killed server: its lease lapses, and its duties are taken over within 15 s. */
const settleMs = 90_000;
/** The behaviours of the receiver. Success is frequent, so that there is always new work. */
const behaviours: readonly Behaviour[] = ['ok', 'ok', 'ok', 'slow', 'fail', 'redirect', 'hang', 'cut'];
const tenants = ['north', 'south'];
/** The event types that each endpoint subscribes to, by path. */
const subscriptions: Readonly<Record<string, readonly string[]>> = {
	'/north/all': ['video.completed', 'video.failed'],
	'/north/failed': ['video.failed'],
	'/south/completed': ['video.completed'],
};
const jobs = {
	concurrency: 8,
	leaseMs: 2_000,
	heartbeatMs: 500,
	progressMs: 50,
	pollMs: 500,
	sweepMs: 500,
	maxRunMs: 1_000,
};

/** The members of a delivery that this file reads. */
interface WireDelivery {
	readonly id: string;
	readonly status: string;
	readonly attempts: readonly unknown[];
}

let fleet: WebhookFleet;
let receiver: WebhookReceiver;

beforeEach(async () => {
	receiver = await startWebhookReceiver();
	fleet = await createWebhookFleet([...tenants, 'quiet', 'noisy'], jobs);
});

afterEach(async () => {
	await fleet.remove();
	await receiver.close();
});

async function addEndpoint(server: WebhookServer, path: string): Promise<void> {
	const [, tenant = ''] = path.split('/');
	const response = await server.client(tenant).post('/v1/webhook_endpoints', {
		name: path,
		url: receiver.url + path,
		event_types: subscriptions[path] ?? ['video.completed'],
	});
	const { signing_secret } = (await response.json()) as { signing_secret: string };
	receiver.secrets.set(path, signing_secret);
}

test(`${kills} SIGKILLs lose no event and give no event two ids`, async () => {
	const random = seeded();
	onTestFailed(() => console.error(`PLINTH_TEST_SEED=${random.seed}\n${fleet.output()}`));
	const first = await fleet.serve();
	for (const path of Object.keys(subscriptions)) await addEndpoint(first, path);
	receiver.behaviour = () => random.pick(behaviours);

	const servers = new Set([first]);
	const requested: RequestedJob[] = [];
	const faults: string[] = [];
	const acknowledged = () => requested.filter(({ id }) => id !== undefined).length;
	let isOver = false;
	const creating = Promise.all(
		Array.from({ length: creators }, () =>
			createJobs({
				...{ tenants, random, receiver, jobs: requested, faults },
				...{ servers: () => [...servers], isOver: () => isOver },
			}),
		),
	);
	let killed = 0;
	while (killed < kills) {
		await startMissing(servers, random);
		// However slow the machine is, each round has something to lose.
		const enough = acknowledged() + random.integer(2, 8);
		await eventually('jobs are acknowledged', () => acknowledged() >= enough, 30_000);
		await delay(random.integer(100, 500));
		killed += await killRandom(servers, random);
	}
	isOver = true;
	await creating;
	receiver.acceptAll();

	const last = await fleet.serve();
	const videos = await endedVideos(last);
	const input: AuditInput = { receiver, subscriptions, requested, videos };
	const hasAllArrived = async () => {
		await delay(100);
		return missingDeliveries(input).length === 0;
	};
	await eventually('every event has arrived', hasAllArrived, settleMs).catch(() => {});
	const unsent = await waitForDeliveries(last);
	const deliveries = (await Promise.all(tenants.map((tenant) => allDeliveries(last, tenant)))).flat();
	const purged = await purgedDeliveries(fleet.dataDir);

	const arrivals = receiver.arrivals.filter(({ path }) => path !== '/redirected');
	const taken = arrivals.filter(({ isAccepted }) => isAccepted);
	const pairs = new Set(taken.map(deliveryKey));
	const expected = expectedDeliveries(input);
	printTable(`webhooks and kills, seed ${random.seed}`, {
		'servers killed': killed,
		'jobs acknowledged': acknowledged(),
		'of those deleted': requested.filter(({ isRemoved }) => isRemoved).length,
		'jobs that failed': videos.filter(({ status }) => status === 'failed').length,
		events: new Set(arrivals.map(({ event }) => event.id)).size,
		'expected at their targets': expected.length,
		deliveries: deliveries.length,
		requests: arrivals.length,
		'accepted more than once': taken.length - pairs.size,
		retries: deliveries.reduce((sum, { attempts }) => sum + Math.max(0, attempts.length - 1), 0),
	});
	expect({
		'unexpected responses': faults,
		'wrong signatures or times': receiver.faults,
		'never arrived': missingDeliveries(input),
		'lost jobs': lostJobs(input),
		'several ids': inconsistentIds(input),
		'at the wrong target': misdirectedDeliveries(input),
		'redirects that were followed': receiver.arrivals.length - arrivals.length,
		'still pending': unsent,
		'not delivered': deliveries.filter(({ status }) => status !== 'delivered'),
	}).toEqual({
		'unexpected responses': [],
		'wrong signatures or times': [],
		'never arrived': [],
		'lost jobs': [],
		'several ids': [],
		'at the wrong target': [],
		'redirects that were followed': 0,
		'still pending': [],
		'not delivered': [],
	});
	// Each of these is deleted in a week. A kill may leave an additional one, which is then deleted, too.
	expect([...purged].sort()).toEqual(deliveries.map(({ id }) => id).sort());
	expect(expected.length).toBeGreaterThan(kills * 3);
	expect(taken.length).toBeLessThan(arrivals.length);
	expect(new Set(videos.map(({ status }) => status))).toEqual(new Set(['completed', 'failed']));
});

/** Starts a server, or two on the same data. */
async function startMissing(servers: Set<WebhookServer>, random: Seeded): Promise<void> {
	const missing = (random.chance(0.3) ? 2 : 1) - servers.size;
	const started = Array.from({ length: Math.max(0, missing) }, () => fleet.serve());
	for (const server of await Promise.all(started)) servers.add(server);
}

/** Kills one or all servers, and returns how many. */
async function killRandom(servers: Set<WebhookServer>, random: Seeded): Promise<number> {
	const targets = random.chance(0.5) ? [...servers] : [random.pick([...servers])];
	for (const target of targets) servers.delete(target);
	await Promise.all(targets.map((target) => target.kill()));
	return targets.length;
}

/** All jobs of the tenants, once each has ended. */
async function endedVideos(server: WebhookServer): Promise<readonly EndedVideo[]> {
	const clients = tenants.map((tenant) => ({ tenant, client: server.client(tenant) }));
	let videos: readonly EndedVideo[] = [];
	const isSettled = async () => {
		await delay(100);
		const lists = clients.map(async ({ tenant, client }) =>
			(await allVideos(client)).map((video) => ({ ...video, tenant })),
		);
		videos = (await Promise.all(lists)).flat();
		return videos.every(({ status }) => status === 'completed' || status === 'failed');
	};
	await eventually('every job has ended', isSettled, settleMs);
	return videos;
}

/** Waits until no delivery is pending, and returns those that still are. */
async function waitForDeliveries(server: WebhookServer): Promise<readonly string[]> {
	let unsent: readonly string[] = [];
	const isSettled = async () => {
		await delay(200);
		const lists = tenants.map((tenant) => allDeliveries(server, tenant));
		const all = (await Promise.all(lists)).flat();
		unsent = all.filter(({ status }) => status === 'pending').map(({ id }) => id);
		return unsent.length === 0;
	};
	await eventually('no delivery is pending', isSettled, settleMs).catch(() => {});
	return unsent;
}

async function allDeliveries(server: WebhookServer, tenant: string) {
	const client = server.client(tenant);
	const found: WireDelivery[] = [];
	for (let after = ''; ; after = `&after=${found.at(-1)?.id}`) {
		const page = await client.json<{
			readonly data: readonly WireDelivery[];
			readonly has_more: boolean;
		}>(`/v1/webhook_deliveries?limit=100${after}`);
		found.push(...page.data);
		if (!page.has_more) return found;
	}
}

test('receivers that hang do not slow jobs down', async () => {
	const server = await fleet.serve();
	receiver.behaviour = () => 'hang';
	for (const path of ['/noisy/one', '/noisy/two', '/noisy/three']) await addEndpoint(server, path);
	const run = async (tenant: string, fields: object) => {
		const client = server.client(tenant);
		const began = performance.now();
		const body = { model: 'quick', prompt: 'ms=1 kb=1', ...fields };
		const made = await Promise.all(Array.from({ length: 20 }, () => client.create(body)));
		const ids = new Set(made.map(({ id }) => id));
		await eventually('they are completed', async () => {
			await delay(10);
			const videos = (await allVideos(client)).filter(({ id }) => ids.has(id));
			return videos.every(({ status }) => status === 'completed');
		});
		return performance.now() - began;
	};
	const times = { quiet: [] as number[], noisy: [] as number[] };
	await run('quiet', {});
	for (let round = 0; round < 3; round++) {
		times.quiet.push(await run('quiet', {}));
		times.noisy.push(await run('noisy', { callback_url: `${receiver.url}/noisy/callback` }));
	}
	const [quiet, noisy] = [Math.min(...times.quiet), Math.min(...times.noisy)];
	await eventually('requests hang', () => receiver.arrivals.length >= 4);
	printTable('20 jobs while receivers hang', {
		'without webhooks (ms)': quiet.toFixed(),
		'with webhooks (ms)': noisy.toFixed(),
	});
	expect(noisy).toBeLessThan(Math.max(quiet * 1.1, quiet + 1_000));
});
