import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { keyRing } from '@plinth/keys';
import { eventually } from '@plinth/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { rawClient, type WireVideo } from '../support/client.ts';
import { fakeVideo, gate, heldSpeech, heldVideo, tinyMp4 } from '../support/fake-models.ts';
import { keyA, removeDir, type Served, type ServeOptions, serveEmbedded, temporaryDir } from '../support/serve.ts';

let dataDir: string;
const running: Served[] = [];

beforeEach(async () => {
	dataDir = await temporaryDir('lifecycle');
});

afterEach(async () => {
	for (const { app } of running.splice(0)) await app.stop();
	await removeDir(dataDir);
});

/** Starts a server on the data directory of the test. */
async function start(options: ServeOptions = {}): Promise<Served> {
	const served = await serveEmbedded({ dataDir, ...options });
	running.push(served);
	return served;
}

describe('stop', () => {
	test('completes a running request', async () => {
		const held = gate();
		const { url, app } = await start({ models: { 'held-speech': heldSpeech(held) } });
		const body = { model: 'held-speech', voice: 'x', input: 'x', response_format: 'pcm' };
		const response = rawClient(url, keyA).post('/v1/audio/speech', body);
		await held.reached;
		const stopped = app.stop();
		held.open();
		expect((await (await response).arrayBuffer()).byteLength).toBe(4_800);
		await stopped;
	});

	test('completes a running job', async () => {
		const held = gate();
		const first = await start({ models: { 'clip-1': heldVideo(held) } });
		const { id } = await rawClient(first.url, keyA).create({ model: 'clip-1', prompt: 'drain' });
		await untilStatus(first.url, id, 'in_progress');
		const stopped = first.app.stop();
		held.open();
		await stopped;
		const second = await start({ role: 'api', models: { 'clip-1': fakeVideo() } });
		expect(await statusOf(second.url, id)).toBe('completed');
	});

	test('reports not ready at once, and still serves during the drain delay', async () => {
		const { url, app } = await start({ server: { drainDelayMs: 1_500 } });
		const stopped = app.stop();
		const [ready, models] = await Promise.all([fetch(`${url}/readyz`), rawClient(url, keyA).send('/v1/models')]);
		expect([ready.status, models.status]).toEqual([503, 200]);
		await stopped;
	});

	test('accepts no connection afterwards', async () => {
		const { url, app } = await start();
		await app.stop();
		await expect(fetch(`${url}/healthz`)).rejects.toThrow();
	});

	test('may be called twice', async () => {
		const { app } = await start();
		await Promise.all([app.stop(), app.stop()]);
		expect(app.state).toBe('stopped');
	});
});

describe('a job that a stop interrupts', () => {
	const interrupt = async (): Promise<string> => {
		const models = { 'clip-1': heldVideo(gate()) };
		const { url, app } = await start({ models, server: { drainDelayMs: 0, graceMs: 20 } });
		const { id } = await rawClient(url, keyA).create({ model: 'clip-1', prompt: 'cut short' });
		await untilStatus(url, id, 'in_progress');
		await app.stop();
		return id;
	};

	test('goes back to the queue', async () => {
		const id = await interrupt();
		const { url } = await start({ role: 'api', models: { 'clip-1': fakeVideo() } });
		expect(await statusOf(url, id)).toBe('queued');
	});

	test('is completed after the restart', async () => {
		const id = await interrupt();
		const { url } = await start({ models: { 'clip-1': fakeVideo() } });
		expect(await rawClient(url, keyA).finished(id)).toMatchObject({ status: 'completed' });
	});
});

describe('a restart on the same data directory', () => {
	test('keeps completed videos and their bytes', async () => {
		const models = { 'clip-1': fakeVideo() };
		const first = await start({ models });
		const client = rawClient(first.url, keyA);
		const { id } = await client.create({ model: 'clip-1', prompt: 'keep me' });
		const before = await client.finished(id);
		await first.app.stop();
		const { url } = await start({ models });
		const again = rawClient(url, keyA);
		// The link begins with the current address of the server.
		const { pathname, search } = new URL(before.url ?? '');
		expect(await again.json(`/v1/videos/${id}`)).toEqual({ ...before, url: url + pathname + search });
		expect(await again.bytes(`/v1/videos/${id}/content`)).toEqual(tinyMp4);
	});

	test('runs jobs that were queued without a worker', async () => {
		const models = { 'clip-1': fakeVideo() };
		const first = await start({ models, role: 'api' });
		const { id } = await rawClient(first.url, keyA).create({ model: 'clip-1', prompt: 'later' });
		await first.app.stop();
		const { url } = await start({ models });
		expect(await rawClient(url, keyA).finished(id)).toMatchObject({ status: 'completed' });
	});
});

describe('the first key', () => {
	const issueFirst = ({ app }: Served) => app.service(keyRing).issueFirst();

	test('is created once', async () => {
		const served = await start({ keys: '' });
		const [first, second] = [await issueFirst(served), await issueFirst(served)];
		expect([first, second]).toEqual([expect.stringMatching(/^plinth_live_/), null]);
	});

	test('still works after a restart, which creates no other key', async () => {
		const before = await start({ keys: '' });
		const key = (await issueFirst(before)) ?? '';
		expect((await rawClient(before.url, key).send('/v1/models')).status).toBe(200);
		await before.app.stop();
		const after = await start({ keys: '' });
		expect(await issueFirst(after)).toBeNull();
		expect((await rawClient(after.url, key).send('/v1/models')).status).toBe(200);
	});

	test('is stored as a hash only', async () => {
		const served = await start({ keys: '' });
		const key = (await issueFirst(served)) ?? '';
		await served.app.stop();
		const files = await readdir(dataDir, { recursive: true, withFileTypes: true });
		const stored = await Promise.all(
			files.filter((file) => file.isFile()).map((file) => readFile(join(file.parentPath, file.name), 'latin1')),
		);
		expect(stored.length).toBeGreaterThan(0);
		expect(stored.filter((text) => text.includes(key))).toEqual([]);
	});

	test('is not created when keys are configured', async () => {
		expect(await issueFirst(await start())).toBeNull();
	});
});

async function statusOf(url: string, id: string): Promise<string> {
	return (await rawClient(url, keyA).json<WireVideo>(`/v1/videos/${id}`)).status;
}

function untilStatus(url: string, id: string, status: string): Promise<void> {
	return eventually(`${id} is ${status}`, async () => (await statusOf(url, id)) === status);
}
