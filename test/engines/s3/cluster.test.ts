import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { eventually } from '@plinth/testing';
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import { allVideos, type WireVideo } from '../../support/client.ts';
import { createFleet, type Fleet, type Server } from '../../support/fleet.ts';
import { type OwnPostgres, ownPostgres } from '../support/postgres.ts';
import { ownSwift, type SwiftServer } from '../support/swift.ts';
import { clientOf, newBucket, type Place } from './support.ts';

const outageMs = 30_000;
/** The interval of the housekeeping. */
const sweepMs = 500;

let postgres: OwnPostgres;
let swift: SwiftServer;
let place: Place;
let fleet: Fleet;
let server: Server;

beforeAll(async () => {
	[postgres, swift] = await Promise.all([ownPostgres(), ownSwift()]);
	place = await newBucket(swift);
	fleet = await createFleet('cluster-s3', {
		database: await postgres.database(),
		jobs: { sweepMs, leaseMs: 60_000 },
		env: {
			S3_BUCKET: place.bucket,
			S3_ENDPOINT: place.endpoint,
			AWS_ACCESS_KEY_ID: place.accessKeyId,
			AWS_SECRET_ACCESS_KEY: place.secretAccessKey,
		},
	});
	[server] = await Promise.all([fleet.serve({ role: 'api' }), fleet.work()]);
}, 90_000);

afterAll(async () => {
	await fleet?.remove();
	await postgres?.remove();
	await swift?.remove();
});

async function keysInBucket(): Promise<readonly string[]> {
	const client = clientOf(place);
	const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: place.bucket }));
	client.destroy();
	return Contents.map(({ Key = '' }) => Key);
}

const fields = { model: 'quick', prompt: 'ms=50' };

/** A response and how long it took, in milliseconds. */
async function timed(send: () => Promise<Response>) {
	const began = performance.now();
	const response = await send();
	await response.arrayBuffer();
	const retryAfter = Number(response.headers.get('retry-after'));
	return { status: response.status, retryAfter, ms: performance.now() - began };
}

test('a worker stores a video in the bucket, an API server reads it, and housekeeping deletes it', async () => {
	onTestFailed(() => console.error(fleet.output().slice(-10_000)));
	const { client } = server;
	const { id } = await client.create(fields);
	expect((await client.finished(id)).status).toBe('completed');
	expect((await client.bytes(`/v1/videos/${id}/content`)).length).toBeGreaterThan(0);
	const of = (keys: readonly string[]) => keys.filter((key) => key.startsWith(`jobs/${id}/`));
	expect(of(await keysInBucket())).toContain(`jobs/${id}/1/video.mp4`);
	expect(await keysInBucket()).toContain('store-identity');
	await client.send(`/v1/videos/${id}`, { method: 'DELETE' });
	await eventually('the bytes are deleted', async () => of(await keysInBucket()).length === 0, 20_000);
});

test('while S3 is down for 30 s, content requests fail at once, others succeed, and renders complete later', {
	timeout: 120_000,
}, async () => {
	onTestFailed(() => console.error(fleet.output().slice(-10_000)));
	const { client } = server;
	const { id } = await client.create(fields);
	await client.finished(id);
	await swift.kill();
	const goneAt = performance.now();
	const contents: Awaited<ReturnType<typeof timed>>[] = [];
	const created: string[] = [];
	while (performance.now() - goneAt < outageMs) {
		contents.push(await timed(() => client.send(`/v1/videos/${id}/content`)));
		const { id: made } = await client.create(fields);
		created.push(made);
		expect((await timed(() => client.send('/v1/videos'))).status).toBe(200);
		expect((await timed(() => client.send(`/v1/videos/${made}`))).status).toBe(200);
		const all = await allVideos(client);
		expect(all.filter(({ id, status }) => created.includes(id) && status === 'completed')).toEqual([]);
		await eventually('a moment', () => performance.now() - goneAt > created.length * 1_500, 3_000);
	}
	expect(new Set(contents.map(({ status }) => status))).toEqual(new Set([503]));
	expect(Math.min(...contents.map(({ retryAfter }) => retryAfter))).toBeGreaterThan(0);
	expect(Math.max(...contents.map(({ ms }) => ms))).toBeLessThan(2_000);

	await swift.start();
	await eventually(
		'content again',
		async () => (await timed(() => client.send(`/v1/videos/${id}/content`))).status === 200,
		10_000,
	);
	const ended: WireVideo[] = [];
	for (const made of created) ended.push(await client.finished(made, 60_000));
	expect(ended.map(({ status, error }) => error?.code ?? status)).toEqual(created.map(() => 'completed'));
	for (const made of created) expect((await client.bytes(`/v1/videos/${made}/content`)).length).toBeGreaterThan(0);
});
