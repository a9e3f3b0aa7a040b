import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { fakeTranscription, heardWords } from '../support/fake-transcription.ts';
import { keyA, type Served, serveEmbedded } from '../support/serve.ts';
import { lines, sdkClient, type WatchedClient } from './sdk.ts';

let served: Served;
let path: string;
/** Speech of the built-in model, as MP3. */
let mp3: Buffer;

beforeAll(async () => {
	served = await serveEmbedded({ models: { 'hear-1': fakeTranscription() } });
	const speak = async (response_format: string) => {
		const response = await fetch(`${served.url}/v1/audio/speech`, {
			method: 'POST',
			headers: { 'x-api-key': keyA, 'content-type': 'application/json' },
			body: JSON.stringify({ model: 'builtin-speech', voice: 'nova', input: 'Good morning.', response_format }),
		});
		return Buffer.from(await response.arrayBuffer());
	};
	path = join(served.dataDir, 'said.wav');
	await writeFile(path, await speak('wav'));
	mp3 = await speak('mp3');
});

afterAll(() => served?.stop());

describe.each(lines)('transcription with $name', ({ OpenAI }) => {
	let watched: WatchedClient;
	const file = () => createReadStream(path);
	const model = 'hear-1';

	beforeAll(() => {
		watched = sdkClient(OpenAI, { url: served.url, key: keyA, mode: 'Bearer only' });
	});

	// Collected instead of thrown: the SDK would treat a throw as a broken connection and retry.
	afterEach(() => expect(watched.violations).toEqual([]));

	test('is text and usage', async () => {
		const made = await watched.client.audio.transcriptions.create({ file: file(), model, language: 'en', prompt: 'x' });
		expect(made.text).toBe(heardWords);
		expect(made.usage).toMatchObject({ type: 'duration', seconds: expect.any(Number) });
	});

	test('is plain text in three formats', async () => {
		const create = (response_format: 'text' | 'srt' | 'vtt') =>
			watched.client.audio.transcriptions.create({ file: file(), model, response_format });
		expect(await create('text')).toBe(`${heardWords}\n`);
		expect(await create('srt')).toMatch(/^1\n00:00:00,000 --> 00:00:00,500\nGood\n\n2\n/);
		expect(await create('vtt')).toMatch(/^WEBVTT\n\n00:00:00\.000 --> 00:00:00\.500\nGood\n/);
	});

	test('has segments and words as verbose_json', async () => {
		const made = await watched.client.audio.transcriptions.create({
			...{ file: file(), model, response_format: 'verbose_json', temperature: 0.2 },
			timestamp_granularities: ['word', 'segment'],
		});
		expect(made).toMatchObject({ text: heardWords, language: 'english', duration: expect.any(Number) });
		expect(made.segments?.map(({ id, text, temperature }) => [id, text, temperature])).toEqual([
			[0, 'Good', 0.2],
			[1, 'morning.', 0.2],
		]);
		expect(made.words?.map(({ word }) => word)).toEqual(['Good', 'morning.']);
	});

	test('is streamed', async () => {
		const stream = await watched.client.audio.transcriptions.create({ file: file(), model, stream: true });
		const events: { readonly type: string }[] = [];
		for await (const event of stream) events.push(event);
		expect(events.map(({ type }) => type)).toEqual([
			'transcript.text.delta',
			'transcript.text.delta',
			'transcript.text.done',
		]);
		expect(events.at(-1)).toMatchObject({ text: heardWords, usage: { type: 'duration' } });
	});

	test('decodes MP3, and a stored MP3 file', async () => {
		const { client } = watched;
		const sent = new File([Uint8Array.from(mp3)], 'said.mp3');
		const made = await client.audio.transcriptions.create({ file: sent, model });
		expect(made.text).toBe(heardWords);
		const { id } = await client.files.create({ file: sent, purpose: 'user_data' });
		const body = { file_id: id, model } as never;
		expect(await client.audio.transcriptions.create(body)).toMatchObject({ text: heardWords });
	});

	test('translates', async () => {
		const made = await watched.client.audio.translations.create({ file: file(), model });
		expect(made.text).toBe('translated');
	});

	test('fails like OpenAI', async () => {
		const { transcriptions } = watched.client.audio;
		const text = new File(['no sound'], 'a.wav');
		await expect(transcriptions.create({ file: text, model })).rejects.toMatchObject({ status: 400, param: 'file' });
		const unknown = transcriptions.create({ file: file(), model: 'whisper-1' });
		await expect(unknown).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
		const large = new File([new Uint8Array(27_262_976)], 'a.wav');
		await expect(transcriptions.create({ file: large, model })).rejects.toMatchObject({ status: 413 });
	});

	test('can be aborted', async () => {
		const leave = new AbortController();
		const made = watched.client.audio.transcriptions.create(
			{ file: file(), model, prompt: 'wait' },
			{ signal: leave.signal },
		);
		leave.abort();
		await expect(made).rejects.toThrow('aborted');
	});
});
