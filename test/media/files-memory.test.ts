import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import { type Child, plinth } from '../support/cli.ts';
import { filesBelow } from '../support/files.ts';
import { inMegabytes, memoryGrowthDuring } from '../support/process-tree.ts';
import { removeDir, temporaryDir } from '../support/serve.ts';

const megabyte = 1_048_576;
/** The largest allowed file. */
const largest = 512 * megabyte;
const block = randomBytes(megabyte);

let cwd: string;
let temp: string;
let child: Child;
let url: string;

beforeAll(async () => {
	cwd = await temporaryDir('files-memory');
	temp = join(cwd, 'tmp');
	await mkdir(temp);
	const env = { PORT: '0', PLINTH_API_KEYS: 'me:key-of-the-tests', PLINTH_LOG_LEVEL: 'warn', TMPDIR: temp };
	child = plinth(['serve'], { cwd, env });
	[, url = ''] = await child.printed(/serving +(http:\S+)/);
	// Warm-up: loads the lazy modules and lets the heap grow as any upload does.
	expect(await upload(64 * megabyte)).toMatchObject({ status: 200 });
});

afterAll(async () => {
	await child?.kill();
	await removeDir(cwd);
});

/** Sends a file of this length, generated while it is sent, until the server rejects it. */
async function upload(length: number) {
	const boundary = 'plinth-test-boundary';
	const part = (name: string) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"`;
	const req = request(`${url}/v1/files`, {
		method: 'POST',
		headers: {
			'x-api-key': 'key-of-the-tests',
			'content-type': `multipart/form-data; boundary=${boundary}`,
		},
	});
	const answered = once(req, 'response') as Promise<[IncomingMessage]>;
	req.write(`${part('purpose')}\r\n\r\nuser_data\r\n${part('file')}; filename="large"\r\n\r\n`);
	let isAnswered = false;
	answered.then(() => {
		isAnswered = true;
	});
	for (let sent = 0; sent < length && !isAnswered; sent += megabyte) {
		const isTaken = req.write(block.subarray(0, length - sent));
		if (!isTaken) await Promise.race([once(req, 'drain'), answered]);
	}
	req.end(`\r\n--${boundary}--\r\n`);
	const [response] = await answered;
	return { status: response.statusCode, body: await json(response) };
}

/** The server caches compiled code in the same folder. */
async function uploadsLeft(): Promise<readonly string[]> {
	return (await readdir(temp)).filter((name) => name.startsWith('plinth-'));
}

const blobs = () => filesBelow(join(cwd, '.plinth/blobs'));

test('a file of 512 MB is stored with little memory', async () => {
	onTestFailed(() => console.error(child.stdout(), child.stderr()));
	const sending = upload(largest);
	const held = await memoryGrowthDuring(child.pid, () => sending);
	const response = await sending;
	console.info(`512 MB: server +${inMegabytes(held.server)}.`);
	expect(response).toMatchObject({ status: 200, body: { bytes: largest } });
	const { id } = response.body as { id: string };
	const head = await fetch(`${url}/v1/files/${id}/content`, {
		method: 'HEAD',
		headers: { 'x-api-key': 'key-of-the-tests' },
	});
	const hash = createHash('sha256');
	for (let i = 0; i < largest; i += megabyte) hash.update(block);
	expect(head.headers.get('content-length')).toBe(String(largest));
	expect(head.headers.get('etag')).toBe(`"${hash.digest('hex')}"`);
	// The buffers of the file that is read for the blob store are only freed by the garbage collector, every 40 MB or so.
	expect(held.server).toBeLessThan(96 * megabyte);
	expect(await uploadsLeft()).toEqual([]);
});

test('one byte more is refused, and no part of it remains', async () => {
	const before = await blobs();
	expect(await upload(largest + 1)).toMatchObject({
		status: 413,
		body: { error: { code: 'request_too_large', param: 'file' } },
	});
	expect(await uploadsLeft()).toEqual([]);
	expect(await blobs()).toEqual(before);
});
