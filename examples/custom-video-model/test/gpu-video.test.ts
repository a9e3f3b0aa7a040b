import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type App, createApp } from '@plinth/core';
import { apiKeys } from '@plinth/keys';
import { memoryBlobs, memoryEvents, memoryJobs, memoryRecords } from '@plinth/memory';
import { video } from '@plinth/plugin-video';
import { type Mp4Facts, smallMp4, videoModelSuite } from '@plinth/plugin-video/testing';
import { sharpImages } from '@plinth/sharp';
import { createModel, eventually, silentLogger } from '@plinth/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type RawClient, rawClient } from '../../../test/support/client.ts';
import { tinyMp4 } from '../../../test/support/fake-models.ts';
import { gpuVideo } from '../gpu-video.ts';

/** A scripted render server. */
interface Renderer {
	answer: RequestListener;
	readonly requests: Readonly<Record<string, unknown>>[];
	/** The number of connections that were closed before a response. */
	aborted: number;
}

let renderer: Renderer;
let server: Server;
let url: string;
let app: App;
let client: RawClient;

beforeEach(async () => {
	renderer = { answer: (_req, res) => res.end(tinyMp4), requests: [], aborted: 0 };
	server = createServer(async (req, res) => {
		let text = '';
		for await (const chunk of req) text += chunk;
		renderer.requests.push({ path: req.url, ...(JSON.parse(text) as object) });
		res.once('close', () => {
			if (!res.writableFinished) renderer.aborted++;
		});
		renderer.answer(req, res);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	app = await createApp(
		{
			backends: {
				jobs: memoryJobs(),
				records: memoryRecords(),
				blobs: memoryBlobs(),
				events: memoryEvents(),
				images: sharpImages(),
				auth: apiKeys({ keys: 'me:key-of-the-tests' }),
			},
			models: { 'clip-1': gpuVideo({ url }) },
			plugins: { video: video() },
		},
		{ log: silentLogger() },
	);
	client = rawClient('http://plinth.test', 'key-of-the-tests', (request) => app.fetch(request));
});

afterEach(async () => {
	await app.stop();
	server.closeAllConnections();
	await new Promise((resolve) => server.close(resolve));
});

describe('a video model of your own', () => {
	test('returns the video of the server', async () => {
		expect(await client.render({ model: 'clip-1', prompt: 'A kite' })).toEqual(tinyMp4);
	});

	test('sends its request in domain terms', async () => {
		await client.render({ model: 'clip-1', prompt: 'A kite', seconds: '4', size: '480x640' });
		expect(renderer.requests).toEqual([
			{
				path: '/render',
				prompt: 'A kite',
				seconds: 4,
				width: 480,
				height: 640,
				seed: expect.any(Number),
			},
		]);
	});

	test('passes the error of the server to the client', async () => {
		renderer.answer = (_req, res) => res.writeHead(507).end();
		const { id } = await client.create({ model: 'clip-1', prompt: 'A kite' });
		expect(await client.finished(id)).toMatchObject({
			status: 'failed',
			error: { message: expect.stringContaining('The renderer answered 507.') },
		});
	});

	test('fails when the server returns something else than a video', async () => {
		renderer.answer = (_req, res) => res.end('<html>maintenance</html>');
		const { id } = await client.create({ model: 'clip-1', prompt: 'A kite' });
		expect(await client.finished(id)).toMatchObject({ status: 'failed' });
	});

	test('closes its connection when the video is deleted', async () => {
		renderer.answer = () => {};
		const { id } = await client.create({ model: 'clip-1', prompt: 'A kite' });
		await eventually('the render server receives the request', () => renderer.requests.length === 1);
		await client.send(`/v1/videos/${id}`, { method: 'DELETE' });
		await eventually('the render server sees the closed connection', () => renderer.aborted === 1);
		expect(renderer.aborted).toBe(1);
	});

	/** A render server that returns a video as requested. */
	const faithful: RequestListener = (_req, res) => {
		const { width = 0, height = 0, seconds } = renderer.requests.at(-1) as Partial<Mp4Facts>;
		res.end(smallMp4({ width, height, seconds: seconds ?? 0 }));
	};

	for (const { name, run } of videoModelSuite({
		create() {
			renderer.answer = faithful;
			return createModel(gpuVideo({ url }));
		},
		supports: { progress: true },
	})) {
		test(`passes the case: ${name}`, run);
	}
});
