import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import { type Child, plinth } from '../support/cli.ts';
import { type RawClient, rawClient } from '../support/client.ts';
import { solidPng } from '../support/png.ts';
import { inMegabytes, memoryGrowthDuring } from '../support/process-tree.ts';

const megabyte = 1_048_576;
const path = '/api/attachments/parse';

let cwd: string;
let temp: string;
let child: Child;
let client: RawClient;

beforeAll(async () => {
	cwd = await mkdtemp(join(tmpdir(), 'plinth-test-parse-'));
	temp = join(cwd, 'tmp');
	await mkdir(temp);
	const env = { PORT: '0', PLINTH_API_KEYS: 'me:key-of-the-tests', PLINTH_LOG_LEVEL: 'warn', TMPDIR: temp };
	child = plinth(['serve'], { cwd, env });
	const [, url = ''] = await child.printed(/serving +(http:\S+)/);
	client = rawClient(url, 'key-of-the-tests');
	expect((await post(Buffer.from('warm'))).status).toBe(200);
	// The server loads sharp (30 MB) a second after its start. An edit loads it now, so that it is not measured.
	const form = new FormData();
	form.set('model', 'builtin-image');
	form.set('prompt', 'sepia');
	form.set('image', new Blob([solidPng(64, 64, [1, 2, 3])]), 'a.png');
	expect((await client.send('/v1/images/edits', { method: 'POST', body: form })).status).toBe(200);
});

afterAll(async () => {
	await child?.kill();
	await rm(cwd, { recursive: true, force: true });
});

/** Sends a document as JSON, as a data URL or as plain base64. */
function post(document: Buffer, header = 'data:application/octet-stream;base64,') {
	return client.send(path, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: new Blob(['{"files":[{"url":"', header, document.toString('base64'), '"}]}']),
	});
}

interface Result {
	readonly truncated?: boolean;
	readonly content: { readonly text?: string };
	readonly error?: { readonly code: string };
}

async function resultOf(response: Response): Promise<Result | undefined> {
	expect(response.status).toBe(200);
	return ((await response.json()) as { results: readonly Result[] }).results[0];
}

test.each([
	['as a data URL', undefined],
	['as base64 alone', ''],
])('a body of 64 MB takes less server memory than its own length: %s', async (how, header) => {
	onTestFailed(() => console.error(child.stdout(), child.stderr()));
	const document = randomBytes(48 * megabyte);
	const held = await memoryGrowthDuring(child.pid, async () => {
		expect((await resultOf(await post(document, header)))?.error?.code).toBe('document_unsupported');
	});
	console.info(`64 MB ${how}: server +${inMegabytes(held.server)}, reader ${inMegabytes(held.child)}.`);
	expect(held.server).toBeLessThan(64 * megabyte);
	expect((await readdir(temp)).filter((name) => name.startsWith('plinth-'))).toEqual([]);
});

test('a response of 20 million characters takes a few times its length', async () => {
	onTestFailed(() => console.error(child.stdout(), child.stderr()));
	const line = 'Every line of this text is as long as the others, and there are many of them. é\n';
	const document = Buffer.from(line.repeat(260_000));
	let result: Result | undefined;
	const held = await memoryGrowthDuring(child.pid, async () => {
		result = await resultOf(await post(document));
	});
	expect(result?.truncated).toBe(true);
	expect(result?.content.text?.length).toBeGreaterThan(19_000_000);
	console.info(`20 million characters: server +${inMegabytes(held.server)}, reader ${inMegabytes(held.child)}.`);
	expect(held.server).toBeLessThan(200 * megabyte);
});
