import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defineBackend, defineModel } from '@plinth/core';
import { type ChatModel, chatModels, type ImagePart } from '@plinth/plugin-chat/model';
import { FetchedImages, mediaServices, remoteImages } from '@plinth/toolkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { failure, type RawClient, rawClient } from '../support/client.ts';
import { fakeImage, fakeVideo, type Recorded, type RecordedImage } from '../support/fake-models.ts';
import { solidPng } from '../support/png.ts';
import { keyA, type Served, type ServeOptions, serveEmbedded } from '../support/serve.ts';

const picture = Buffer.from(solidPng(16, 12, [1, 2, 3]));
const edits: RecordedImage[] = [];
const videos: Recorded[] = [];
let looked: ImagePart['image'][] = [];

/** Listens on all addresses of the machine and records the requests that reach it. */
let canary: Server;
let hits: string[] = [];
let port: number;
const running: Served[] = [];

beforeAll(async () => {
	canary = createServer(({ url = '' }, response) => {
		hits.push(url);
		const [, to] = /^\/to\/(.*)$/.exec(url) ?? [];
		if (to !== undefined) response.writeHead(302, { location: decodeURIComponent(to) }).end();
		else if (url === '/page') response.writeHead(200, { 'content-type': 'image/png' }).end('<p>');
		else response.writeHead(200, { 'content-type': 'text/html' }).end(picture);
	});
	await new Promise<void>((resolve) => canary.listen(0, '0.0.0.0', resolve));
	port = (canary.address() as AddressInfo).port;
});

beforeEach(() => {
	hits = [];
	edits.length = 0;
	videos.length = 0;
	looked = [];
});

afterAll(async () => {
	for (const { stop } of running) await stop();
	await new Promise((resolve) => canary.close(resolve));
});

const watcher = defineModel({
	kind: chatModels,
	name: 'test.watcher',
	config: z.strictObject({}),
	create: (): ChatModel => ({
		apiVersion: 1,
		abilities: { images: true },
		async *stream({ messages }) {
			const parts = messages.flatMap(({ content }) => [...content]) as ImagePart[];
			looked.push(...parts.map(({ image }) => image));
			yield { type: 'text', text: 'Seen.' };
		},
	}),
});

async function serve(options: ServeOptions): Promise<RawClient> {
	const models = { 'paint-1': fakeImage(edits), 'clip-1': fakeVideo(videos), 'eye-1': watcher() };
	const served = await serveEmbedded({ models, ...options });
	running.push(served);
	return rawClient(served.url, keyA);
}

/** A request of each route that accepts images, and the name of the URL parameter in errors. */
const routes = {
	chat: (url: string) =>
		[
			'/v1/chat/completions',
			{
				model: 'eye-1',
				messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
			},
			'messages[0].content[0].image_url.url',
		] as const,
	edit: (image_url: string) =>
		['/v1/images/edits', { model: 'paint-1', prompt: 'x', images: [{ image_url }] }, 'images[0].image_url'] as const,
	video: (image_url: string) =>
		[
			'/v1/videos',
			{ model: 'clip-1', prompt: 'x', input_reference: { image_url } },
			'input_reference.image_url',
		] as const,
};

describe('a server that fetches images', () => {
	/** One loopback address counts as public. */
	const remote = defineBackend({
		name: 'oneHost',
		provides: mediaServices.remoteImages,
		config: z.strictObject({}),
		create: ({ onStop }) => {
			const isAllowed = (address: string) => address === '127.0.0.2';
			const images = new FetchedImages({ allowHttp: true, isAllowed });
			onStop(() => images.close());
			return images;
		},
	});
	let client: RawClient;
	let home: string;

	beforeAll(async () => {
		client = await serve({ backends: { remote: remote() } });
		home = `http://127.0.0.2:${port}`;
	});

	test('passes them to models, whatever their content type', async () => {
		for (const route of Object.values(routes)) {
			const [path, body] = route(`${home}/a`);
			const answer = await client.post(path, body);
			expect([path, answer.status]).toEqual([path, path === '/v1/videos' ? 201 : 200]);
			const { id } = (await answer.json()) as { id: string };
			if (path === '/v1/videos') await client.finished(id);
		}
		expect(hits).toEqual(['/a', '/a', '/a']);
		expect(looked).toEqual([{ mediaType: 'image/png', source: { path: expect.any(String) } }]);
		const same = (bytes: Uint8Array = Buffer.of()) => picture.equals(bytes);
		expect(edits.map(({ sent }) => sent?.map(same))).toEqual([[true]]);
		expect(videos.map((video) => same(video.picture))).toEqual([true]);
	});

	test('checks the content', async () => {
		const [path, body] = routes.edit(`${home}/page`);
		const answer = await client.post(path, body);
		expect([answer.status, (await failure(answer)).code]).toEqual([400, 'invalid_image']);
	});

	test('follows three redirects, each of them checked', async () => {
		const via = (...hops: string[]) => hops.reduceRight((target, hop) => `${hop}/to/${encodeURIComponent(target)}`);
		const statusOf = async (url: string) => {
			const [path, body] = routes.edit(url);
			return (await client.post(path, body)).status;
		};
		expect(await statusOf(via(home, home, home, `${home}/a`))).toBe(200);
		expect(await statusOf(via(home, home, home, home, `${home}/a`))).toBe(400);
		hits = [];
		expect(await statusOf(via(home, `http://127.0.0.1:${port}/a`))).toBe(400);
		expect(hits).toHaveLength(1);
	});
});

describe('the setting of the operator', () => {
	test('off: URLs are refused, or passed to a model that fetches them itself', async () => {
		const client = await serve({});
		const url = `http://127.0.0.1:${port}/a`;
		for (const [path, body, param] of [routes.edit(url), routes.video(url)]) {
			const answer = await client.post(path, body);
			expect(answer.status).toBe(400);
			expect(await failure(answer)).toMatchObject({ code: 'invalid_value', param });
		}
		const [path, body] = routes.chat(url);
		expect((await client.post(path, body)).status).toBe(200);
		expect(looked).toEqual([{ url }]);
		expect(hits).toEqual([]);
	});

	test('https: plain http is refused', async () => {
		const client = await serve({ backends: { remote: remoteImages() } });
		const [path, body, param] = routes.edit(`http://127.0.0.1:${port}/a`);
		const { message, ...rest } = await failure(await client.post(path, body));
		expect(message).toContain('only https');
		expect(rest).toMatchObject({ code: 'invalid_value', param });
		expect(hits).toEqual([]);
	});
});

describe('private addresses', () => {
	// The same hosts as in the tests of the egress client. Here each is sent in a request.
	const hosts = [
		'127.0.0.1',
		'127.1',
		'127.0.0.1.',
		'2130706433',
		'0x7f000001',
		'0x7f.0x0.0x0.0x1',
		'0177.0.0.1',
		'017700000001',
		'%31%32%37.0.0.1',
		'①②⑦.0.0.1',
		'0',
		'0.0.0.0',
		'[::1]',
		'[::]',
		'[::ffff:127.0.0.1]',
		'[::ffff:7f00:1]',
		'[::127.0.0.1]',
		'[64:ff9b::127.0.0.1]',
		'[64:ff9b:1::7f00:1]',
		'[2002:7f00:1::]',
		'[fe80::1]',
		'[fd12:3456::1]',
		'[ff02::1]',
		'10.0.0.1',
		'172.16.0.1',
		'192.168.0.1',
		'169.254.169.254',
		'100.64.0.1',
		'198.18.0.1',
		'240.0.0.1',
		'255.255.255.255',
		'localhost',
		'localhost.',
		'LOCALHOST',
	];
	let client: RawClient;

	beforeAll(async () => {
		client = await serve({ backends: { remote: remoteImages({ allowHttp: true }) } });
	});

	test('are never connected to, in any spelling, on any route', async () => {
		const all = Object.values(routes);
		const refused = await Promise.all(
			hosts.map(async (host, index) => {
				const route = all[index % all.length] as (typeof all)[number];
				const [path, body, param] = route(`http://${host}:${port}/a`);
				const answer = await client.post(path, body);
				const { message, ...rest } = await failure(answer);
				const isPlain = message.endsWith(' has no address in the public internet.');
				return [host, answer.status, rest.param === param, isPlain];
			}),
		);
		expect(refused).toEqual(hosts.map((host) => [host, 400, true, true]));
		expect(hits).toEqual([]);
	});

	test('no URL of another scheme is fetched', async () => {
		for (const url of [
			`http://user:secret@127.0.0.1:${port}/a`,
			`ftp://127.0.0.1:${port}/a`,
			'file:///etc/passwd',
			`//127.0.0.1:${port}/a`,
			`http:127.0.0.1:${port}/a`,
			`http:///127.0.0.1:${port}/a`,
			`http:\\\\127.0.0.1:${port}/a`,
			'http://',
			'https://[',
		]) {
			const [path, body, param] = routes.edit(url);
			const answer = await client.post(path, body);
			expect([url, answer.status, (await failure(answer)).param]).toEqual([url, 400, param]);
		}
		expect(hits).toEqual([]);
	});
});
