import { ListMultipartUploadsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import type { BlobStore } from '@plinth/core';
import { s3Blobs } from '@plinth/s3';
import { createBackend, eventually } from '@plinth/testing';
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import { allVideos, type RawClient } from '../../support/client.ts';
import { ClockAhead } from '../../support/clock-ahead.ts';
import { type FaultProxy, faultProxy } from '../../support/fault-proxy.ts';
import { createFleet, type Fleet, type Member, type Server } from '../../support/fleet.ts';
import { JobTracker, type TrackedJob } from '../../support/job-tracker.ts';
import { downloadVideo, postJob, type RandomClientContext, readJob } from '../../support/random-client.ts';
import { seeded } from '../../support/seeded.ts';
import { printTable } from '../../support/table.ts';
import { type OwnPostgres, ownPostgres } from '../support/postgres.ts';
import { ownSwift, type SwiftServer } from '../support/swift.ts';
import { clientOf, newBucket, type Place } from './support.ts';

const rounds = process.env.PLINTH_TEST_LONG === '1' ? 50 : 20;
const workers = 3;
/** The maximum number of waiting jobs. More would only make the end of the test longer. */
const maxWaitingJobs = 12;
const orphanMs = 4_000;
const jobs = { leaseMs: 2_000, heartbeatMs: 500, pollMs: 200, sweepMs: 500, orphanMs };
const dayMs = 86_400_000;

let postgres: OwnPostgres;
let swift: SwiftServer;
let place: Place;
let fleet: Fleet;
/**
 * One proxy in front of each process, the API server's last, so that a test can kill each process during its own
 * upload.
 */
let proxies: readonly FaultProxy[];

beforeAll(async () => {
	[postgres, swift] = await Promise.all([ownPostgres(), ownSwift()]);
	place = await newBucket(swift);
	proxies = await Promise.all(Array.from({ length: workers + 1 }, () => faultProxy(swift.endpoint)));
	fleet = await createFleet('s3-kills', {
		database: await postgres.database(),
		jobs,
		env: {
			S3_BUCKET: place.bucket,
			AWS_ACCESS_KEY_ID: place.accessKeyId,
			AWS_SECRET_ACCESS_KEY: place.secretAccessKey,
		},
	});
}, 60_000);

afterAll(async () => {
	await fleet?.remove();
	await Promise.all(proxies?.map((proxy) => proxy.close()) ?? []);
	await postgres?.remove();
	await swift?.remove();
});

const optionsOf = (slot: number) => ({ env: { S3_ENDPOINT: proxies[slot]?.url ?? '' } });

test(`${rounds} kills during uploads leave no orphaned bytes and no truncated video`, {
	timeout: 300_000,
}, async () => {
	const random = seeded();
	const tracker = new JobTracker();
	onTestFailed(() => console.error(`PLINTH_TEST_SEED=${random.seed}\n${fleet.output().slice(-20_000)}`));
	const members = new Map<number, Member>();
	let server: Server | undefined;
	let isOver = false;
	const start = async (slot: number) => {
		if (slot === workers) server = await fleet.serve({ role: 'api', ...optionsOf(slot) });
		members.set(slot, slot === workers ? (server as Server) : await fleet.work(optionsOf(slot)));
	};
	const context: RandomClientContext = {
		tracker,
		random,
		client: () => server?.client,
		mayRender: () => false,
		onEvent: () => {},
		isOver: () => isOver,
	};
	await Promise.all(Array.from({ length: workers + 1 }, (_, slot) => start(slot)));
	const clientsDone = Promise.all([createAndPoll(context), createAndPoll(context)]);
	const starting = new Set<Promise<void>>();
	const creating: Promise<void>[] = [];
	const kills = { worker: 0, server: 0, uploading: 0 };
	for (let round = 0; round < rounds; round += 1) {
		await eventually('a process to kill', () => members.size > 1, 20_000);
		const isServer = server !== undefined && random.chance(0.25);
		// A create request with an image, which the server uploads.
		if (isServer) creating.push(create(context, (server as Server).client, true).catch(ignoreBrokenConnection));
		const bytes = isServer ? 1 : random.pick([1, 60_000, 2_000_000, 5_000_000] as const);
		const candidates = isServer ? [workers] : [...members.keys()].filter((slot) => slot !== workers);
		const found = await firstUpload(candidates, bytes);
		const slot = found ?? random.pick([...members.keys()] as [number, ...number[]]);
		if (found !== undefined) kills.uploading += 1;
		kills[slot === workers ? 'server' : 'worker'] += 1;
		const target = members.get(slot);
		members.delete(slot);
		if (slot === workers) server = undefined;
		await target?.kill();
		const started = start(slot).finally(() => starting.delete(started));
		starting.add(started);
	}
	isOver = true;
	await Promise.all([clientsDone, ...starting, ...creating]);

	const { client } = server as unknown as Server;
	const open = async () => (await allVideos(client)).filter(({ status }) => /queued|in_progress/.test(status));
	await eventually('every job has ended', async () => (await open()).length === 0, 60_000);
	const acknowledged = tracker.jobs.filter(({ id }) => id !== undefined);
	await readAll(context, client, acknowledged);
	await eventually('no object is orphaned', async () => (await orphanedObjects(client)).length === 0, 20_000).catch(
		() => {},
	);
	const [objects, unfinished] = [await keysInBucket(), (await uploads()).length];
	await sweepInADay();
	printTable(`kills in uploads, seed ${random.seed}`, {
		rounds,
		...kills,
		acknowledged: acknowledged.length,
		completed: acknowledged.filter(({ status }) => status === 'completed').length,
		'orphaned objects': (await orphanedObjects(client)).length,
		'unfinished uploads, before and after the sweep': `${unfinished}, ${(await uploads()).length}`,
		faults: tracker.faults.length,
	});
	expect(tracker.faults).toEqual([]);
	expect(await orphanedObjects(client)).toEqual([]);
	expect(await keysInBucket()).toEqual(objects);
	expect([unfinished > 0, await uploads()]).toEqual([true, []]);
	const failures = new Set(acknowledged.flatMap(({ error }) => error ?? []));
	expect([...failures].filter((code) => code !== 'attempts_exhausted')).toEqual([]);
	expect(acknowledged.filter(({ status }) => status === 'completed').length).toBeGreaterThan(rounds / 2);
	expect(kills.uploading).toBeGreaterThan(rounds / 4);
});

/** The first of these processes that has uploaded so many bytes; undefined when none has within five seconds. */
async function firstUpload(slots: readonly number[], bytes: number): Promise<number | undefined> {
	const deadline = new AbortController();
	const signal = AbortSignal.any([deadline.signal, AbortSignal.timeout(5_000)]);
	const waiting = slots.map(async (slot) => {
		await proxies[slot]?.uploading(bytes, signal);
		return slot;
	});
	try {
		return await Promise.any(waiting).catch(() => undefined);
	} finally {
		deadline.abort();
	}
}

/** Creates and polls videos until `isOver`. */
async function createAndPoll(context: RandomClientContext): Promise<void> {
	const { tracker, random } = context;
	while (!context.isOver()) {
		const waiting = tracker.jobs.filter(({ id, finalState }) => id !== undefined && finalState === undefined);
		const client = context.client();
		const isFull = waiting.length >= maxWaitingJobs;
		const step =
			client && (isFull ? readJob(context, client, random.pick(waiting as [TrackedJob])) : create(context, client));
		await step?.catch(ignoreBrokenConnection);
		if (!step || isFull) await new Promise((resolve) => setTimeout(resolve, 20));
	}
}

/** Creates a video: a small one, or one that is uploaded in parts. */
async function create(
	context: RandomClientContext,
	client: RawClient,
	hasReference = context.random.chance(0.3),
): Promise<void> {
	const { tracker, random } = context;
	const number = tracker.jobs.length;
	const kilobytes = random.chance(0.3) ? random.integer(1, 300) : random.integer(5_200, 6_500);
	const prompt = `job ${number} ms=10 kb=${kilobytes}`;
	await postJob(context, client, tracker.add({ model: 'quick', prompt, key: `key-${number}`, hasReference }));
}

/** `fetch` throws a TypeError when its server is killed. Any other error is a mistake in the test. */
function ignoreBrokenConnection(error: unknown): void {
	if (!(error instanceof TypeError)) throw error;
}

/** Reads every job, and compares the bytes of completed ones with their digests. */
async function readAll(context: RandomClientContext, client: RawClient, jobs: readonly TrackedJob[]): Promise<void> {
	for (const job of jobs) {
		await readJob(context, client, job);
		if (job.status === 'completed') await downloadVideo(context, client, job);
	}
}

/** Objects that belong to no completed job, with the state of their jobs. */
async function orphanedObjects(client: RawClient): Promise<readonly string[]> {
	const jobs = new Map((await allVideos(client)).map((video) => [video.id, video]));
	const attempts = new Map<string, string>();
	const found: string[] = [];
	for (const key of await keysInBucket()) {
		const [, id = '', attempt = ''] = /^jobs\/([^/]+)\/([^/]+)\//.exec(key) ?? [];
		const job = jobs.get(id);
		const isServed = job?.status === 'completed';
		const kept = attempts.get(id) ?? attempt;
		if (isServed && attempt !== 'input') attempts.set(id, kept);
		if (isServed && (attempt === 'input' || attempt === kept)) continue;
		if (await exists(key)) found.push(`${key} (${isServed ? `beside ${kept}` : (job?.error?.code ?? 'no such job')})`);
	}
	return found;
}

/** A busy Swift server lists a deleted object for a while. */
async function exists(key: string): Promise<boolean> {
	const { provided, stop } = await createBackend<BlobStore>(s3Blobs(place));
	const found = await provided.head(key);
	await stop();
	return found !== null;
}

async function keysInBucket(): Promise<readonly string[]> {
	const client = clientOf(place);
	const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: place.bucket }));
	client.destroy();
	return Contents.map(({ Key = '' }) => Key).filter((key) => key !== 'store-identity');
}

async function uploads(): Promise<readonly string[]> {
	const client = clientOf(place);
	const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: place.bucket }));
	client.destroy();
	return Uploads.map(({ Key = '' }) => Key);
}

/** Runs the sweep of the store on a clock that is a day ahead. */
async function sweepInADay(): Promise<void> {
	const clock = new ClockAhead();
	clock.aheadMs = dayMs + 1_000;
	const { provided, stop } = await createBackend<BlobStore>(s3Blobs(place), { clock });
	await provided.sweep?.();
	await stop();
}
