import { createHash } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { type App, createApp } from '@plinth/core';
import { video } from '@plinth/plugin-video';
import { eventually, type ManualClock, manualClock, silentLogger } from '@plinth/testing';
import { embedded } from 'plinth';
import { afterEach, describe, expect, test } from 'vitest';
import { failure, type RawClient, rawClient, type WireVideo } from '../support/client.ts';
import { gate, heldVideo, tinyMp4 } from '../support/fake-models.ts';
import { filesBelow } from '../support/files.ts';
import { keyA, removeDir, temporaryDir } from '../support/serve.ts';

/** More than the buffers of the sockets between server and client hold. */
const body = Buffer.concat([tinyMp4, Buffer.alloc(32 * 1024 * 1024, 'video')]);

let dataDir: string;
let clock: ManualClock;
let app: App;
let url: string;
let client: RawClient;
let made: WireVideo;
let content: string;

async function start(sweepMs: number): Promise<void> {
	dataDir = await temporaryDir('expiry');
	clock = manualClock(Date.now());
	const open = gate();
	open.open();
	app = await createApp(
		{
			extends: embedded,
			server: { drainDelayMs: 0, graceMs: 100 },
			jobs: { sweepMs },
			models: { 'big-1': heldVideo(open, body) },
			plugins: { video: video({ retentionHours: 2 / 60 }) },
		},
		{
			clock,
			env: { PLINTH_DATA_DIR: dataDir, PLINTH_API_KEYS: `a:${keyA}` },
			log: silentLogger(),
		},
	);
	({ url } = await app.listen({ host: '127.0.0.1', port: 0 }));
	client = rawClient(url, keyA);
	made = await client.finished((await client.create({ model: 'big-1', prompt: 'soon gone' })).id);
	content = `/v1/videos/${made.id}/content`;
}

afterEach(async () => {
	await app?.stop();
	await removeDir(dataDir);
});

/** Sets the clock to a second of the epoch. */
function setTime(second: number): Promise<void> {
	return clock.advance(second * 1_000 - clock.now());
}

/**
 * Advances the clock in small steps until no blob is on the disk. Each sweep takes real time before the next one is
 * due.
 */
function swept(stepMs: number): Promise<void> {
	return eventually(
		'no blob file',
		async () => {
			await clock.advance(stepMs);
			return (await blobFiles()).length === 0;
		},
		20_000,
	);
}

async function blobFiles(): Promise<string[]> {
	const files = await filesBelow(join(dataDir, 'blobs'));
	return files.filter((path) => !path.includes('store-identity'));
}

/** Requests the content in every possible way. */
async function responses(): Promise<readonly (readonly [number, string | null])[]> {
	const etag = createHash('sha256').update(body).digest('hex');
	const asked = [
		{ method: 'HEAD' },
		{ headers: { range: 'bytes=0-99' } },
		{ headers: { 'if-none-match': `"${etag}"` } },
	];
	return Promise.all(
		asked.map(async (init) => {
			const answer = await client.send(content, init);
			const text = await answer.text();
			const code = answer.status === 404 && text ? JSON.parse(text).error.code : null;
			return [answer.status, code] as const;
		}),
	);
}

describe('the content of a video', () => {
	test('exists in the last second before expires_at, and has expired from that second on', async () => {
		await start(30_000);
		const expiresAt = made.expires_at ?? 0;
		await setTime(expiresAt - 1);
		expect(await responses()).toEqual([
			[200, null],
			[206, null],
			[304, null],
		]);
		await setTime(expiresAt);
		expect(await responses()).toEqual([
			[404, null],
			[404, 'video_expired'],
			[404, 'video_expired'],
		]);
	});

	test('is deleted from the disk 60 seconds after expires_at, while the record stays', async () => {
		await start(30_000);
		await setTime(made.expires_at ?? 0);
		await swept(20);
		expect(clock.now()).toBeLessThanOrEqual(((made.expires_at ?? 0) + 60) * 1_000);
		// The link expires with the content.
		expect(await client.json(`/v1/videos/${made.id}`)).toEqual({ ...made, url: undefined });
		expect((await failure(await client.send(content))).code).toBe('video_expired');
	});

	test('is sent completely when it is deleted during a download', async () => {
		await start(50);
		await setTime((made.expires_at ?? 0) - 1);
		const response = await download();
		expect(response.statusCode).toBe(200);
		// Not beyond the next sweep: a client that stops reading for longer is disconnected.
		await clock.advance(1_000);
		await swept(2);
		expect((await failure(await client.send(content))).code).toBe('video_expired');
		const chunks: Buffer[] = [];
		for await (const chunk of response) chunks.push(chunk);
		expect(Buffer.concat(chunks).equals(body)).toBe(true);
	});
});

/** Begins a download without reading its body. */
function download(): Promise<IncomingMessage> {
	return new Promise((resolve, reject) => {
		get(`${url}${content}`, { headers: { 'x-api-key': keyA }, agent: false }, resolve).on('error', reject);
	});
}
