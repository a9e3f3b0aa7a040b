import type { BlobStore } from '@plinth/core';
import { s3Blobs } from '@plinth/s3';
import { createBackend, eventually, type ManualClock, manualClock } from '@plinth/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lost, once, refuse, type Script, type ScriptedS3, scriptedS3 } from './scripted-s3.ts';

const media = { contentType: 'video/mp4' };
const bytes = Buffer.alloc(100_000, 'plinth');
const headers = { 'retry-after': expect.any(String) };
const unavailable = { code: 'E_STORE_UNAVAILABLE', spec: expect.objectContaining({ status: 503 }), headers };
const keys = { accessKeyId: 'canary-key', secretAccessKey: 'canary-secret' };
const megabyte = 1024 ** 2;

let server: ScriptedS3;
let store: BlobStore;
let stop: () => Promise<void>;
let clock: ManualClock;

beforeEach(async () => {
	server = await scriptedS3();
	clock = manualClock();
	const { endpoint } = server;
	const backend = await createBackend<BlobStore>(s3Blobs({ bucket: 'media', endpoint, ...keys }), { clock });
	store = backend.provided;
	stop = backend.stop;
});
afterEach(async () => {
	await stop();
	await server.close();
});

async function keysOf(from: BlobStore): Promise<string[]> {
	const found: string[] = [];
	for await (const { key } of from.list('')) found.push(key);
	return found;
}

async function drain(body: Iterable<never> | AsyncIterable<Uint8Array>): Promise<number> {
	let size = 0;
	for await (const chunk of body) size += chunk.length;
	return size;
}

const first = (method: string, script: Script) => once((request) => request.method === method, script);
const slowDown: Script = (_request, res) => refuse(res, 503, 'SlowDown');
const internal: Script = (_request, res) => refuse(res, 500, 'InternalError');
const reset: Script = (_request, res) => {
	res.socket?.resetAndDestroy();
	return true;
};
const passing: readonly (readonly [string, Script])[] = [
	['a 500', internal],
	['a 503 SlowDown', slowDown],
	['a reset', reset],
	['a lost response', lost],
];

describe.each(passing)('%s', (_name, fault) => {
	test('that occurs once is retried and has no effect', async () => {
		server.play(first('PUT', fault));
		await store.put('a', bytes, media);
		server.play(first('HEAD', fault));
		expect((await store.head('a'))?.size).toBe(bytes.length);
		server.play(first('GET', fault));
		expect(await drain((await store.get('a'))?.body ?? [])).toBe(bytes.length);
		server.play(first('DELETE', fault));
		await store.delete(['a']);
		expect(server.objects.size).toBe(0);
	});

	// Each operation is tried twice, with a pause in between.
	test('that persists makes the store unavailable for all operations, within two seconds', {
		timeout: 30_000,
	}, async () => {
		await store.put('a', bytes, media);
		server.play(fault);
		const began = performance.now();
		await expect(store.get('a')).rejects.toMatchObject(unavailable);
		expect(performance.now() - began).toBeLessThan(2_000);
		await expect(store.head('a')).rejects.toMatchObject(unavailable);
		await expect(store.put('b', bytes, media)).rejects.toMatchObject(unavailable);
		await expect(store.delete(['a'])).rejects.toMatchObject(unavailable);
		await expect(store.delete(['a', 'b'])).rejects.toMatchObject(unavailable);
		await expect(keysOf(store)).rejects.toMatchObject(unavailable);
		await expect(store.sweep?.()).rejects.toMatchObject(unavailable);
		// With a lost response, the server has done what was requested.
		if (fault !== lost) expect([...server.objects.keys()]).toEqual(['a']);
	});
});

describe('a download', () => {
	beforeEach(() => store.put('a', bytes, media));

	test('that is cut rejects after any number of bytes', async () => {
		server.play((request, res) => {
			if (request.method !== 'GET') return false;
			res.writeHead(200, { 'content-length': bytes.length, etag: '"1"' });
			res.write(bytes.subarray(0, 50_000), () => res.socket?.destroy());
			return true;
		});
		const blob = await store.get('a');
		await expect(drain(blob?.body ?? [])).rejects.toMatchObject(unavailable);
	});

	test('that is shorter than the size reported by the server is rejected', async () => {
		server.play((request, res) => {
			if (request.method !== 'GET') return false;
			res.writeHead(206, { 'content-range': `bytes 0-9/${bytes.length}`, 'content-length': 5, etag: '"1"' });
			res.end('12345');
			return true;
		});
		await expect(store.get('a', { range: { start: 0, end: 9 } })).rejects.toMatchObject(unavailable);
	});

	test('of a range that the server ignores is rejected', async () => {
		server.play((request, res) => {
			if (request.method !== 'GET') return false;
			res.writeHead(200, { 'content-length': bytes.length, etag: '"1"' }).end(bytes);
			return true;
		});
		await expect(store.get('a', { range: { start: 0, end: 9 } })).rejects.toMatchObject(unavailable);
	});

	test('that receives one byte per second is aborted after half a minute', async () => {
		const sent = Promise.withResolvers<(text: string) => void>();
		server.play((request, res) => {
			if (request.method !== 'GET') return false;
			res.writeHead(200, { 'content-length': bytes.length, etag: '"1"' });
			res.flushHeaders();
			sent.resolve((text) => res.write(text));
			return true;
		});
		const blob = await store.get('a');
		const iterator = blob?.body[Symbol.asyncIterator]();
		const send = await sent.promise;
		for (let second = 0; second < 29; second += 1) {
			const reading = iterator?.next();
			await clock.advance(1_000);
			send('x');
			expect(await reading).toMatchObject({ done: false });
		}
		const refused = expect(iterator?.next()).rejects.toMatchObject(unavailable);
		await clock.advance(1_100);
		await refused;
	});

	test('does not take connections from other work, even if fifty downloads are stalled', {
		timeout: 30_000,
	}, async () => {
		server.objects.set('large', { bytes: Buffer.alloc(8 * megabyte), type: 'a/b', meta: {} });
		const open = [];
		while (open.length < 60) open.push(await store.get('large'));
		await store.put('b', bytes, media);
		expect((await store.head('b'))?.size).toBe(bytes.length);
		expect(await drain((await store.get('b'))?.body ?? [])).toBe(bytes.length);
		for (const blob of open) await blob?.body[Symbol.asyncIterator]().return?.();
	});
});

test('a server that does not respond makes the store unavailable within two seconds', async () => {
	server.play(() => true);
	const refused = Promise.all(
		[store.get('a'), store.head('a'), store.ping?.()].map((answer) =>
			expect(answer).rejects.toMatchObject(unavailable),
		),
	);
	await eventually('three requests', () => server.requests.length === 3);
	await clock.advance(1_800);
	await refused;
});

test('a deletion that fails for one key deletes the others, and its error contains no secret', async () => {
	for (const key of ['a', 'b', 'c']) await store.put(key, bytes, media);
	server.play((request, res) => {
		if (!request.query.has('delete')) return false;
		expect(request.headers['content-md5']).toMatch(/=$/);
		server.objects.delete('a');
		res.writeHead(200, { 'content-type': 'application/xml' });
		res.end('<DeleteResult><Error><Key>b</Key><Code>AccessDenied</Code><Message>No.</Message></Error></DeleteResult>');
		return true;
	});
	await expect(store.delete(['a', 'b'])).rejects.toMatchObject(unavailable);
});

test('errors contain neither signed data nor the key or the secret', async () => {
	server.play((_request, res) =>
		refuse(
			res,
			403,
			'SignatureDoesNotMatch',
			'<AWSAccessKeyId>canary-key</AWSAccessKeyId><StringToSign>canary-signed</StringToSign>',
		),
	);
	const error = await store.head('a').then(
		() => store.get('a'),
		(reason: unknown) => reason,
	);
	const found = await store.get('a').catch((reason: unknown) => reason);
	for (const each of [error, found]) {
		const { cause } = each as { cause: object };
		expect(JSON.stringify([each, cause, Object.getOwnPropertyNames(cause), String(each)])).not.toContain('canary');
	}
});
