import type { ServerResponse } from 'node:http';
import { builtin } from '@plinth/builtin';
import { memoryEvents, memoryJobs, memoryRecords } from '@plinth/memory';
import { files } from '@plinth/plugin-files';
import { video } from '@plinth/plugin-video';
import { s3Blobs } from '@plinth/s3';
import { sharpImages } from '@plinth/sharp';
import { eventually, testApp } from '@plinth/testing';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { refuse, type ScriptedS3, scriptedS3 } from '../../adapters/s3/test/scripted-s3.ts';

const timeout = 60_000;

let server: ScriptedS3;
beforeEach(async () => {
	server = await scriptedS3();
});
afterEach(() => server.close());

async function app(options: Partial<Parameters<typeof s3Blobs>[0] & object> = {}) {
	const { endpoint } = server;
	const keys = { accessKeyId: 'key', secretAccessKey: 'canary-secret' };
	return testApp({
		onTestFinished,
		realTime: true,
		jobs: { sweepMs: 1_000 },
		backends: {
			jobs: memoryJobs(),
			records: memoryRecords(),
			events: memoryEvents(),
			images: sharpImages(),
			blobs: s3Blobs({ bucket: 'media', endpoint, ...keys, ...options }),
		},
		models: { clip: builtin.video() },
		plugins: { video: video(), files: files() },
	});
}

type App = Awaited<ReturnType<typeof app>>;

async function rendered({ get, post }: App): Promise<string> {
	const made = await post('/v1/videos', { model: 'clip', prompt: 'a boat', size: '640x480', seconds: '2' });
	const { id } = (await made.json()) as { id: string };
	const isDone = async () => ((await (await get(`/v1/videos/${id}`)).json()) as { status: string }).status;
	await eventually('completed', async () => (await isDone()) === 'completed', timeout);
	return id;
}

test('a video that is created, rendered, read once and swept takes at most eight S3 requests', {
	timeout,
}, async () => {
	const plinth = await app();
	const { get, send } = plinth;
	await plinth.app.start();
	await eventually('the store identity is written', () => server.objects.has('store-identity'), timeout);
	await eventually('the start has completed', () => server.requests.some(({ query }) => query.has('uploads')), timeout);
	server.play(undefined);
	const id = await rendered(plinth);
	expect([...server.objects.keys()].filter((key) => key.startsWith(`jobs/${id}/`))).toHaveLength(3);
	expect((await (await get(`/v1/videos/${id}/content`)).arrayBuffer()).byteLength).toBeGreaterThan(10_000);
	await send('DELETE', `/v1/videos/${id}`);
	await eventually('swept', () => ![...server.objects.keys()].some((key) => key.includes(id)), 10_000);
	const requests = server.requests.map(({ method, query }) => `${method} ${[...query.keys()].join()}`);
	expect(requests.length, requests.join('\n')).toBeLessThanOrEqual(8);
});

test('downloads are redirected to the public endpoint when it is configured', {
	timeout,
}, async () => {
	const plinth = await app({ downloads: 'redirect', publicEndpoint: 'https://media.example.com' });
	const id = await rendered(plinth);
	const response = await plinth.get(`/v1/videos/${id}/content`);
	const location = new URL(response.headers.get('location') ?? '');
	expect([response.status, location.origin, location.pathname]).toEqual([
		302,
		'https://media.example.com',
		`/media/jobs/${id}/1/video.mp4`,
	]);
	expect(location.searchParams.get('response-content-disposition')).toBe(`attachment; filename="${id}.mp4"`);
	server.objects.clear();
	expect((await plinth.get(`/v1/videos/${id}/content`)).status).toBe(404);
});

test('a download that breaks off after its head does not end as a complete response', { timeout }, async () => {
	const plinth = await app();
	const id = await rendered(plinth);
	server.play((asked, res: ServerResponse) => {
		if (asked.method !== 'GET' || !asked.key.endsWith('.mp4')) return false;
		const { bytes } = server.objects.get(asked.key) ?? { bytes: Buffer.alloc(0) };
		res.writeHead(200, { 'content-length': bytes.length, etag: '"1"' });
		res.write(bytes.subarray(0, 1_000), () => res.socket?.destroy());
		return true;
	});
	const response = await plinth.get(`/v1/videos/${id}/content`);
	expect(response.status).toBe(200);
	await expect(response.arrayBuffer()).rejects.toThrow();
	expect((await plinth.get('/healthz')).status).toBe(200);
});

test('an error of the store is a 503 with Retry-After, and missing bytes are a 404', { timeout }, async () => {
	const plinth = await app();
	const id = await rendered(plinth);
	server.play((_asked, res) => refuse(res, 503, 'SlowDown'));
	const refused = await plinth.get(`/v1/videos/${id}/content`);
	expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([503, 5]);
	expect((await plinth.form('/v1/files', { purpose: 'user_data', file: Buffer.from('x') })).status).toBe(503);
	expect((await plinth.get('/v1/videos')).status).toBe(200);
	server.play(undefined);
	server.objects.clear();
	expect((await plinth.get(`/v1/videos/${id}/content`)).status).toBe(404);
});
