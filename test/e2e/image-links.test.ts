import { basename } from 'node:path';
import { eventually } from '@plinth/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { failure, rawClient } from '../support/client.ts';
import { ClockAhead } from '../support/clock-ahead.ts';
import { fakeImage } from '../support/fake-models.ts';
import { filesBelow } from '../support/files.ts';
import { pngSize } from '../support/png.ts';
import { keyA, removeDir, type Served, type ServeOptions, serveEmbedded, temporaryDir } from '../support/serve.ts';

const clock = new ClockAhead();
const running: Served[] = [];
let dataDir: string;
let first: Served;

beforeAll(async () => {
	dataDir = await temporaryDir('links');
	first = await start();
});

beforeEach(() => {
	clock.aheadMs = 0;
});

afterAll(async () => {
	for (const { app } of running) await app.stop();
	await removeDir(dataDir);
});

/** Starts a server on the shared data directory. */
async function start(server: ServeOptions['server'] & object = {}): Promise<Served> {
	const models = { 'paint-1': fakeImage() };
	const served = await serveEmbedded({ dataDir, clock, models, server });
	running.push(served);
	return served;
}

/** Generates an image and returns its URL. */
async function linkFrom({ url }: { readonly url: string }): Promise<URL> {
	const response = await rawClient(url, keyA).post('/v1/images/generations', {
		model: 'paint-1',
		prompt: 'to be linked',
		response_format: 'url',
	});
	return new URL(((await response.json()) as { data: { url: string }[] }).data[0]?.url ?? '');
}

async function refusal(url: URL | string, init?: RequestInit): Promise<[number, string | null]> {
	const response = await fetch(url, init);
	return [response.status, (await failure(response)).code];
}

const changed = (url: URL, change: (url: URL) => void) => {
	const copy = new URL(url);
	change(copy);
	return copy;
};

describe('the URL of an image', () => {
	let link: URL;
	let bytes: Uint8Array;

	beforeAll(async () => {
		link = await linkFrom(first);
		bytes = new Uint8Array(await (await fetch(link)).arrayBuffer());
	});

	test('serves it without a key', async () => {
		const { status, headers } = await fetch(link);
		expect([status, headers.get('content-type')]).toEqual([200, 'image/png']);
		expect(headers.get('content-length')).toBe(String(bytes.length));
		expect(pngSize(bytes)).toEqual({ width: 64, height: 48 });
		// Pages of other origins may embed it. It is never rendered as a page.
		expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
		expect(headers.get('x-content-type-options')).toBe('nosniff');
		expect(headers.get('content-security-policy')).toMatch(/\bsandbox\b/);
	});

	test('supports HEAD, a range and a conditional request', async () => {
		const head = await fetch(link, { method: 'HEAD' });
		expect([head.status, (await head.arrayBuffer()).byteLength]).toEqual([200, 0]);
		expect(head.headers.get('content-length')).toBe(String(bytes.length));
		const part = await fetch(link, { headers: { range: 'bytes=1-3' } });
		expect([part.status, await part.text()]).toEqual([206, 'PNG']);
		const etag = head.headers.get('etag') ?? '';
		expect((await fetch(link, { headers: { 'if-none-match': etag } })).status).toBe(304);
	});

	test.each([
		['a forged signature', (url: URL) => url.searchParams.set('signature', '0'.repeat(64))],
		['no signature', (url: URL) => url.searchParams.delete('signature')],
		['two signatures', (url: URL) => url.searchParams.append('signature', 'x')],
		[
			'a later expiry',
			(url: URL) => {
				url.pathname = url.pathname.replace(/results\/0/, 'results/1');
			},
		],
	])('is unknown with %s, before and after its expiry', async (_, change) => {
		const wrong = changed(link, change);
		expect(await refusal(wrong)).toEqual([404, 'image_not_found']);
		expect(await refusal(wrong, { headers: { 'x-api-key': keyA } })).toEqual([404, 'image_not_found']);
		clock.aheadMs = 3_600_000;
		expect(await refusal(wrong)).toEqual([404, 'image_not_found']);
	});

	test('expires after an hour', async () => {
		clock.aheadMs = 3_590_000;
		expect((await fetch(link)).status).toBe(200);
		clock.aheadMs = 3_600_000;
		expect(await refusal(link)).toEqual([404, 'image_expired']);
		expect((await fetch(link, { method: 'HEAD' })).status).toBe(404);
	});

	test('is the same on every server of a data directory, also after a restart', async () => {
		const other = await start();
		const others = await linkFrom(other);
		const at = (url: URL, { url: server }: Served) => fetch(`${server}${url.pathname}${url.search}`);
		expect((await at(link, other)).status).toBe(200);
		expect((await at(others, first)).status).toBe(200);
		await other.app.stop();
		expect((await at(others, await start())).status).toBe(200);
	});

	test('begins with the public URL', async () => {
		const publicUrl = 'https://media.example.test/ai';
		const served = await start({ publicUrl });
		const public_ = await linkFrom(served);
		expect(public_.href).toMatch(/^https:\/\/media\.example\.test\/ai\/v1\/images\/results\/[^/]+$/);
		const own = public_.href.replace(publicUrl, served.url);
		expect((await fetch(own)).status).toBe(200);
	});

	test('is deleted by a sweep once it has expired', async () => {
		const stored = async () => (await filesBelow(dataDir)).some((path) => isOf(path, link));
		expect(await stored()).toBe(true);
		clock.aheadMs = 3_600_000;
		await start();
		await eventually('the bytes are deleted', async () => !(await stored()));
	});
});

// The file store appends a mark to the names of its files.
const isOf = (path: string, { pathname }: URL) => basename(path).startsWith(basename(pathname));
