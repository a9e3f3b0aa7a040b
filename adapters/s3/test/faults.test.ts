import type { BlobStore } from '@plinth/core';
import { s3Blobs } from '@plinth/s3';
import { createBackend, eventually, type ManualClock, manualClock } from '@plinth/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { refuse, type Script, type ScriptedS3, scriptedS3, tagOf } from './scripted-s3.ts';

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

async function* pieces(size: number, count: number): AsyncGenerator<Buffer> {
	for (let n = 0; n < count; n += 1) yield Buffer.alloc(size, n);
}

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

/** Plays it for the first request of a method only. */
const once = (method: string, script: Script): Script => {
	let isDone = false;
	return (asked, res, serve) => {
		if (isDone || asked.method !== method) return false;
		isDone = true;
		return script(asked, res, serve);
	};
};
const slowDown: Script = (_asked, res) => refuse(res, 503, 'SlowDown');
const internal: Script = (_asked, res) => refuse(res, 500, 'InternalError');
const reset: Script = (_asked, res) => {
	res.socket?.resetAndDestroy();
	return true;
};
/** The server does what was asked, and its answer is lost. */
const lost: Script = (asked, res, serve) => {
	if (asked.method === 'PUT') server.objects.set(asked.key, { bytes: asked.body, type: 'video/mp4', meta: {} });
	else serve();
	res.socket?.resetAndDestroy();
	return true;
};

const passing: readonly (readonly [string, Script])[] = [
	['a 500', internal],
	['a 503 SlowDown', slowDown],
	['a reset', reset],
];

describe.each(passing)('%s', (_name, fault) => {
	test('that passes is not noticed', async () => {
		server.play(once('PUT', fault));
		await store.put('a', bytes, media);
		server.play(once('HEAD', fault));
		expect((await store.head('a'))?.size).toBe(bytes.length);
		server.play(once('GET', fault));
		expect(await drain((await store.get('a'))?.body ?? [])).toBe(bytes.length);
		server.play(once('DELETE', fault));
		await store.delete(['a']);
		expect(server.objects.size).toBe(0);
	});

	// Each of these is tried twice, with a pause between.
	test('that stays is an unavailable store for everything, within two seconds', { timeout: 30_000 }, async () => {
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
		expect([...server.objects.keys()]).toEqual(['a']);
	});
});

describe('an upload', () => {
	test('whose answer is lost is repeated', async () => {
		server.play(once('PUT', lost));
		await store.put('a', bytes, media);
		expect(server.objects.get('a')?.bytes.equals(bytes)).toBe(true);
	});

	test('of a known size is one request and a look at the size', async () => {
		server.play(undefined);
		await store.put('a', pieces(megabyte, 9), { ...media, size: 9 * megabyte });
		expect(server.asked.map(({ method }) => method)).toEqual(['PUT', 'HEAD']);
	});

	test('that fits in one part is one request', async () => {
		server.play(undefined);
		await store.put('a', pieces(1_000, 9), media);
		expect(server.asked.map(({ method }) => method)).toEqual(['PUT']);
	});

	test('in parts leaves none of them when a part is refused', async () => {
		server.play((asked, res) => asked.query.get('partNumber') === '2' && refuse(res, 403, 'AccessDenied'));
		await expect(store.put('a', pieces(megabyte, 16), media)).rejects.toMatchObject(unavailable);
		expect([server.uploads.size, server.objects.size]).toEqual([0, 0]);
	});

	test('of which the server stores other bytes is refused and deleted', async () => {
		// Such a server tells the tag of what it has stored.
		server.play((asked, res) => {
			if (asked.method !== 'PUT') return false;
			server.objects.set(asked.key, { bytes: bytes.subarray(1), type: 'video/mp4', meta: {} });
			res.writeHead(200, { etag: tagOf(bytes.subarray(1)) }).end();
			return true;
		});
		await expect(store.put('a', bytes, media)).rejects.toMatchObject({
			...unavailable,
			message: expect.stringContaining('S3 has stored 99999 bytes, and was sent 100000.'),
		});
		expect(server.objects.size).toBe(0);
	});

	test('of a killed process leaves parts until a day has passed', async () => {
		const like = { bytes, type: '', meta: {} };
		const at = (ms: number) => new Date(clock.now() - ms).toISOString();
		server.uploads.set('old', { key: 'a', initiated: at(86_400_001), like, parts: [] });
		server.uploads.set('new', { key: 'a', initiated: at(86_000_000), like, parts: [] });
		await store.sweep?.();
		expect([...server.uploads.keys()]).toEqual(['new']);
	});
});

describe('a download', () => {
	beforeEach(() => store.put('a', bytes, media));

	test('that breaks off rejects, however much of it has come', async () => {
		server.play((asked, res) => {
			if (asked.method !== 'GET') return false;
			res.writeHead(200, { 'content-length': bytes.length, etag: '"1"' });
			res.write(bytes.subarray(0, 50_000), () => res.socket?.destroy());
			return true;
		});
		const blob = await store.get('a');
		await expect(drain(blob?.body ?? [])).rejects.toMatchObject(unavailable);
	});

	test('that is shorter than the server has said elsewhere is refused', async () => {
		server.play((asked, res) => {
			if (asked.method !== 'GET') return false;
			res.writeHead(206, { 'content-range': `bytes 0-9/${bytes.length}`, 'content-length': 5, etag: '"1"' });
			res.end('12345');
			return true;
		});
		await expect(store.get('a', { range: { start: 0, end: 9 } })).rejects.toMatchObject(unavailable);
	});

	test('of a range that the server ignores is refused', async () => {
		server.play((asked, res) => {
			if (asked.method !== 'GET') return false;
			res.writeHead(200, { 'content-length': bytes.length, etag: '"1"' }).end(bytes);
			return true;
		});
		await expect(store.get('a', { range: { start: 0, end: 9 } })).rejects.toMatchObject(unavailable);
	});

	test('of which a byte comes each second is given up after half a minute', async () => {
		const sent = Promise.withResolvers<(text: string) => void>();
		server.play((asked, res) => {
			if (asked.method !== 'GET') return false;
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

	test('does not take the connections of other work, when fifty of them stand still', async () => {
		server.objects.set('large', { bytes: Buffer.alloc(8 * megabyte), type: 'a/b', meta: {} });
		const open = await Promise.all(Array.from({ length: 60 }, () => store.get('large')));
		await store.put('b', bytes, media);
		expect((await store.head('b'))?.size).toBe(bytes.length);
		expect(await drain((await store.get('b'))?.body ?? [])).toBe(bytes.length);
		for (const blob of open) await blob?.body[Symbol.asyncIterator]().return?.();
	});
});

test('a server that is silent is an unavailable store within two seconds', async () => {
	server.play(() => true);
	const refused = Promise.all(
		[store.get('a'), store.head('a'), store.ping?.()].map((answer) =>
			expect(answer).rejects.toMatchObject(unavailable),
		),
	);
	await eventually('three requests', () => server.asked.length === 3);
	await clock.advance(1_800);
	await refused;
});

test('a deletion that fails for one key still deletes the others, and names no secret', async () => {
	for (const key of ['a', 'b', 'c']) await store.put(key, bytes, media);
	server.play((asked, res) => {
		if (!asked.query.has('delete')) return false;
		expect(asked.headers['content-md5']).toMatch(/=$/);
		server.objects.delete('a');
		res.writeHead(200, { 'content-type': 'application/xml' });
		res.end('<DeleteResult><Error><Key>b</Key><Code>AccessDenied</Code><Message>No.</Message></Error></DeleteResult>');
		return true;
	});
	await expect(store.delete(['a', 'b'])).rejects.toMatchObject(unavailable);
});

test('no error shows what was signed, the key or the secret', async () => {
	server.play((_asked, res) =>
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
