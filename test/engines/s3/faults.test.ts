import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { eventually } from '@plinth/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Child, plinth } from '../../support/cli.ts';
import { failure, type RawClient, rawClient } from '../../support/client.ts';
import { type FaultProxy, faultProxy } from '../../support/fault-proxy.ts';
import { filesBelow } from '../../support/files.ts';
import { describeBytes } from '../../support/quick-video.ts';
import { removeDir, temporaryDir } from '../../support/serve.ts';
import { ownSwift, type SwiftServer } from '../support/swift.ts';
import { newBucket, type Place } from './support.ts';

const key = 'key-of-the-tests';
const large = { model: 'quick', prompt: 'large ms=10 kb=6000' };

let swift: SwiftServer;
let place: Place;
let proxy: FaultProxy;
let dir: string;
let child: Child;
let url: string;
let client: RawClient;
/** A completed video of 6 MB. */
let video: string;
/** All signatures that were sent to the server. */
const signatures = new Set<string>();
/** Error bodies that clients received. */
const refusals: string[] = [];

beforeAll(async () => {
	swift = await ownSwift();
	proxy = await faultProxy(swift.endpoint);
	place = { ...(await newBucket(swift)), endpoint: proxy.url };
	dir = await temporaryDir('s3-faults');
	watchSignatures();
	[child, url] = await serve({});
	client = rawClient(url, key);
	video = await rendered(large);
}, 60_000);

afterEach(watchSignatures);

afterAll(async () => {
	await child?.kill();
	await proxy?.close();
	await swift?.remove();
	await removeDir(dir);
});

async function serve(options: { readonly downloads?: 'redirect' }): Promise<[Child, string]> {
	const config = join(import.meta.dirname, 'bucket.config.ts');
	const started = plinth(['serve', '--config', config], {
		cwd: dir,
		env: {
			PORT: '0',
			PLINTH_LOG_LEVEL: 'debug',
			PLINTH_API_KEYS: `tests:${key}`,
			PLINTH_DATA_DIR: join(dir, 'data'),
			TEST_PLACE: JSON.stringify({ ...place, ...options }),
			TEST_RUNS: join(dir, 'runs'),
		},
	});
	const [, at = ''] = await started.printed(/serving +(http:\S+)/);
	return [started, at];
}

/** Sets faults for a number of requests whose head matches. Records signatures meanwhile. */
function setFaults(isMeant: RegExp, cutAfter: number, times = Number.POSITIVE_INFINITY): void {
	let left = times;
	proxy.setFaults((head) => {
		noteSignatures(head);
		if (!isMeant.test(head) || left-- <= 0) return undefined;
		return { cutAfter };
	});
}

function watchSignatures(): void {
	proxy.setFaults((head) => {
		noteSignatures(head);
		return undefined;
	});
}

function noteSignatures(head: string): void {
	for (const [, signature = ''] of head.matchAll(/Signature=([0-9a-f]{64})/g)) signatures.add(signature);
}

async function rendered(fields: Readonly<Record<string, unknown>>): Promise<string> {
	const { id } = await client.create(fields);
	const { status, error } = await client.finished(id, 60_000);
	expect([status, error]).toEqual(['completed', null]);
	return id;
}

/** Downloads with plain HTTP, because `fetch` would hide how the connection ended. */
async function download(id: string, headers: Readonly<Record<string, string>> = {}) {
	const req = request(`${url}/v1/videos/${id}/content`, { headers: { 'x-api-key': key, ...headers } }).end();
	const [response] = (await once(req, 'response')) as [IncomingMessage];
	const hash = createHash('sha256');
	let size = 0;
	let isWhole = true;
	try {
		for await (const chunk of response) {
			size += chunk.length;
			hash.update(chunk);
		}
	} catch {
		isWhole = false;
	}
	const { statusCode: status = 0, headers: told } = response;
	return { status, told, size, announced: Number(told['content-length']), isWhole, digest: hash.digest('hex') };
}

async function isServed(id: string, prompt: string): Promise<void> {
	const { status, told, digest } = await download(id);
	expect([status, told.etag]).toEqual([200, `"${digest}"`]);
	expect(describeBytes(await client.bytes(`/v1/videos/${id}/content`)).prompt).toBe(prompt);
}

describe('a download that breaks off', () => {
	const isVideo = /^GET \S+video\.mp4/;

	test.each([
		['early', 2_000, {}],
		['in the middle', 3_000_000, {}],
		['in the middle of a range', 500_000, { range: 'bytes=1000-2000000' }],
	])('%s cuts the connection to the client', async (_name, cutAfter, headers) => {
		setFaults(isVideo, cutAfter);
		const { status, size, announced, isWhole } = await download(video, headers);
		expect([status, isWhole]).toEqual(['range' in headers ? 206 : 200, false]);
		expect(size).toBeLessThan(announced);
		watchSignatures();
		await isServed(video, large.prompt);
	});

	test('once before its bytes is retried, and repeatedly is a 503', async () => {
		setFaults(isVideo, 0, 1);
		await isServed(video, large.prompt);
		setFaults(isVideo, 0);
		const response = await client.send(`/v1/videos/${video}/content`);
		expect([response.status, Number(response.headers.get('retry-after'))]).toEqual([503, 5]);
		const error = await failure(response);
		expect(error).toMatchObject({ code: 'storage_unavailable', param: null });
		refusals.push(JSON.stringify(error));
	});
});

describe('a lost response', () => {
	test.each([
		['of a small upload', /^PUT \S+video\.mp4\?x-id=PutObject/, { model: 'quick', prompt: 'small ms=10 kb=16' }],
		['of a part', /^PUT \S+partNumber=1/, large],
		['of the start of a multipart upload', /^POST \S+uploads/, large],
		['of the end of a multipart upload', /^POST \S+uploadId=/, large],
	])('%s fails no job', async (_name, isMeant, fields) => {
		const before = proxy.cuts;
		setFaults(isMeant, 0, 1);
		const id = await rendered(fields);
		expect(proxy.cuts).toBe(before + 1);
		await isServed(id, fields.prompt);
	});

	test('of a delete leaves no bytes', async () => {
		const id = await rendered({ model: 'quick', prompt: 'deleted ms=10' });
		let isAsked = false;
		proxy.setFaults((head) => {
			noteSignatures(head);
			if (isAsked || !/^(?:DELETE|POST \S+delete)/.test(head)) return undefined;
			isAsked = true;
			return { cutAfter: 0 };
		});
		await client.send(`/v1/videos/${id}`, { method: 'DELETE' });
		await eventually('the response is lost', () => isAsked, 10_000);
		await eventually(
			'the object is deleted',
			async () => (await client.send(`/v1/videos/${id}`)).status === 404,
			10_000,
		);
	});
});

describe('keys, secrets and signatures', () => {
	let logs: string;

	beforeAll(async () => {
		await child.kill();
		const [redirecting, at] = await serve({ downloads: 'redirect' });
		const response = await fetch(`${at}/v1/videos/${video}/content`, {
			headers: { 'x-api-key': key },
			redirect: 'manual',
		});
		const location = response.headers.get('location') ?? '';
		noteSignatures(location);
		expect([response.status, (await fetch(location)).status]).toEqual([302, 200]);
		await redirecting.kill();
		logs = [child, redirecting].map((each) => each.stdout() + each.stderr()).join('\n');
	});

	test('were used: requests were signed, some failed, and the failures were logged', () => {
		expect(signatures.size).toBeGreaterThan(20);
		expect(refusals).toHaveLength(1);
		expect(logs).toMatch(/The request to S3 failed/);
		expect(logs).toMatch(/A download from S3 was interrupted/);
	});

	test('are neither in logs nor in error responses', () => {
		const said = logs + refusals.join('\n');
		const found = [...signatures, place.secretAccessKey, place.accessKeyId].filter((secret) => said.includes(secret));
		expect([found, said.match(/X-Amz-\w+|AWS4-HMAC/gi)]).toEqual([[], null]);
	});

	test('are not in the records', async () => {
		const files = await filesBelow(join(dir, 'data'));
		const stored = (await Promise.all(files.map((file) => readFile(file, 'latin1')))).join('\n');
		// The search finds what the records do contain.
		expect(stored).toContain(large.prompt);
		const found = [...signatures, place.secretAccessKey, place.accessKeyId].filter((secret) => stored.includes(secret));
		expect([found, stored.match(/X-Amz-\w+|AWS4-HMAC/gi)]).toEqual([[], null]);
	});
});
