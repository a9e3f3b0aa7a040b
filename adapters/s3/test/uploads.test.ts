import type { BlobStore } from '@plinth/core';
import { s3Blobs } from '@plinth/s3';
import { createBackend, eventually, type ManualClock, manualClock } from '@plinth/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lost, once, refuse, type S3Request, type Script, type ScriptedS3, scriptedS3, tagOf } from './scripted-s3.ts';

const media = { contentType: 'video/mp4' };
const bytes = Buffer.alloc(100_000, 'plinth');
const headers = { 'retry-after': expect.any(String) };
const unavailable = { code: 'E_STORE_UNAVAILABLE', spec: expect.objectContaining({ status: 503 }), headers };
const megabyte = 1024 ** 2;
const size = 9 * megabyte;

let server: ScriptedS3;
let store: BlobStore;
let stop: () => Promise<void>;
let clock: ManualClock;

beforeEach(async () => {
	server = await scriptedS3();
	clock = manualClock();
	const keys = { accessKeyId: 'key', secretAccessKey: 'secret' };
	const options = { bucket: 'media', endpoint: server.endpoint, ...keys };
	const backend = await createBackend<BlobStore>(s3Blobs(options), { clock });
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

const whole = Buffer.concat(Array.from({ length: 9 }, (_, n) => Buffer.alloc(megabyte, n)));
const isWhole = (key: string) => server.objects.get(key)?.bytes.equals(whole);

describe('an upload', () => {
	test('is retried when its response is lost', async () => {
		server.play(once(({ method }) => method === 'PUT', lost));
		await store.put('a', bytes, media);
		expect(server.objects.get('a')?.bytes.equals(bytes)).toBe(true);
	});

	test('of a known size is one PUT and one HEAD', async () => {
		server.play(undefined);
		await store.put('a', pieces(megabyte, 9), { ...media, size: 9 * megabyte });
		expect(server.requests.map(({ method }) => method)).toEqual(['PUT', 'HEAD']);
	});

	test('that fits into one part is one request', async () => {
		server.play(undefined);
		await store.put('a', pieces(1_000, 9), media);
		expect(server.requests.map(({ method }) => method)).toEqual(['PUT']);
	});

	test('in parts removes all parts when one part is rejected', async () => {
		server.play((request, res) => request.query.get('partNumber') === '2' && refuse(res, 403, 'AccessDenied'));
		await expect(store.put('a', pieces(megabyte, 16), media)).rejects.toMatchObject(unavailable);
		expect([server.uploads.size, server.objects.size]).toEqual([0, 0]);
	});

	test('is rejected and deleted when the server stored other bytes', async () => {
		// Such a server returns the ETag of the bytes that it stored.
		server.play((request, res) => {
			if (request.method !== 'PUT') return false;
			server.objects.set(request.key, { bytes: bytes.subarray(1), type: 'video/mp4', meta: {} });
			res.writeHead(200, { etag: tagOf(bytes.subarray(1)) }).end();
			return true;
		});
		await expect(store.put('a', bytes, media)).rejects.toMatchObject({
			...unavailable,
			message: expect.stringContaining('S3 has stored 99999 bytes, and was sent 100000.'),
		});
		expect(server.objects.size).toBe(0);
	});

	test('of a killed process keeps its parts for a day', async () => {
		const like = { bytes, type: '', meta: {} };
		const at = (ms: number) => new Date(clock.now() - ms).toISOString();
		server.uploads.set('old', { key: 'a', initiated: at(86_400_001), like, parts: [] });
		server.uploads.set('new', { key: 'a', initiated: at(86_000_000), like, parts: [] });
		await store.sweep?.();
		expect([...server.uploads.keys()]).toEqual(['new']);
	});
});

const faults: readonly (readonly [string, Script])[] = [
	['a 500', (_request, res) => refuse(res, 500, 'InternalError')],
	['a 503 SlowDown', (_request, res) => refuse(res, 503, 'SlowDown')],
	[
		'a reset',
		(_request, res) => {
			res.socket?.resetAndDestroy();
			return true;
		},
	],
	['a lost response', lost],
];

/** The requests of a multipart upload. */
const steps: readonly (readonly [string, (request: S3Request) => boolean])[] = [
	['its start', ({ method, query }) => method === 'POST' && query.has('uploads')],
	['a part', ({ query }) => query.get('partNumber') === '2'],
	['its end', ({ method, query }) => method === 'POST' && query.has('uploadId')],
];

describe.each(faults)('a multipart upload with %s', (name, fault) => {
	test.each(steps)('at %s is retried, or fails and is not reported as stored', async (step, isMeant) => {
		server.play(once(isMeant, fault));
		const put = store.put('a', pieces(megabyte, 9), media);
		// The retried request gets the error that the upload does not exist.
		if (name === 'a lost response' && step === 'its end') return expect(put).rejects.toMatchObject(unavailable);
		expect(await put).toMatchObject({ size });
		expect(isWhole('a')).toBe(true);
		// A start whose response was lost leaves an empty upload, which the sweep removes.
		expect(server.uploads.size).toBe(name === 'a lost response' && step === 'its start' ? 1 : 0);
	});

	test.each(steps)('at %s on each try fails', async (_step, isMeant) => {
		server.play((request, res, serve) => isMeant(request) && fault(request, res, serve));
		await expect(store.put('a', pieces(megabyte, 9), media)).rejects.toMatchObject(unavailable);
	});
});

describe.each(faults)('an upload of a known size with %s', (name, fault) => {
	test('fails, because its bytes are not buffered, and can be repeated by the caller', async () => {
		server.play(once(({ method }) => method === 'PUT', fault));
		await expect(store.put('a', pieces(megabyte, 9), { ...media, size })).rejects.toMatchObject(unavailable);
		expect(server.objects.has('a')).toBe(name === 'a lost response');
		await store.put('a', pieces(megabyte, 9), { ...media, size });
		expect(isWhole('a')).toBe(true);
	});
});

describe.each([
	['of a known size', { size }],
	['in parts', {}],
])('an upload %s', (_name, told) => {
	test('is rejected and deleted when the server loses a byte', async () => {
		server.play((request, res) => {
			const upload = server.uploads.get(request.query.get('uploadId') ?? '');
			if (request.method === 'POST' && upload) upload.parts[0] = Buffer.alloc(5 * megabyte - 1);
			if (request.method !== 'PUT' || upload) return false;
			const stored = whole.subarray(1);
			server.objects.set(request.key, { bytes: stored, type: 'video/mp4', meta: {} });
			res.writeHead(200, { etag: tagOf(stored) }).end();
			return true;
		});
		await expect(store.put('a', pieces(megabyte, 9), { ...media, ...told })).rejects.toMatchObject({
			...unavailable,
			message: expect.stringContaining(`S3 has stored ${size - 1} bytes, and was sent ${size}.`),
		});
		expect(server.objects.size).toBe(0);
	});
});

test('an upload of one byte per second is aborted at its time limit', async () => {
	server.play(() => true);
	const refused = expect(store.put('a', pieces(megabyte, 9), { ...media, size })).rejects.toMatchObject(unavailable);
	await eventually('the request', () => server.requests.length === 1);
	// The limit is half a minute, or the time at 64 KB per second.
	await clock.advance(30_000 + size / 64);
	await refused;
});
