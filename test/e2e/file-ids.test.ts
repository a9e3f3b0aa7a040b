import { createHash } from 'node:crypto';
import { toFile } from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { lines, type Sdk, sdkClient, type WatchedClient } from '../clients/sdk.ts';
import { failure, type RawClient, rawClient } from '../support/client.ts';
import { fakeDocuments, type ReadDocument } from '../support/fake-documents.ts';
import { fakeImage, fakeVideo, type Recorded, type RecordedImage } from '../support/fake-models.ts';
import { rawPng, solidPng } from '../support/png.ts';
import { keyA, keyB, type Served, serveEmbedded } from '../support/serve.ts';

const edits: RecordedImage[] = [];
const videos: Recorded[] = [];
const read: ReadDocument[] = [];
const [photo, mask] = [rawPng(160, 120), solidPng(16, 12, [1, 2, 3])];
const bridge = 'The bridge was opened in 1932.';

let served: Served;
let raw: RawClient;
let watched: WatchedClient;
let client: Sdk;

beforeAll(async () => {
	served = await serveEmbedded({
		backends: { documents: fakeDocuments(read)() },
		models: { 'paint-1': fakeImage(edits), 'clip-1': fakeVideo(videos) },
	});
	raw = rawClient(served.url, keyA);
	const { OpenAI } = lines.at(-1) as (typeof lines)[number];
	watched = sdkClient(OpenAI, { url: served.url, key: keyA, mode: 'Bearer only' });
	({ client } = watched);
});

beforeEach(() => {
	read.length = 0;
	edits.length = 0;
	videos.length = 0;
});

afterAll(() => served?.stop());

async function uploaded(content: string | Uint8Array, name: string): Promise<string> {
	const file = await toFile(Buffer.from(content), name);
	return (await client.files.create({ file, purpose: 'user_data' })).id;
}

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

const asking = (...parts: object[]) => ({
	model: 'builtin-chat',
	messages: [{ role: 'user' as const, content: [{ type: 'text', text: 'When was it opened?' }, ...parts] }],
});
const stored = (file_id: string) => ({ type: 'file', file: { file_id } });

const edit = (file_id: string) => ({
	model: 'paint-1',
	prompt: 'a change',
	images: [{ file_id }, { file_id }],
});

function form(fields: Readonly<Record<string, string>>): RequestInit {
	const body = new FormData();
	for (const [name, value] of Object.entries(fields)) body.append(name, value);
	return { method: 'POST', body };
}

describe('a file that the SDK has uploaded', () => {
	test('is read by a chat, with its file name', async () => {
		const id = await uploaded(bridge, 'bridge.txt');
		const body = asking(stored(id)) as Parameters<Sdk['chat']['completions']['create']>[0];
		const response = await client.chat.completions.create({ ...body, stream: false });
		expect(response.choices[0]?.message.content).toMatch(/opened in 1932[\s\S]*bridge\.txt/);
		expect(watched.violations).toEqual([]);
	});

	test('is parsed once, however often a request names it', async () => {
		const id = await uploaded(`${bridge} Twice.`, 'twice.txt');
		const body = { files: [{ file_id: id }, { file_id: 'file-nothing' }, { file_id: id }] };
		const { results } = (await client.post('/api/attachments/parse', {
			body,
			path: `${served.url}/api/attachments/parse`,
		} as object)) as { results: readonly { filename?: string; error?: { code: string } }[] };
		expect(results.map(({ filename, error }) => [filename, error?.code])).toEqual([
			['twice.txt', undefined],
			[undefined, 'file_not_found'],
			['twice.txt', undefined],
		]);
		expect(read).toHaveLength(1);
	});

	test('is edited as an image, from JSON and from a form', async () => {
		const [image, over] = [await uploaded(photo, 'a.png'), await uploaded(mask, 'b.png')];
		expect((await raw.post('/v1/images/edits', edit(image))).status).toBe(200);
		const fields = { model: 'paint-1', prompt: 'a change', 'image[file_id]': over };
		expect((await raw.send('/v1/images/edits', form(fields))).status).toBe(200);
		const hashes = (pictures: readonly Uint8Array[] = []) => pictures.map(hashOf);
		expect(edits.map(({ sent }) => hashes(sent))).toEqual([hashes([photo, photo]), hashes([mask])]);
	});

	test('is the reference of a video, from JSON and from a form', async () => {
		const file_id = await uploaded(photo, 'a.png');
		const least = { model: 'clip-1', prompt: 'it moves' };
		const { id } = await raw.create({ ...least, input_reference: { file_id } });
		const fields = { ...least, 'input_reference[file_id]': file_id };
		const response = await raw.send('/v1/videos', form(fields));
		const second = (await response.json()) as { id: string };
		for (const video of [id, second.id]) await raw.finished(video);
		const hash = hashOf(photo);
		expect(videos.map(({ picture }) => hashOf(picture ?? Buffer.of()))).toEqual([hash, hash]);
	});

	test('is unknown to other tenants, and to its own after deletion', async () => {
		const id = await uploaded(photo, 'a.png');
		const otherTenant = rawClient(served.url, keyB);
		const requests = (file_id: string) =>
			[
				['/v1/chat/completions', asking(stored(file_id)), 'messages[0].content[1].file.file_id'],
				['/v1/images/edits', edit(file_id), 'images[0].file_id'],
				['/v1/videos', { model: 'clip-1', prompt: 'x', input_reference: { file_id } }, 'input_reference.file_id'],
			] as const;
		const refusals = async (who: RawClient, file_id: string) =>
			Promise.all(
				requests(file_id).map(async ([path, body, param]) => {
					const response = await who.post(path, body);
					const { message, ...rest } = await failure(response);
					expect([response.status, rest]).toMatchObject([400, { code: 'invalid_value', param }]);
					return message.replaceAll(file_id, 'ID');
				}),
			);
		const unknown = await refusals(raw, 'file-unknown');
		expect(await refusals(otherTenant, id)).toEqual(unknown);
		await client.files.delete(id);
		expect(await refusals(raw, id)).toEqual(unknown);
	});
});
