import { createReadStream } from 'node:fs';
import { expect, test } from 'vitest';
import type { Recorded } from '../support/fake-models.ts';
import { tinyMp4, tinyPoster, tinySheet } from '../support/fake-models.ts';
import type { Sdk } from './sdk.ts';

/** The fixture of one run of the suite. Its tenant has only videos of this run. */
export interface Subject {
	readonly client: Sdk;
	/** The calls of the fake model. */
	readonly requests: readonly Recorded[];
	/** A PNG file, and its bytes. */
	readonly picture: { readonly path: string; readonly bytes: Uint8Array<ArrayBuffer> };
}

/** The id of the fake video model. */
export const model = 'instant-1';

// The API accepts lengths and sizes that the types of the SDK do not list.
export const shortest = '2' as '4';
export const smallest = '640x480' as '720x1280';

/** Polls as in the documentation of the SDK, with a shorter delay. */
export async function pollUntilDone(client: Sdk, id: string) {
	for (;;) {
		const video = await client.videos.retrieve(id);
		if (video.status === 'completed' || video.status === 'failed') return video;
		await new Promise((resolve) => setTimeout(resolve, 10));
	}
}

/** All supported features, with one SDK line in one authentication mode. */
export function worksLikeOpenAI(subject: () => Subject): void {
	const make = (prompt: string) => subject().client.videos.create({ model, prompt });
	const asked = (prompt: string) => subject().requests.find((each) => each.prompt === prompt);

	test('lists the models', async () => {
		const ids = (await subject().client.models.list()).data.map(({ id }) => id);
		expect(ids).toEqual(expect.arrayContaining([model, 'builtin-video', 'builtin-speech']));
	});

	test('retrieves one model', async () => {
		const found = await subject().client.models.retrieve(model);
		expect(found).toMatchObject({ id: model, object: 'model', owned_by: expect.any(String) });
	});

	test('creates a video without a file, with all 13 members in the response', async () => {
		const video = await make('no file');
		expect(video).toMatchObject({
			id: expect.stringMatching(/^video_/),
			object: 'video',
			model,
			status: expect.stringMatching(/^(queued|in_progress|completed)$/),
			progress: expect.any(Number),
			created_at: expect.any(Number),
			prompt: 'no file',
			seconds: '4',
			size: '720x1280',
			remixed_from_video_id: null,
			error: null,
		});
		expect(Object.keys(video)).toEqual(expect.arrayContaining(['completed_at', 'expires_at']));
	});

	test('creates a video with a member that the server does not know, and names it in warnings', async () => {
		const body = { model, prompt: 'unknown member', guidance: 7 };
		const video = await subject().client.videos.create(body);
		expect(video).toMatchObject({ object: 'video', warnings: [expect.stringContaining('guidance')] });
	});

	test('creates a video of the requested length and size', async () => {
		const prompt = 'length and size';
		const video = await subject().client.videos.create({
			model,
			prompt,
			seconds: shortest,
			size: smallest,
		});
		expect(video).toMatchObject({ seconds: '2', size: '640x480' });
	});

	test('creates a video from a File', async () => {
		const { client, picture } = subject();
		const input_reference = new File([picture.bytes], 'start.png', { type: 'image/png' });
		const { id } = await client.videos.create({ model, prompt: 'a File', input_reference });
		await pollUntilDone(client, id);
		expect(asked('a File')?.picture).toEqual(Buffer.from(picture.bytes));
	});

	test('creates a video from a read stream that comes before the other fields', async () => {
		const { client, picture } = subject();
		const input_reference = createReadStream(picture.path);
		const { id } = await client.videos.create({ input_reference, prompt: 'a stream', model });
		await pollUntilDone(client, id);
		expect(asked('a stream')?.picture).toEqual(Buffer.from(picture.bytes));
	});

	test('polls until the video is completed', async () => {
		const { client } = subject();
		const video = await pollUntilDone(client, (await make('poll me')).id);
		expect(video).toMatchObject({ status: 'completed', progress: 1, error: null });
		expect((video.expires_at ?? 0) - (video.completed_at ?? 0)).toBe(24 * 3600);
	});

	test('returns the error of a failed video', async () => {
		const { client } = subject();
		const video = await pollUntilDone(client, (await make('fail: no paint left')).id);
		expect(video).toMatchObject({ status: 'failed', error: { message: 'no paint left' } });
	});

	test('downloads the video', async () => {
		const { client } = subject();
		const { id } = await pollUntilDone(client, (await make('download me')).id);
		const response = await client.videos.downloadContent(id);
		expect(response.headers.get('content-type')).toBe('video/mp4');
		expect(new Uint8Array(await response.arrayBuffer())).toEqual(tinyMp4);
	});

	test('downloads the thumbnail', async () => {
		const { client } = subject();
		const { id } = await pollUntilDone(client, (await make('a thumbnail')).id);
		const response = await client.videos.downloadContent(id, { variant: 'thumbnail' });
		expect(response.headers.get('content-type')).toBe('image/png');
		expect(new Uint8Array(await response.arrayBuffer())).toEqual(tinyPoster);
	});

	test('downloads the spritesheet', async () => {
		const { client } = subject();
		const { id } = await pollUntilDone(client, (await make('a spritesheet')).id);
		const response = await client.videos.downloadContent(id, { variant: 'spritesheet' });
		expect(response.headers.get('content-type')).toBe('image/jpeg');
		expect(new Uint8Array(await response.arrayBuffer())).toEqual(tinySheet);
	});

	test('returns a URL for a completed video that needs no key', async () => {
		const { client } = subject();
		const video = (await pollUntilDone(client, (await make('a link')).id)) as { url?: string };
		const response = await fetch(video.url ?? '', { headers: { range: 'bytes=4-7' } });
		expect([response.status, await response.text()]).toEqual([206, 'ftyp']);
	});

	test('remixes a video', async () => {
		const { client } = subject();
		const { id } = await pollUntilDone(client, (await make('the original')).id);
		const remix = await client.videos.remix(id, { prompt: 'the remix' });
		expect(remix).toMatchObject({ prompt: 'the remix', remixed_from_video_id: id });
		await pollUntilDone(client, remix.id);
		expect(asked('the remix')?.remixOf).toEqual({ prompt: 'the original' });
	});

	test('deletes a video', async () => {
		const { client } = subject();
		const { id } = await make('delete me');
		expect(await client.videos.delete(id)).toEqual({ id, object: 'video.deleted', deleted: true });
		await expect(client.videos.retrieve(id)).rejects.toMatchObject({ status: 404 });
	});

	test('lists every video once over several pages, the newest first', async () => {
		const { client } = subject();
		const made = [];
		for (let index = 0; index < 5; index++) made.push((await make(`page ${index}`)).id);
		const listed: string[] = [];
		for await (const { id } of client.videos.list({ limit: 2 })) listed.push(id);
		expect(listed.slice(0, 5)).toEqual(made.toReversed());
		expect(new Set(listed).size).toBe(listed.length);
	});

	test('lists in the other direction', async () => {
		const { client } = subject();
		const listed: string[] = [];
		for await (const { id } of client.videos.list({ limit: 3, order: 'asc' })) listed.push(id);
		expect(listed).toEqual(listed.toSorted());
	});

	test('deletes all videos while it lists them', async () => {
		const { client } = subject();
		for (let index = 0; index < 5; index++) await make(`to go ${index}`);
		for await (const { id } of client.videos.list({ limit: 2 })) await client.videos.delete(id);
		expect((await client.videos.list()).data).toEqual([]);
	});

	test('returns MP3 speech by default', async () => {
		const response = await subject().client.audio.speech.create({
			model: 'builtin-speech',
			voice: 'nova',
			input: 'Good morning.',
		});
		expect(response.headers.get('content-type')).toBe('audio/mpeg');
		// The sync word of the first frame (ISO/IEC 11172-3, 2.4.2.3).
		const bytes = Buffer.from(await response.arrayBuffer());
		expect(bytes.readUInt16BE(0) & 0xffe0).toBe(0xffe0);
	});

	test('speaks WAV', async () => {
		const response = await subject().client.audio.speech.create({
			model: 'builtin-speech',
			voice: 'nova',
			input: 'Good morning.',
			response_format: 'wav',
		});
		expect(response.headers.get('content-type')).toBe('audio/wav');
		const bytes = Buffer.from(await response.arrayBuffer());
		expect(bytes.toString('latin1', 0, 4)).toBe('RIFF');
		expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8);
	});

	test('speaks PCM', async () => {
		const response = await subject().client.audio.speech.create({
			model: 'builtin-speech',
			voice: 'onyx',
			input: 'Good morning.',
			response_format: 'pcm',
		});
		expect(response.headers.get('content-type')).toBe('audio/pcm');
		expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(24_000);
	});
}
