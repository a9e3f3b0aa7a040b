import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@plinth/testing';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import { createFleet, type Fleet, fleetKey, type Server } from '../../support/fleet.ts';
import { describeBytes } from '../../support/quick-video.ts';
import { printTable } from '../../support/table.ts';
import { statement, testDatabase } from '../support/postgres.ts';
import { type RoundRobin, startRoundRobin } from './round-robin.ts';

const kills = 4;
const callers = 6;
const pollMs = 50;

let database: Awaited<ReturnType<typeof testDatabase>>;
let fleet: Fleet;
let balancer: RoundRobin;

beforeAll(async () => {
	database = await testDatabase();
	fleet = await createFleet('sdk', {
		database: database.url,
		jobs: { concurrency: 8, leaseMs: 4_000, heartbeatMs: 500 },
	});
	balancer = await startRoundRobin();
});

afterAll(async () => {
	await balancer?.close();
	await fleet?.remove();
	await database?.remove();
});

/** Creates a video, waits for it and downloads it. Half of the callers send their own idempotency key. */
async function make(client: OpenAI, prompt: string, key: string | undefined): Promise<void> {
	const body = { model: 'quick' as OpenAI.VideoModel, prompt, seconds: '4', size: '720x1280' } as const;
	const created = await client.videos.create(body, key ? { headers: { 'idempotency-key': key } } : {});
	let video = created;
	while (video.status !== 'completed' && video.status !== 'failed') {
		await delay(pollMs);
		video = await client.videos.retrieve(created.id);
	}
	expect([video.status, video.error]).toEqual(['completed', null]);
	const content = await client.videos.downloadContent(created.id);
	expect(describeBytes(new Uint8Array(await content.arrayBuffer())).prompt).toBe(prompt);
}

test('the official SDK sees no error while servers behind a load balancer are killed', async () => {
	onTestFailed(() => console.error(fleet.output()));
	const servers: Server[] = await Promise.all([fleet.serve({ role: 'api' }), fleet.serve({ role: 'api' })]);
	await fleet.work();
	const update = () => {
		balancer.targets = servers.map(({ url }) => url);
	};
	update();
	const tally = { requests: 0, repeated: 0, 'without a response': 0 };
	const client = new OpenAI({
		baseURL: `${balancer.url}/v1`,
		apiKey: fleetKey,
		fetch: async (target, init) => {
			tally.requests += 1;
			if (Number(new Headers(init?.headers).get('x-stainless-retry-count')) > 0) tally.repeated += 1;
			return fetch(target, init).catch((error: unknown) => {
				tally['without a response'] += 1;
				throw error;
			});
		},
	});

	const prompts: string[] = [];
	let isOver = false;
	const caller = async (name: number) => {
		for (let n = 0; !isOver; n += 1) {
			const prompt = `caller ${name} video ${n} ms=50 kb=1`;
			prompts.push(prompt);
			await make(client, prompt, name % 2 === 0 ? `key-${name}-${n}` : undefined);
		}
	};
	const calling = Promise.all(Array.from({ length: callers }, (_, name) => caller(name)));
	calling.catch(() => {});
	for (let kill = 0; kill < kills; kill += 1) {
		const before = prompts.length;
		await eventually('some videos are completed', () => prompts.length >= before + 2 * callers, 20_000);
		const index = kill % servers.length;
		await servers[index]?.kill();
		servers[index] = await fleet.serve({ role: 'api' });
		update();
	}
	isOver = true;
	await calling;

	const rows = await statement<{ input: string }>(database.url, 'SELECT input FROM plinth.jobs');
	const stored = rows.map(({ input }) => (JSON.parse(input) as { prompt: string }).prompt);
	printTable('the official SDK, behind a load balancer', {
		'servers killed': kills,
		'videos made': prompts.length,
		'jobs stored': stored.length,
		...tally,
	});
	expect(stored.toSorted()).toEqual(prompts.toSorted());
	expect(tally['without a response']).toBeGreaterThan(0);
});
