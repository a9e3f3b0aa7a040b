import { mkdir } from 'node:fs/promises';
import { type ClientRequest, request } from 'node:http';
import { join } from 'node:path';
import { eventually } from '@plinth/testing';
import { afterEach, beforeEach, describe, expect, onTestFailed, test } from 'vitest';
import { type Child, plinth } from '../support/cli.ts';
import { filesBelow } from '../support/files.ts';
import { removeDir, temporaryDir } from '../support/serve.ts';

const children: Child[] = [];
const uploads: ClientRequest[] = [];
let root: string;
let tmp: string;

beforeEach(async () => {
	root = await temporaryDir('leftovers');
	tmp = join(root, 'tmp');
	await mkdir(tmp);
});

afterEach(async () => {
	for (const upload of uploads.splice(0)) upload.destroy();
	await Promise.all(children.splice(0).map((child) => child.kill()));
	await removeDir(root);
});

/** A server with its own data directory. All servers share the temporary directory. */
async function serve(name: string): Promise<{ child: Child; url: string }> {
	const cwd = join(root, name);
	await mkdir(cwd, { recursive: true });
	const env = { PORT: '0', PLINTH_API_KEYS: 'me:key-of-the-tests', PLINTH_LOG_LEVEL: 'warn', TMPDIR: tmp };
	const child = plinth(['serve'], { cwd, env });
	children.push(child);
	onTestFailed(() => console.error(child.stdout(), child.stderr()));
	const [, url = ''] = await child.printed(/serving +(http:\S+)/);
	return { child, url };
}

/** Sends the first half of an upload and keeps the connection open. */
async function halfUpload(url: string): Promise<void> {
	const before = (await filesBelow(tmp)).length;
	const upload = request(`${url}/v1/videos`, {
		method: 'POST',
		headers: { 'x-api-key': 'key-of-the-tests', 'content-type': 'multipart/form-data; boundary=b' },
	});
	upload.on('error', () => {});
	uploads.push(upload);
	const head = 'content-disposition: form-data; name="input_reference"; filename="a.png"';
	upload.write(`--b\r\n${head}\r\ncontent-type: image/png\r\n\r\n${'x'.repeat(300_000)}`);
	await eventually('half a file', async () => (await filesBelow(tmp)).length > before, 10_000);
}

describe('uploads that were cut short by SIGKILL', () => {
	test('are removed at the next start, and those of a running server are kept', async () => {
		const [running, killed] = [await serve('living'), await serve('doomed')];
		await halfUpload(running.url);
		const theirs = await filesBelow(tmp);
		await halfUpload(killed.url);
		killed.child.signal('SIGKILL');
		await killed.child.exit;
		expect(await filesBelow(tmp)).toHaveLength(2);
		await serve('doomed');
		await eventually('the file of the killed server is deleted', async () => (await filesBelow(tmp)).length === 1);
		expect(await filesBelow(tmp)).toEqual(theirs);
	});
});
