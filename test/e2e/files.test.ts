import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { files } from '@plinth/plugin-files';
import { eventually } from '@plinth/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failure, type RawClient, rawClient } from '../support/client.ts';
import { ClockAhead } from '../support/clock-ahead.ts';
import { filesBelow } from '../support/files.ts';
import { keyA, keyB, removeDir, type Served, serveEmbedded, temporaryDir } from '../support/serve.ts';

const clock = new ClockAhead();
const picture = randomBytes(300_000);

let dataDir: string;
let served: Served;
let alice: RawClient;
let bob: RawClient;

beforeAll(async () => {
	dataDir = await temporaryDir('files');
	await start();
});

afterAll(async () => {
	await served?.stop();
	await removeDir(dataDir);
});

/** Starts a server on the data directory. */
async function start(): Promise<void> {
	served = await serveEmbedded({ dataDir, clock, plugins: { files: files() } });
	alice = rawClient(served.url, keyA);
	bob = rawClient(served.url, keyB);
}

interface WireFile {
	readonly id: string;
	readonly filename: string;
	readonly expires_at?: number;
}

/** Uploads bytes with additional fields. */
async function upload(client: RawClient, fields: Readonly<Record<string, string>> = {}) {
	const body = new FormData();
	body.set('file', new Blob([picture]), 'noise.bin');
	for (const [name, value] of Object.entries({ purpose: 'user_data', ...fields })) {
		body.set(name, value);
	}
	const response = await client.send('/v1/files', { method: 'POST', body });
	if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
	return (await response.json()) as WireFile;
}

const blobsOf = (id: string) =>
	filesBelow(join(dataDir, 'blobs')).then((paths) => paths.filter((path) => path.includes(id)));

describe('a file', () => {
	test('is returned unchanged, completely and in ranges', async () => {
		const { id } = await upload(alice);
		const content = `/v1/files/${id}/content`;
		expect(picture.equals(await alice.bytes(content))).toBe(true);
		for (const [range, start, end] of [
			['bytes=0-0', 0, 1],
			['bytes=100000-299999', 100_000, 300_000],
			['bytes=-7', 299_993, 300_000],
		] as const) {
			const response = await alice.send(content, { headers: { range } });
			expect(response.status).toBe(206);
			expect(response.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/300000`);
			const bytes = Buffer.from(await response.arrayBuffer());
			expect(bytes.equals(picture.subarray(start, end))).toBe(true);
		}
		const outside = await alice.send(content, { headers: { range: 'bytes=300000-' } });
		expect(outside.status).toBe(416);
	});

	test('is visible to its own tenant only', async () => {
		const { id } = await upload(alice);
		const unknown = `file-${'0'.repeat(44)}`;
		for (const [method, path] of [
			['GET', ''],
			['GET', '/content'],
			['DELETE', ''],
		] as const) {
			const foreign = await bob.send(`/v1/files/${id}${path}`, { method });
			const never = await bob.send(`/v1/files/${unknown}${path}`, { method });
			expect([foreign.status, never.status]).toEqual([404, 404]);
			expect(await failure(foreign)).toEqual(await failure(never));
		}
		expect(await bob.json('/v1/files')).toMatchObject({ data: [] });
		expect(await alice.json(`/v1/files/${id}`)).toMatchObject({ id });
	});

	test('survives a restart unless it was deleted or has expired', async () => {
		const kept = await upload(alice);
		const deleted = await upload(alice);
		const expiring = await upload(alice, {
			'expires_after[anchor]': 'created_at',
			'expires_after[seconds]': '3600',
		});
		await alice.send(`/v1/files/${deleted.id}`, { method: 'DELETE' });
		await served.stop();
		clock.aheadMs = 3_600_000;
		await start();
		expect(await alice.json(`/v1/files/${kept.id}`)).toEqual(kept);
		expect(picture.equals(await alice.bytes(`/v1/files/${kept.id}/content`))).toBe(true);
		for (const { id } of [deleted, expiring]) {
			expect((await alice.send(`/v1/files/${id}`)).status).toBe(404);
		}
		// A server whose sweep starts at once.
		await eventually('the sweep has run', async () => (await blobsOf(expiring.id)).length === 0);
		expect(await blobsOf(deleted.id)).toEqual([]);
		expect(await blobsOf(kept.id)).toHaveLength(1);
	});
});
