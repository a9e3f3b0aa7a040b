import { request } from 'node:http';
import { keyRing } from '@plinth/keys';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failure, type RawClient, rawClient } from '../support/client.ts';
import { fakeChat } from '../support/fake-chat.ts';
import { fakeDocuments, type ReadDocument } from '../support/fake-documents.ts';
import { solidPng } from '../support/png.ts';
import { keyA, keyB, type Served, serveEmbedded } from '../support/serve.ts';

const path = '/v1/chat/completions';
const maxBody = 73_400_320;
const maxFile = 52_428_800;

interface Answer {
	readonly choices: readonly { readonly message: { readonly content: string } }[];
	readonly warnings?: readonly string[];
}

const asked: ReadDocument[] = [];
let served: Served;
let client: RawClient;

beforeAll(async () => {
	served = await serveEmbedded({
		backends: { documents: fakeDocuments(asked)() },
		models: { 'echo-1': fakeChat() },
	});
	client = rawClient(served.url, keyA);
});

afterAll(() => served?.stop());

const base64 = (bytes: string | Uint8Array) => Buffer.from(bytes).toString('base64');
const file = (file_data: string) => ({ type: 'file', file: { file_data, filename: 'a.txt' } });
const text = (words: string) => ({ type: 'text', text: words });
const body = (...content: object[]) => ({
	model: 'builtin-chat',
	messages: [{ role: 'user', content }],
});

async function answerTo(fields: object, caller = client): Promise<Answer> {
	const response = await caller.post(path, fields);
	if (response.status !== 200) throw new Error(await response.text());
	return (await response.json()) as Answer;
}

describe('POST /v1/chat/completions', () => {
	test('answers from a file, with the position of the quote', async () => {
		const note = file(base64('The bridge was opened in 1932.'));
		const { choices } = await answerTo(body(text('When was the bridge opened?'), note));
		expect(choices[0]?.message.content).toMatch(/opened in 1932[\s\S]*a\.txt/);
	});

	test('parses a file once, even if several tenants send it repeatedly', async () => {
		const long = file(base64(`Once. ${'x'.repeat(100_000)}`));
		const before = asked.length;
		await answerTo(body(text('What?'), long, long));
		await answerTo(body(text('What?'), long), rawClient(served.url, keyB));
		expect(asked.length - before).toBe(1);
	});

	test('warns that it ignores images, and refuses a damaged image', async () => {
		const picture = (bytes: Uint8Array) => ({
			type: 'image_url',
			image_url: { url: `data:image/png;base64,${base64(bytes)}` },
		});
		const png = solidPng(16, 16, [1, 2, 3]);
		const { warnings } = await answerTo(body(text('What is this?'), picture(png)));
		expect(warnings?.join()).toContain('pictures');
		const response = await client.post(path, body(text('And this?'), picture(png.subarray(0, 40))));
		expect([response.status, await failure(response)]).toMatchObject([
			400,
			{ code: 'invalid_image', param: 'messages[0].content[1].image_url.url' },
		]);
	});

	test('accepts chat models only, and other routes refuse chat models', async () => {
		const image = await client.post(path, { ...body(text('a')), model: 'builtin-image' });
		expect([image.status, await failure(image)]).toMatchObject([404, { code: 'model_not_found' }]);
		const draw = { model: 'builtin-chat', prompt: 'a' };
		expect((await client.post('/v1/images/generations', draw)).status).toBe(404);
	});

	test('requires a key with its scope', async () => {
		const keys = served.app.service(keyRing);
		const codes = ['chat', 'images', undefined].map(async (scope) => {
			const key = scope && (await keys.issue({ tenant: 'a', scopes: [scope] })).key;
			const headers = { 'content-type': 'application/json', ...(key ? { 'x-api-key': key } : {}) };
			const init = { method: 'POST', headers, body: JSON.stringify(body(text('Hello'))) };
			return (await fetch(served.url + path, init)).status;
		});
		expect(await Promise.all(codes)).toEqual([200, 403, 401]);
	});

	test('supports no other method', async () => {
		for (const method of ['GET', 'PUT', 'DELETE']) {
			const response = await client.send(path, { method });
			expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
		}
	});
});

describe('the sizes of request bodies', () => {
	const send = (...parts: (string | Buffer)[]) =>
		client.send(path, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: new Blob(parts.map((part) => (typeof part === 'string' ? part : Uint8Array.from(part)))),
		});
	const head = '{"model":"echo-1","messages":[{"role":"user","content":[{"type":"text","text":"Hi"},';

	test('are at most 52,428,800 bytes for a file', async () => {
		const digits = (bytes: number) => Buffer.alloc(Math.ceil(bytes / 3) * 4, 'A');
		const part = `${head}{"type":"file","file":{"file_data":"`;
		const tooMuch = await send(part, digits(maxFile + 1), '"}}]}]}');
		expect([tooMuch.status, await failure(tooMuch)]).toMatchObject([
			413,
			{ code: 'request_too_large', param: 'messages[0].content[1].file.file_data' },
		]);
	});

	test('are at most 70 MB in total; more is refused before the body is sent', async () => {
		const headers = { 'content-type': 'application/json', 'content-length': `${maxBody + 1}` };
		const status = await new Promise((resolve, reject) => {
			const ask = request(served.url + path, {
				method: 'POST',
				headers: { ...headers, 'x-api-key': keyA },
			});
			ask.once('response', (response) => {
				resolve(response.statusCode);
				ask.destroy();
			});
			ask.once('error', reject);
			ask.flushHeaders();
		});
		expect(status).toBe(413);
	});

	test('are at most 2,048 messages', async () => {
		const messages = (count: number) => ({
			model: 'echo-1',
			messages: Array(count).fill({ role: 'user', content: 'Hi' }),
		});
		expect((await client.post(path, messages(2_048))).status).toBe(200);
		const response = await client.post(path, messages(2_049));
		expect([response.status, await failure(response)]).toMatchObject([400, { param: 'messages' }]);
	});
});
