import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { fakeVideo, gate, heldVideo, type Recorded } from '../support/fake-models.ts';
import { readMp4 } from '../support/mp4.ts';
import { solidPng } from '../support/png.ts';
import { type Served, serveEmbedded } from '../support/serve.ts';
import { failsLikeOpenAI } from './errors-suite.ts';
import { type AuthMode, authModes, lines, sdkClient, type WatchedClient } from './sdk.ts';
import { pollUntilDone, shortest, smallest, worksLikeOpenAI } from './suite.ts';

const runs = lines.flatMap((line) => authModes.map((mode) => ({ ...line, mode })));
const keyOf = (name: string, mode: AuthMode) => `${name} ${mode}`.replace(/\W+/g, '-');
const seen: Recorded[] = [];
const held = gate();
const picture = { path: '', bytes: solidPng(64, 48, [20, 120, 220]) };

let served: Served;

beforeAll(async () => {
	const keys = runs
		.map(({ name, mode }) => keyOf(name, mode))
		.map((key) => `tenant-${key}:${key}`)
		.join(',');
	const models = { 'instant-1': fakeVideo(seen), 'held-1': heldVideo(held) };
	served = await serveEmbedded({ keys, models, jobs: { concurrency: 20 } });
	picture.path = join(served.dataDir, 'start.png');
	await writeFile(picture.path, picture.bytes);
});

afterAll(async () => {
	held.open();
	await served?.stop();
});

describe.each(runs)('$name, $mode', ({ name, mode, OpenAI }) => {
	const key = keyOf(name, mode);
	let watched: WatchedClient;
	let unknownClient: WatchedClient;

	beforeAll(() => {
		seen.length = 0;
		watched = sdkClient(OpenAI, { url: served.url, key, mode });
		unknownClient = sdkClient(OpenAI, { url: served.url, key: 'nobody', mode });
	});

	// Collected instead of thrown: the SDK would treat a throw as a broken connection and retry.
	afterEach(() => expect([...watched.violations, ...unknownClient.violations]).toEqual([]));

	worksLikeOpenAI(() => ({ client: watched.client, requests: seen, picture }));
	failsLikeOpenAI(() => ({ OpenAI, watched, unknownClient }));

	test('sends the headers of its mode', () => {
		const [first] = watched.sent;
		expect({
			bearer: first?.headers.get('authorization') ?? null,
			apiKey: first?.headers.get('x-api-key') ?? null,
		}).toEqual({
			bearer: mode === 'x-api-key only' ? null : `Bearer ${key}`,
			apiKey: mode === 'Bearer only' ? null : key,
		});
	});
});

describe.each(lines)('$name on the built-in video model', ({ name, OpenAI }) => {
	test('creates, polls and downloads a video that can be played', async () => {
		const mode = 'Bearer only';
		const key = keyOf(name, mode);
		const { client, violations } = sdkClient(OpenAI, { url: served.url, key, mode });
		const created = await client.videos.create({
			model: 'builtin-video',
			prompt: 'A forest in the rain',
			seconds: shortest,
			size: smallest,
		});
		const video = await pollUntilDone(client, created.id);
		const response = await client.videos.downloadContent(video.id);
		const mp4 = readMp4(new Uint8Array(await response.arrayBuffer()));
		expect(mp4).toMatchObject({ width: 640, height: 480, frames: 48, seconds: 2 });
		expect(violations).toEqual([]);
	});
});
