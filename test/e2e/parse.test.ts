import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { keyRing } from '@plinth/keys';
import { eventually } from '@plinth/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { failure, type RawClient, rawClient } from '../support/client.ts';
import { fakeDocuments, type ReadDocument } from '../support/fake-documents.ts';
import { type Gate, gate } from '../support/fake-models.ts';
import { keyA, keyB, type Served, serveEmbedded } from '../support/serve.ts';

const path = '/api/attachments/parse';
const maxFile = 52_428_800;

interface Parsed {
	readonly results: readonly {
		readonly filename?: string;
		readonly content: { readonly pages?: readonly { readonly text: string }[] };
		readonly error?: { readonly code: string; readonly message: string };
	}[];
}

const asked: ReadDocument[] = [];
let held: Gate | undefined;
let served: Served;
let client: RawClient;

beforeAll(async () => {
	const documents = fakeDocuments(asked, async ({ bytes, run }) => {
		if (!held || !Buffer.from(bytes).toString().startsWith('held')) return;
		held.reach();
		const left = new Promise<void>((resolve) => run?.signal?.addEventListener('abort', () => resolve()));
		await Promise.race([held.opened, left]);
		run?.signal?.throwIfAborted();
	});
	served = await serveEmbedded({ backends: { documents: documents() } });
	client = rawClient(served.url, keyA);
});

beforeEach(() => {
	asked.length = 0;
	held = undefined;
});

afterAll(() => served?.stop());

const base64 = (text: string | Uint8Array) => Buffer.from(text).toString('base64');
const file = (text: string, labels: object = {}) => ({
	url: `data:application/pdf;base64,${base64(text)}`,
	...labels,
});

function form(parts: readonly (readonly [name: string, value: string | Blob])[]): FormData {
	const data = new FormData();
	for (const [name, value] of parts) data.append(name, value as string);
	return data;
}

/** The text or the error code of each document. */
async function textsOf(response: Response): Promise<readonly (string | undefined)[]> {
	expect(response.status).toBe(200);
	const { results } = (await response.json()) as Parsed;
	return results.map(({ content, error }) => error?.code ?? content.pages?.[0]?.text);
}

describe('POST /api/attachments/parse', () => {
	test('returns results in the order of the request, even with invalid documents', async () => {
		const files = [file('first'), file('broken'), { url: 'data:;base64,!' }, file('last')];
		const code = 'document_unreadable';
		const texts = ['first', code, code, 'last'];
		expect(await textsOf(await client.post(path, { files }))).toEqual(texts);
		const blobs = ['first', 'broken', '', 'last'].map((text) => ['files', new Blob([text])] as const);
		const body = form(blobs.map(([name, blob], at) => [name, new File([blob], `${at}.pdf`)]));
		const response = await client.send(path, { method: 'POST', body });
		expect(await textsOf(response)).toEqual(['first', code, code, 'last']);
	});

	test('accepts documents of any length, as data URLs, as plain base64 and as files', async () => {
		const text = `long ${'x'.repeat(300_000)}`;
		const files = [file(text), { url: base64(text) }, { url: base64('short') }];
		expect((await textsOf(await client.post(path, { files }))).map((each) => each?.slice(0, 5))).toEqual([
			'long ',
			'long ',
			'short',
		]);
		const body = form([['file', new File([text], 'a.txt')]]);
		const [sent] = ((await (await client.send(path, { method: 'POST', body })).json()) as Parsed).results;
		expect(sent?.filename).toBe('a.txt');
	});

	test('parses equal documents once, even if several tenants send them in several ways', async () => {
		const text = `once ${'x'.repeat(100_000)}`;
		const body = form([['files[]', new File([text], 'b.pdf')]]);
		const responses = [
			await client.post(path, { files: [file(text, { filename: 'a' }), file(text)] }),
			await client.send(path, { method: 'POST', body }),
			await rawClient(served.url, keyB).post(path, { files: [{ url: base64(text) }] }),
		];
		expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
		expect(asked).toHaveLength(1);
	});

	test.each<readonly [string, object, string, string]>([
		['no files', {}, 'missing_required_parameter', 'files'],
		['no url', { files: [file('x'), {}] }, 'missing_required_parameter', 'files[1].url'],
		['an address', { files: [{ url: 'https://example.org/a.pdf' }] }, 'invalid_value', 'files[0].url'],
		['a file_id beside url', { files: [file('x', { file_id: 'file-1' })] }, 'invalid_value', 'files[0]'],
		['65 documents', { files: Array(65).fill(file('x')) }, 'invalid_value', 'files'],
		['pages that end too early', { files: [file('x')], pages: '1,5-3' }, 'invalid_value', 'pages'],
		['too many characters', { files: [file('x')], max_chars: 20_000_001 }, 'integer_above_max_value', 'max_chars'],
	])('refuses %s with the name of the parameter', async (_, body, code, param) => {
		const response = await client.post(path, body);
		expect([response.status, await failure(response)]).toMatchObject([400, { code, param }]);
		expect(asked).toEqual([]);
	});

	test('supports no other method and no other path', async () => {
		for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
			const response = await client.send(path, { method });
			expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
		}
		expect((await client.send(`${path}/1`, { method: 'POST' })).status).toBe(404);
		expect((await client.post(`/v1${path}`, {})).status).toBe(404);
	});

	test('requires a key with its scope', async () => {
		const keys = served.app.service(keyRing);
		const codes = ['documents', 'images', undefined].map(async (scope) => {
			const key = scope && (await keys.issue({ tenant: 'a', scopes: [scope] })).key;
			const headers = { 'content-type': 'application/json', ...(key ? { 'x-api-key': key } : {}) };
			const body = JSON.stringify({ files: [file('x')] });
			return (await fetch(served.url + path, { method: 'POST', headers, body })).status;
		});
		expect(await Promise.all(codes)).toEqual([200, 403, 401]);
	});
});

describe('the sizes of documents', () => {
	test('in a form are at most 52,428,800 bytes', async () => {
		const largest = new File([Buffer.alloc(maxFile, 'x')], 'a.txt');
		const post = (file: File) => client.send(path, { method: 'POST', body: form([['files', file]]) });
		expect((await post(largest)).status).toBe(200);
	});

	test('are the same in JSON', async () => {
		// Base64 of one byte more than allowed.
		const digits = Buffer.alloc(Math.ceil((maxFile + 1) / 3) * 4, 'A');
		const body = Buffer.concat([
			Buffer.from(`{"files":[${JSON.stringify(file('x'))},{"url":"`),
			digits,
			Buffer.from('"}]}'),
		]);
		const headers = { 'content-type': 'application/json' };
		const response = await client.send(path, { method: 'POST', headers, body });
		expect([response.status, await failure(response)]).toMatchObject([
			413,
			{ code: 'request_too_large', param: 'files[1].url' },
		]);
	});

	test('are at most 64 documents, in a form, too', async () => {
		const post = (count: number) =>
			client.send(path, {
				method: 'POST',
				body: form(Array.from({ length: count }, (_, at) => ['files[]', new File([`${at}`], 'a')])),
			});
		expect(await textsOf(await post(64))).toHaveLength(64);
		expect((await post(65)).status).toBe(413);
	});

	test.each([
		['application/json', 104_857_601],
		['multipart/form-data; boundary=x', 209_715_201],
	])('are limited in total, before the body is sent: %s', async (type, length) => {
		const headers = { 'x-api-key': keyA, 'content-type': type, 'content-length': length };
		const sending = request(served.url + path, { method: 'POST', headers });
		const answered = new Promise<unknown[]>((resolve, reject) => {
			sending.on('error', reject);
			sending.on('response', async (response) => resolve([response.statusCode, await json(response)]));
		});
		sending.flushHeaders();
		const response = await answered;
		sending.destroy();
		expect(response).toMatchObject([413, { error: { code: 'request_too_large' } }]);
	});
});

describe('a document that takes long', () => {
	test('is aborted within a second when the client disconnects', async () => {
		held = gate();
		const leaving = new AbortController();
		const response = client.send(path, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ files: [file('held 1'), file('second'), file('third')] }),
			signal: leaving.signal,
		});
		await held.reached;
		const left = performance.now();
		leaving.abort();
		await response.catch(() => {});
		await eventually('the signal of the reader has aborted', () => asked[0]?.run?.signal?.aborted === true, 1_000);
		expect(performance.now() - left).toBeLessThan(1_000);
	});

	test('does not delay another tenant', async () => {
		held = gate();
		const files = Array.from({ length: 10 }, (_, at) => file(`held by many ${at}`));
		const many = client.post(path, { files });
		await held.reached;
		const other = rawClient(served.url, keyB).post(path, { files: [file('of another tenant')] });
		expect(await textsOf(await other)).toEqual(['of another tenant']);
		expect(asked.length).toBeLessThan(5);
		held.open();
		expect(await textsOf(await many)).toHaveLength(10);
	});
});
