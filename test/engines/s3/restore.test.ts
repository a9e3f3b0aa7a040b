import { cp, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { s3Blobs } from '@plinth/s3';
import { eventually } from '@plinth/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { failure, type RawClient, rawClient } from '../../support/client.ts';
import { ClockAhead } from '../../support/clock-ahead.ts';
import { quickVideo } from '../../support/quick-video.ts';
import { keyA, removeDir, serveEmbedded, temporaryDir } from '../../support/serve.ts';
import { ownSwift, type SwiftServer } from '../support/swift.ts';
import { clientOf, newBucket, type Place } from './support.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const fields = { model: 'quick', prompt: 'ms=10' };
const clock = new ClockAhead();

let swift: SwiftServer;
let place: Place;
let dir: string;

beforeAll(async () => {
	swift = await ownSwift();
	place = await newBucket(swift);
	dir = await temporaryDir('s3-restore');
	await Promise.all(['data', 'backup'].map((name) => mkdir(join(dir, name))));
}, 60_000);

afterAll(async () => {
	await swift?.remove();
	await removeDir(dir);
});

/** Serves with the database of the folder and with the bucket, and stops after `use`. */
async function serving<T>(use: (client: RawClient) => Promise<T>): Promise<T> {
	const server = await serveEmbedded({
		dataDir: join(dir, 'data'),
		clock,
		jobs: { sweepMs: 200 },
		backends: { blobs: s3Blobs(place) },
		models: { quick: quickVideo({ runs: join(dir, 'runs') }) },
	});
	try {
		return await use(rawClient(server.url, keyA));
	} finally {
		await server.stop();
	}
}

async function copyDatabase(from: string, to: string): Promise<void> {
	for (const name of await readdir(join(dir, to))) if (name.startsWith('plinth.db')) await rm(join(dir, to, name));
	const files = (await readdir(join(dir, from))).filter((name) => name.startsWith('plinth.db'));
	expect(files).toContain('plinth.db');
	for (const name of files) await cp(join(dir, from, name), join(dir, to, name));
}

async function render(client: RawClient): Promise<string> {
	const { id } = await client.create(fields);
	expect((await client.finished(id)).status).toBe('completed');
	return id;
}

async function hasBytes(id: string): Promise<boolean> {
	const client = clientOf(place);
	const { KeyCount } = await client.send(new ListObjectsV2Command({ Bucket: place.bucket, Prefix: `jobs/${id}/` }));
	client.destroy();
	return KeyCount !== 0;
}

/** Stores bytes of an unknown job that are `ageMs` old. Once they are deleted, a sweep has run. */
async function plantOrphan(like: string, ageMs: number): Promise<string> {
	const [, kind, , rest] = /^(\w+_)([0-9a-f]{12})(.*)$/.exec(like) ?? [];
	const id = `${kind}${(clock.now() - ageMs).toString(16).padStart(12, '0')}${rest}`;
	const client = clientOf(place);
	const Key = `jobs/${id}/1/video.mp4`;
	await client.send(new PutObjectCommand({ Bucket: place.bucket, Key, Body: 'x' }));
	client.destroy();
	return id;
}

test('a database backup of an hour ago answers 404 for missing bytes, and newer bytes are kept for a day', async () => {
	const [kept, deleted] = await serving(async (client) => [await render(client), await render(client)] as const);
	await copyDatabase('data', 'backup');
	clock.aheadMs = hourMs;
	const newer = await serving(async (client) => {
		await client.send(`/v1/videos/${deleted}`, { method: 'DELETE' });
		await eventually('its bytes are deleted', async () => !(await hasBytes(deleted)), 10_000);
		return render(client);
	});
	await copyDatabase('backup', 'data');
	const orphan = await plantOrphan(newer, dayMs + 60_000);

	await serving(async (client) => {
		expect(await client.json(`/v1/videos/${deleted}`)).toMatchObject({ status: 'completed' });
		for (const init of [{}, { method: 'HEAD' }, { headers: { range: 'bytes=0-9' } }]) {
			const response = await client.send(`/v1/videos/${deleted}/content`, init);
			expect([response.status, response.headers.get('retry-after')]).toEqual([404, null]);
			if (!('method' in init)) expect((await failure(response)).code).toBe('video_content_missing');
		}
		expect((await client.bytes(`/v1/videos/${kept}/content`)).length).toBeGreaterThan(1_000);
		expect((await client.send(`/v1/videos/${newer}/content`)).status).toBe(404);
		await eventually('a sweep has run', async () => !(await hasBytes(orphan)), 10_000);
		expect([await hasBytes(kept), await hasBytes(newer)]).toEqual([true, true]);
	});

	// The next search for bytes without a record runs a day later, or at the next start.
	clock.aheadMs = hourMs + dayMs + 60_000;
	await serving(() => eventually('newer bytes are deleted', async () => !(await hasBytes(newer)), 10_000));
});
