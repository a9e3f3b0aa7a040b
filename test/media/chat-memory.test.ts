import { randomBytes } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import { type Child, plinth, root } from '../support/cli.ts';
import { failure, type RawClient, rawClient } from '../support/client.ts';
import { inMegabytes, memoryGrowthDuring } from '../support/process-tree.ts';
import { removeDir, temporaryDir } from '../support/serve.ts';

const megabyte = 1_048_576;
const bodyBytes = 64 * megabyte;
const fileBytes = 48 * megabyte;

let cwd: string;
let temp: string;
let child: Child;
let client: RawClient;

beforeAll(async () => {
	cwd = await temporaryDir('chat-memory');
	temp = join(cwd, 'tmp');
	await mkdir(temp);
	child = plinth(['serve', '--config', join(root, 'test/support/paced-chat.config.ts')], {
		cwd,
		env: { PORT: '0', PLINTH_API_KEYS: 'me:key-of-the-tests', PLINTH_LOG_LEVEL: 'warn', TMPDIR: temp },
	});
	const [, url = ''] = await child.printed(/serving +(http:\S+)/);
	client = rawClient(url, 'key-of-the-tests');
	// Warm-up: what the first request loads is not part of the cost of a large one.
	expect((await ask('echo-1', Buffer.from('warm'))).status).toBe(200);
	expect((await ask('builtin-chat', Buffer.from('It is warm.'))).status).toBe(200);
});

afterAll(async () => {
	await child?.kill();
	await removeDir(cwd);
});

/** Asks about a document that is sent as a data URL or as plain base64. */
function ask(model: string, document: Buffer, header = 'data:;base64,'): Promise<Response> {
	const part = `{"type":"file","file":{"filename":"a.txt","file_data":"${header}`;
	const text = '{"type":"text","text":"Which line is the last one?"}';
	const head = `{"model":"${model}","messages":[{"role":"user","content":[${text},${part}`;
	return client.send('/v1/chat/completions', {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: new Blob([head, document.toString('base64'), '"}}]}]}']),
	});
}

test.each([
	['as a data URL', undefined],
	['as base64 alone', ''],
])('a body of 64 MB takes less server memory than its own length: %s', async (how, header) => {
	onTestFailed(() => console.error(child.stdout(), child.stderr()));
	const document = randomBytes(fileBytes);
	const held = await memoryGrowthDuring(child.pid, async () => {
		const response = await ask('echo-1', document, header);
		expect((await failure(response)).code).toBe('document_unsupported');
	});
	console.info(`64 MB ${how}: server +${inMegabytes(held.server)}, reader ${inMegabytes(held.child)}.`);
	expect(held.server).toBeLessThan(bodyBytes);
	expect((await readdir(temp)).filter((name) => name.startsWith('plinth-'))).toEqual([]);
});

test('the text of a 48 MB file takes no more server memory than the body and the file', async () => {
	onTestFailed(() => console.error(child.stdout(), child.stderr()));
	const line = 'Every line of this text is as long as the others, and there are many of them.\n';
	const document = Buffer.from(line.repeat(Math.floor(fileBytes / line.length)));
	const held = await memoryGrowthDuring(child.pid, async () => {
		const response = await ask('echo-1', document);
		expect(response.status).toBe(200);
		expect(await response.json()).toMatchObject({ warnings: [expect.stringContaining('a.txt')] });
	});
	console.info(`The text of 48 MB: server +${inMegabytes(held.server)}, reader ${inMegabytes(held.child)}.`);
	expect(held.server).toBeLessThan(1.1 * bodyBytes + fileBytes);
});
