import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { files } from '@plinth/plugin-files';
import { toFile as toFile7 } from 'openai';
import { toFile as toFile6 } from 'openai-v6';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Served, serveEmbedded } from '../support/serve.ts';
import { lines, type Sdk, sdkClient, type WatchedClient } from './sdk.ts';

const tenantOf = (name: string) => name.replace(/\W+/g, '-');
const keyOf = (name: string) => `key-of-${tenantOf(name)}`;
const text = 'first line\nsecond line\n';
const purpose = 'user_data';

let served: Served;
let path: string;

beforeAll(async () => {
	const keys = lines.map(({ name }) => `${tenantOf(name)}:${keyOf(name)}`).join(',');
	served = await serveEmbedded({ keys, plugins: { files: files() } });
	path = join(served.dataDir, 'lines.txt');
	await writeFile(path, text);
});

afterAll(() => served?.stop());

describe.each(lines)('$name', ({ name, OpenAI }) => {
	const toFile = (name === 'openai 6.x' ? toFile6 : toFile7) as typeof toFile7;
	let watched: WatchedClient;
	let client: Sdk;

	beforeAll(() => {
		watched = sdkClient(OpenAI, { url: served.url, key: keyOf(name), mode: 'Bearer only' });
		client = watched.client;
	});

	afterEach(() => expect(watched.violations).toEqual([]));

	test.each([
		['a stream from disk', () => createReadStream(path), 'lines.txt'],
		['a File', () => new File([text], 'a.txt', { type: 'text/plain' }), 'a.txt'],
		['bytes through toFile', () => toFile(Buffer.from(text), 'b.csv'), 'b.csv'],
		['a response of fetch', () => fetch(`data:text/plain,${encodeURIComponent(text)}`), undefined],
	])('uploads %s', async (_, make, filename) => {
		const file = await client.files.create({ file: await make(), purpose });
		expect(file).toMatchObject({
			object: 'file',
			bytes: text.length,
			purpose,
			status: 'processed',
		});
		expect(file.id).toMatch(/^file-/);
		if (filename) expect(file.filename).toBe(filename);
		expect(await (await client.files.content(file.id)).text()).toBe(text);
	});

	test('uploads with an expiry, and reads it back', async () => {
		const file = await client.files.create({
			file: createReadStream(path),
			purpose: 'vision',
			expires_after: { anchor: 'created_at', seconds: 7_200 },
		});
		expect(file.expires_at).toBe(file.created_at + 7_200);
		expect(await client.files.retrieve(file.id)).toEqual(file);
	});

	test('lists page by page, both ways and by purpose', async () => {
		const made: string[] = [];
		for (let i = 0; i < 5; i++) {
			const file = await toFile(Buffer.from(text), `${i}.txt`);
			made.push((await client.files.create({ file, purpose: 'evals' })).id);
		}
		for (const order of ['asc', 'desc'] as const) {
			const listed: string[] = [];
			for await (const { id } of client.files.list({ purpose: 'evals', limit: 2, order })) {
				listed.push(id);
			}
			expect(listed).toEqual(order === 'asc' ? made : made.toReversed());
		}
		const all = await client.files.list();
		expect(all.data.map(({ id }) => id)).toEqual(expect.arrayContaining(made));
	});

	test('waits for a file to be processed, and deletes it', async () => {
		const { id } = await client.files.create({ file: createReadStream(path), purpose });
		expect(await client.files.waitForProcessing(id)).toMatchObject({ status: 'processed' });
		expect(await client.files.delete(id)).toEqual({ id, object: 'file', deleted: true });
		for (const asking of [client.files.retrieve(id), client.files.content(id)]) {
			await expect(asking).rejects.toMatchObject({ status: 404, code: 'file_not_found' });
		}
	});

	test('gets the error of an invalid upload, and does not retry it', async () => {
		const before = watched.sent.length;
		const file = await toFile(Buffer.from(''), 'empty.txt');
		const sending = client.files.create({ file, purpose });
		await expect(sending).rejects.toBeInstanceOf(OpenAI.BadRequestError);
		await expect(sending).rejects.toMatchObject({ code: 'invalid_value', param: 'file' });
		expect(watched.sent.length).toBe(before + 1);
	});
});
