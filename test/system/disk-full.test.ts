import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@plinth/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { failure, type RawClient, rawClient, type WireVideo } from '../support/client.ts';
import { fakeVideo, type Gate, gate, heldVideo, tinyMp4 } from '../support/fake-models.ts';
import { filesBelow } from '../support/files.ts';
import { solidPng } from '../support/png.ts';
import { keyA, type Served, serveEmbedded } from '../support/serve.ts';
import { type SmallDisk, smallDisk } from '../support/small-disk.ts';

let disk: SmallDisk;
let tmp: SmallDisk;
let served: Served;
let client: RawClient;
let held: Gate;

beforeAll(async () => {
	disk = await smallDisk(48);
	tmp = await smallDisk(1);
});

afterAll(async () => {
	vi.unstubAllEnvs();
	await served?.stop();
	await disk?.remove();
	await tmp?.remove();
});

/** More than the free space that a store needs to continue. */
const bigMp4 = Buffer.concat([tinyMp4, Buffer.alloc(8 * 1024 * 1024)]);

async function start(): Promise<void> {
	held = gate();
	served = await serveEmbedded({
		dataDir: disk.dir,
		models: { 'instant-1': fakeVideo(), 'held-1': heldVideo(held, bigMp4) },
		jobs: { pollMs: 200, sweepMs: 200 },
	});
	client = rawClient(served.url, keyA);
}

/** Fills the disk once the store has reserved the space that it needs on a full disk. */
async function fill(): Promise<void> {
	const isKept = async () => (await readdir(disk.dir)).includes('plinth.db-reserve');
	await eventually('the store keeps a reserve', isKept);
	disk.fill();
}

/** Every test begins with free space, a running server and two videos, one completed and one being rendered. */
beforeEach(async () => {
	await disk.empty();
	await served?.stop();
	await start();
	const { data } = await client.json<{ data: WireVideo[] }>('/v1/videos?limit=100');
	for (const { id } of data) await client.send(`/v1/videos/${id}`, { method: 'DELETE' });
	await eventually('an empty disk', async () => (await blobFiles()).length === 0);
});

async function blobFiles(): Promise<string[]> {
	const files = await filesBelow(join(disk.dir, 'blobs'));
	return files.filter((path) => !path.includes('store-identity'));
}

function picture(): FormData {
	const form = new FormData();
	for (const [name, value] of [
		['model', 'instant-1'],
		['prompt', 'with a picture'],
		['seconds', '2'],
		['size', '640x480'],
	] as const) {
		form.set(name, value);
	}
	form.set('input_reference', new Blob([solidPng(64, 64, [1, 2, 3])]), 'picture.png');
	return form;
}

async function ids(): Promise<string[]> {
	const { data } = await client.json<{ data: WireVideo[] }>('/v1/videos?limit=100');
	return data.map(({ id }) => id);
}

/** Creates videos until the disk has no space for another record. Returns the ids of the accepted ones. */
async function createUntilRefused(model = 'instant-1'): Promise<string[]> {
	const accepted: string[] = [];
	for (let n = 0; n < 400; n += 1) {
		const response = await client.post('/v1/videos', {
			model,
			prompt: 'no room'.repeat(500),
		});
		if (response.status !== 201) {
			expect([response.status, (await failure(response)).code]).toEqual([507, 'storage_full']);
			return accepted;
		}
		accepted.push(((await response.json()) as WireVideo).id);
	}
	throw new Error('The disk never became full.');
}

const completed = async () => client.finished((await client.create({ model: 'instant-1', prompt: 'before' })).id);

describe('on a full disk', () => {
	test('a create is refused with storage_full, and leaves neither record nor file', async () => {
		const { id } = await completed();
		const files = await blobFiles();
		await fill();
		const response = await client.send('/v1/videos', { method: 'POST', body: picture() });
		expect([response.status, (await failure(response)).code]).toEqual([507, 'storage_full']);
		expect([await ids(), await blobFiles()]).toEqual([[id], files]);
	});

	test('records are accepted until the disk is full, and every accepted one exists', async () => {
		await fill();
		held.open();
		const accepted = await createUntilRefused('held-1');
		expect((await ids()).sort()).toEqual(accepted.sort());
		for (const id of accepted) expect((await client.finished(id)).error?.code).toBe('storage_full');
		expect(await blobFiles()).toEqual([]);
	});

	test('jobs can be read, listed and downloaded', async () => {
		const { id } = await completed();
		await fill();
		const accepted = await createUntilRefused();
		expect((await client.json<WireVideo>(`/v1/videos/${id}`)).status).toBe('completed');
		expect((await ids()).sort()).toEqual([id, ...accepted].sort());
		expect((await client.bytes(`/v1/videos/${id}/content`)).length).toBeGreaterThan(4_000);
	});

	test('a render without space for its result fails with storage_full', async () => {
		const { id } = await client.create({ model: 'held-1', prompt: 'too late' });
		await held.reached;
		await fill();
		held.open();
		expect(await client.finished(id)).toMatchObject({
			status: 'failed',
			error: { code: 'storage_full' },
		});
		expect(await blobFiles()).toEqual([]);
	});

	test('DELETE works for all videos and frees their space', async () => {
		const made = await Promise.all(Array.from({ length: 40 }, () => completed()));
		await fill();
		const accepted = await createUntilRefused();
		for (const id of [...made.map((video) => video.id), ...accepted]) {
			const response = await client.send(`/v1/videos/${id}`, { method: 'DELETE' });
			expect(response.status).toBe(200);
			// The freed space is filled at once, so that no delete can use the space that another one has freed.
			disk.fill();
		}
		expect([await ids(), await blobFiles()]).toEqual([[], []]);
	});

	test('running work can be deleted', async () => {
		const { id } = await client.create({ model: 'held-1', prompt: 'unwanted' });
		await held.reached;
		await fill();
		expect((await client.send(`/v1/videos/${id}`, { method: 'DELETE' })).status).toBe(200);
		expect(await ids()).toEqual([]);
	});

	test('a server starts, and existing videos can be read and deleted', async () => {
		const { id } = await completed();
		await fill();
		await served.stop();
		disk.fill();
		await start();
		expect((await client.json<WireVideo>(`/v1/videos/${id}`)).status).toBe('completed');
		expect((await client.send(`/v1/videos/${id}`, { method: 'DELETE' })).status).toBe(200);
		expect(await ids()).toEqual([]);
	});

	test('a waiting job is rendered once there is space', async () => {
		const waiting = await Promise.all(
			Array.from({ length: 4 }, () => client.create({ model: 'held-1', prompt: 'in line' })),
		);
		await held.reached;
		await fill();
		held.open();
		await eventually(
			'the first ones have failed',
			async () => {
				const all = await Promise.all(waiting.map(({ id }) => client.json<WireVideo>(`/v1/videos/${id}`)));
				return all.filter(({ status }) => status === 'failed').length >= 2;
			},
			20_000,
		);
		await disk.empty();
		const ended = await Promise.all(waiting.map(({ id }) => client.finished(id)));
		expect(new Set(ended.map(({ status }) => status))).toEqual(new Set(['failed', 'completed']));
	});

	test('creates succeed again once there is space', async () => {
		await fill();
		await createUntilRefused();
		await disk.empty();
		expect((await completed()).status).toBe('completed');
		const created = await client.send('/v1/videos', { method: 'POST', body: picture() });
		expect(created.status).toBe(201);
		await client.finished(((await created.json()) as WireVideo).id);
		expect(await readdir(join(disk.dir, 'blobs', '@tmp'))).toEqual([]);
	});
});

describe('with a full temporary directory', () => {
	test('an upload is refused with storage_full and leaves nothing', async () => {
		vi.stubEnv('TMPDIR', tmp.dir);
		tmp.fill();
		const response = await client.send('/v1/videos', { method: 'POST', body: picture() });
		expect([response.status, (await failure(response)).code]).toEqual([507, 'storage_full']);
		expect(await readdir(tmp.dir)).toEqual(['ballast']);
		await tmp.empty();
		const created = await client.send('/v1/videos', { method: 'POST', body: picture() });
		expect(created.status).toBe(201);
		expect(await readdir(tmp.dir)).toEqual([]);
		vi.unstubAllEnvs();
	});
});
