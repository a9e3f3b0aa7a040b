import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type App, createApp } from '@plinth/core';
import { apiKeys } from '@plinth/keys';
import { memoryBlobs, memoryRecords } from '@plinth/memory';
import { image } from '@plinth/plugin-image';
import { sharpImages } from '@plinth/sharp';
import { eventually, silentLogger } from '@plinth/testing';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type RawClient, rawClient } from '../../../test/support/client.ts';
import { solidPng } from '../../../test/support/png.ts';
import { gpuImage } from '../gpu-image.ts';

/** A scripted image server. */
interface Painter {
	answer: RequestListener;
	readonly requests: Readonly<Record<string, unknown>>[];
	/** The number of connections that were closed before a response. */
	aborted: number;
}

interface ImageAnswer {
	readonly size: string;
	readonly output_format: string;
	readonly data: readonly { readonly b64_json: string }[];
}

let painter: Painter;
let server: Server;
let app: App;
let client: RawClient;

beforeEach(async () => {
	const png = solidPng(1024, 1024, [30, 160, 90]);
	painter = { answer: (_req, res) => res.end(png), requests: [], aborted: 0 };
	server = createServer(async (req, res) => {
		let text = '';
		for await (const chunk of req) text += chunk;
		painter.requests.push({ path: req.url, ...(JSON.parse(text) as object) });
		res.once('close', () => {
			if (!res.writableFinished) painter.aborted++;
		});
		painter.answer(req, res);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	app = await createApp(
		{
			backends: {
				records: memoryRecords(),
				blobs: memoryBlobs(),
				images: sharpImages(),
				auth: apiKeys({ keys: 'me:key-of-the-tests' }),
			},
			models: {
				'paint-1': gpuImage({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
			},
			plugins: { image: image() },
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

function generate(fields: object, signal: AbortSignal | null = null): Promise<Response> {
	return client.send('/v1/images/generations', {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ model: 'paint-1', prompt: 'A kite', ...fields }),
		signal,
	});
}

describe('an image model of your own', () => {
	test('returns the picture of the server', async () => {
		const { data } = (await (await generate({})).json()) as ImageAnswer;
		const made = await sharp(Buffer.from(data[0]?.b64_json ?? '', 'base64')).stats();
		expect(made.channels.slice(0, 3).map(({ mean }) => mean)).toEqual([30, 160, 90]);
	});

	test('sends one request per picture in domain terms, with successive seeds', async () => {
		await generate({ n: 3, num_inference_steps: 20, seed: 7 });
		expect(painter.requests.toSorted((a, b) => Number(a.seed) - Number(b.seed))).toEqual(
			[7, 8, 9].map((seed) => ({ path: '/paint', prompt: 'A kite', steps: 20, seed })),
		);
	});

	test('has its square pictures converted to the requested size and format', async () => {
		const answer = await generate({ size: '1536x1024', output_format: 'webp' });
		const { size, output_format, data } = (await answer.json()) as ImageAnswer;
		expect([size, output_format]).toEqual(['1536x1024', 'webp']);
		const made = await sharp(Buffer.from(data[0]?.b64_json ?? '', 'base64')).metadata();
		expect(made).toMatchObject({ format: 'webp', width: 1536, height: 1024 });
	});

	test('passes the error of the server to the client', async () => {
		painter.answer = (_req, res) => res.writeHead(507).end();
		const answer = await generate({});
		expect(answer.status).toBe(502);
		expect(await answer.json()).toMatchObject({
			error: { code: 'model_error', message: expect.stringContaining('The painter answered 507.') },
		});
	});

	test('fails when the server returns something else than a picture', async () => {
		painter.answer = (_req, res) => res.end('<html>maintenance</html>');
		expect((await generate({})).status).toBe(502);
	});

	test('rejects unsupported features with the parameter', async () => {
		const see = await (await generate({ background: 'transparent' })).json();
		expect(see).toMatchObject({ error: { code: 'unsupported_value', param: 'background' } });
		const form = new FormData();
		form.set('model', 'paint-1');
		form.set('prompt', 'Make it blue');
		form.set('image', new Blob([solidPng(16, 16, [1, 2, 3])]), 'a.png');
		const edit = await client.send('/v1/images/edits', { method: 'POST', body: form });
		expect(await edit.json()).toMatchObject({
			error: { code: 'unsupported_value', param: 'model' },
		});
	});

	test('closes its connection when the client disconnects', async () => {
		painter.answer = () => {};
		const controller = new AbortController();
		const answer = generate({}, controller.signal).catch(() => {});
		await eventually('the image server receives the request', () => painter.requests.length === 1);
		controller.abort();
		await eventually('the image server sees the closed connection', () => painter.aborted === 1);
		expect(painter.aborted).toBe(1);
		await answer;
	});
});
