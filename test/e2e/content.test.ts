import { video } from '@plinth/plugin-video';
import { eventually } from '@plinth/testing';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failure, type RawClient, rawClient } from '../support/client.ts';
import { fakeVideo, gate, heldVideo, tinyMp4, tinyPoster, tinySheet } from '../support/fake-models.ts';
import { keyA, type Served, serveEmbedded } from '../support/serve.ts';

const held = gate();
let served: Served;
let client: RawClient;
let content: string;

beforeAll(async () => {
	const models = { 'instant-1': fakeVideo(), 'held-1': heldVideo(held) };
	served = await serveEmbedded({ models });
	client = rawClient(served.url, keyA);
	const { id } = await client.create({ model: 'instant-1', prompt: 'content' });
	content = `/v1/videos/${(await client.finished(id)).id}/content`;
});

afterAll(async () => {
	held.open();
	await served?.stop();
});

describe('the content of a video', () => {
	test('is an MP4 with its length and a name', async () => {
		const { headers } = await client.send(content);
		expect(Object.fromEntries(headers)).toMatchObject({
			'content-type': 'video/mp4',
			'content-length': String(tinyMp4.length),
			'accept-ranges': 'bytes',
			'content-disposition': expect.stringMatching(/filename="?video_\w+\.mp4"?/),
			etag: expect.stringMatching(/^"[^"]+"$/),
		});
	});

	test('arrives whole', async () => {
		expect(await client.bytes(content)).toEqual(tinyMp4);
	});

	test('has the headers of GET for HEAD, and no body', async () => {
		const [head, whole] = [await client.send(content, { method: 'HEAD' }), await client.send(content)];
		const names = ['content-type', 'content-length', 'accept-ranges', 'etag', 'content-disposition'];
		const pick = ({ headers }: Response) => names.map((name) => headers.get(name));
		expect([head.status, pick(head)]).toEqual([200, pick(whole)]);
		expect(await head.text()).toBe('');
	});

	test.each([
		['a window', 'bytes=100-199', 100, 199],
		['an open end', 'bytes=4000-', 4_000, tinyMp4.length - 1],
		['the last bytes', 'bytes=-20', tinyMp4.length - 20, tinyMp4.length - 1],
		['more than its length', 'bytes=4000-999999', 4_000, tinyMp4.length - 1],
	])('supports ranges: %s', async (_sentence, range, start, end) => {
		const response = await client.send(content, { headers: { range } });
		expect(response.status).toBe(206);
		expect(response.headers.get('content-range')).toBe(`bytes ${start}-${end}/${tinyMp4.length}`);
		expect(new Uint8Array(await response.arrayBuffer())).toEqual(tinyMp4.slice(start, end + 1));
	});

	test('answers 416 with its length to a range after its end', async () => {
		const response = await client.send(content, { headers: { range: 'bytes=99999-' } });
		expect(response.status).toBe(416);
		expect(response.headers.get('content-range')).toBe(`bytes */${tinyMp4.length}`);
	});

	test.each([
		['several ranges', { range: 'bytes=0-1,5-6' }],
		['another unit', { range: 'frames=0-1' }],
		['a range of an older version', { range: 'bytes=0-1', 'if-range': '"older"' }],
	])('is sent completely for %s', async (_sentence, headers) => {
		expect((await client.send(content, { headers })).status).toBe(200);
	});

	test('is sent partially when the version is unchanged', async () => {
		const etag = (await client.send(content)).headers.get('etag') ?? '';
		const headers = { range: 'bytes=0-9', 'if-range': etag };
		expect((await client.send(content, { headers })).status).toBe(206);
	});

	test('answers 304 without a body to a client with the current version', async () => {
		const etag = (await client.send(content)).headers.get('etag') ?? '';
		const response = await client.send(content, { headers: { 'if-none-match': `"x", ${etag}` } });
		expect([response.status, response.headers.get('etag'), await response.text()]).toEqual([304, etag, '']);
	});

	test('is served for any Accept header', async () => {
		const response = await client.send(content, { headers: { accept: 'application/binary' } });
		expect(response.status).toBe(200);
	});
});

describe('the thumbnail', () => {
	test('is the picture that the model made', async () => {
		expect(await client.bytes(`${content}?variant=thumbnail`)).toEqual(tinyPoster);
	});

	test('is 404 when the model made none', async () => {
		held.open();
		const { id } = await client.create({ model: 'held-1', prompt: 'no poster' });
		await client.finished(id);
		const response = await client.send(`/v1/videos/${id}/content?variant=thumbnail`);
		expect([response.status, (await failure(response)).code]).toEqual([404, 'thumbnail_not_found']);
	});

	test('is one of three variants', async () => {
		const response = await client.send(`${content}?variant=poster`);
		expect([response.status, (await failure(response)).param]).toEqual([400, 'variant']);
	});
});

describe('the spritesheet', () => {
	test('is the JPEG that the model made', async () => {
		const { headers } = await client.send(`${content}?variant=spritesheet`);
		expect(headers.get('content-type')).toBe('image/jpeg');
		expect(await client.bytes(`${content}?variant=spritesheet`)).toEqual(tinySheet);
	});

	test('of the built-in model shows frames in rows', async () => {
		const fields = { model: 'builtin-video', prompt: 'A forest in the rain', seconds: '2', size: '640x480' };
		const { id } = await client.create(fields);
		await client.finished(id);
		const bytes = await client.bytes(`/v1/videos/${id}/content?variant=spritesheet`);
		expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', width: 640, height: 360 });
	});

	test('is 404 when the model made none', async () => {
		held.open();
		const { id } = await client.create({ model: 'held-1', prompt: 'no sheet' });
		await client.finished(id);
		const response = await client.send(`/v1/videos/${id}/content?variant=spritesheet`);
		expect([response.status, (await failure(response)).code]).toEqual([404, 'spritesheet_not_found']);
	});
});

describe('content that does not exist', () => {
	test('is 404 without retries while the video is not completed', async () => {
		const { id } = await client.create({ model: 'builtin-video', prompt: 'slow', seconds: '12' });
		const response = await client.send(`/v1/videos/${id}/content`);
		await client.send(`/v1/videos/${id}`, { method: 'DELETE' });
		expect([response.status, response.headers.get('x-should-retry')]).toEqual([404, 'false']);
	});

	test('is 404 when the video failed', async () => {
		const { id } = await client.create({ model: 'instant-1', prompt: 'fail: no paint' });
		await client.finished(id);
		expect((await client.send(`/v1/videos/${id}/content`)).status).toBe(404);
	});

	test('is 404 video_expired after its expiry, although the job still exists', async () => {
		const plugins = { video: video({ retentionHours: 0.5 / 3600 }) };
		const short = await serveEmbedded({ models: { 'instant-1': fakeVideo() }, plugins });
		const raw = rawClient(short.url, keyA);
		const { id } = await raw.create({ model: 'instant-1', prompt: 'soon gone' });
		await raw.finished(id);
		let code: string | null = null;
		await eventually('the content is deleted', async () => {
			const response = await raw.send(`/v1/videos/${id}/content`);
			code = response.status === 404 ? (await failure(response)).code : null;
			return response.status === 404;
		});
		const job = await raw.send(`/v1/videos/${id}`);
		await short.stop();
		expect([code, job.status]).toEqual(['video_expired', 200]);
	});
});
