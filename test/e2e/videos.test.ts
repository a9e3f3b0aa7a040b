import { request } from 'node:http';
import { eventually } from '@plinth/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RawClient, rawClient, type WireList, type WireVideo } from '../support/client.ts';
import { fakeVideo, gate, heldVideo, type Recorded } from '../support/fake-models.ts';
import { solidPng } from '../support/png.ts';
import { keyA, type Served, serveEmbedded } from '../support/serve.ts';

const wireKeys = [
	'completed_at',
	'created_at',
	'error',
	'expires_at',
	'id',
	'model',
	'object',
	'progress',
	'progress_percent',
	'prompt',
	'remixed_from_video_id',
	'seconds',
	'size',
	'status',
];
const picture = solidPng(32, 32, [10, 200, 90]);
const dataUrl = `data:image/png;base64,${Buffer.from(picture).toString('base64')}`;
const seen: Recorded[] = [];
const held = gate();

let served: Served;
let client: RawClient;

beforeAll(async () => {
	const models = { 'instant-1': fakeVideo(seen), 'held-1': heldVideo(held) };
	served = await serveEmbedded({ models });
	client = rawClient(served.url, keyA);
});

afterAll(async () => {
	held.open();
	await served?.stop();
});

describe('a video job', () => {
	test('has all its members from the first response on', async () => {
		const video = await client.create({ model: 'held-1', prompt: 'keys' });
		await client.send(`/v1/videos/${video.id}`, { method: 'DELETE' });
		expect(Object.keys(video).sort()).toEqual(wireKeys);
	});

	test('has its progress and a retry interval while it is rendered', async () => {
		const { id } = await client.create({ model: 'held-1', prompt: 'progress' });
		let response = await client.send(`/v1/videos/${id}`);
		let video = (await response.json()) as WireVideo;
		await eventually('half of the progress is reported', async () => {
			response = await client.send(`/v1/videos/${id}`);
			video = (await response.json()) as WireVideo;
			return video.progress > 0;
		});
		await client.send(`/v1/videos/${id}`, { method: 'DELETE' });
		expect(video).toMatchObject({ status: 'in_progress', progress: 0.5, progress_percent: 50 });
		expect(response.headers.get('openai-poll-after-ms')).toBe('5000');
	});

	test('has progress 1 and an expiry once it is completed', async () => {
		const { id } = await client.create({ model: 'instant-1', prompt: 'done' });
		const video = await client.finished(id);
		expect(video).toMatchObject({ status: 'completed', progress: 1, progress_percent: 100 });
		expect((video.expires_at ?? 0) - (video.completed_at ?? 0)).toBe(24 * 3600);
	});

	test('accepts its length as a number, too', async () => {
		const video = await client.create({ model: 'instant-1', prompt: 'x', seconds: 8 });
		expect(video.seconds).toBe('8');
	});

	test.each([
		['the same Idempotency-Key', { 'idempotency-key': 'once' }, { 'idempotency-key': 'once' }],
		['a retry by the SDK', {}, { 'x-stainless-retry-count': '1' }],
	])('is created once for two requests with %s', async (prompt, first, second) => {
		const send = async (headers: Record<string, string>) => {
			const response = await client.send('/v1/videos', {
				method: 'POST',
				headers: { 'content-type': 'application/json', ...headers },
				body: JSON.stringify({ model: 'instant-1', prompt }),
			});
			return ((await response.json()) as WireVideo).id;
		};
		expect(await send(first)).toBe(await send(second));
	});

	test('that is deleted while it is rendered stays deleted', async () => {
		const { id } = await client.create({ model: 'held-1', prompt: 'stop' });
		const response = await client.send(`/v1/videos/${id}`, { method: 'DELETE' });
		expect(await response.json()).toEqual({ id, object: 'video.deleted', deleted: true });
		expect((await client.send(`/v1/videos/${id}`)).status).toBe(404);
	});

	test('is 404 for a second delete', async () => {
		const { id } = await client.create({ model: 'instant-1', prompt: 'twice' });
		await client.send(`/v1/videos/${id}`, { method: 'DELETE' });
		expect((await client.send(`/v1/videos/${id}`, { method: 'DELETE' })).status).toBe(404);
	});
});

describe('a reference picture reaches the model', () => {
	const pictureOf = async (prompt: string, video: WireVideo) => {
		await client.finished(video.id);
		return seen.find((each) => each.prompt === prompt)?.picture;
	};

	test('from a form whose file comes first and that has no length', async () => {
		const video = await streamedForm('file first');
		expect(await pictureOf('file first', video)).toEqual(Buffer.from(picture));
	});

	test('from a form field with a data URL', async () => {
		const form = new FormData();
		form.set('model', 'instant-1');
		form.set('prompt', 'form URL');
		form.set('input_reference[image_url]', dataUrl);
		const response = await client.send('/v1/videos', { method: 'POST', body: form });
		const video = (await response.json()) as WireVideo;
		expect(await pictureOf('form URL', video)).toEqual(Buffer.from(picture));
	});

	test('from JSON with a data URL', async () => {
		const input_reference = { image_url: dataUrl };
		const video = await client.create({ model: 'instant-1', prompt: 'JSON URL', input_reference });
		expect(await pictureOf('JSON URL', video)).toEqual(Buffer.from(picture));
	});

	test('with the media type of its bytes, whatever the client declared', async () => {
		const form = new FormData();
		form.set('model', 'instant-1');
		form.set('prompt', 'honest type');
		form.set('input_reference', new File([picture], 'x.jpg', { type: 'image/jpeg' }));
		const response = await client.send('/v1/videos', { method: 'POST', body: form });
		await client.finished(((await response.json()) as WireVideo).id);
		const asked = seen.find(({ prompt }) => prompt === 'honest type');
		expect(asked?.reference?.mediaType).toBe('image/png');
	});

	test('unless it is not an image', async () => {
		const form = new FormData();
		form.set('model', 'instant-1');
		form.set('prompt', 'no picture');
		form.set('input_reference', new File(['plain text'], 'x.png', { type: 'image/png' }));
		const response = await client.send('/v1/videos', { method: 'POST', body: form });
		expect([response.status, await response.json()]).toMatchObject([
			400,
			{ error: { param: 'input_reference', code: 'invalid_image' } },
		]);
	});
});

describe('a list', () => {
	test('has its first and last id, and has_more', async () => {
		for (const prompt of ['1', '2', '3']) await client.create({ model: 'instant-1', prompt });
		const page = await client.json<WireList>('/v1/videos?limit=2');
		expect(page).toMatchObject({
			object: 'list',
			first_id: page.data[0]?.id,
			last_id: page.data[1]?.id,
			has_more: true,
		});
	});

	test('is empty and valid for limit 0', async () => {
		const page = await client.json<WireList>('/v1/videos?limit=0');
		expect(page).toMatchObject({ data: [], first_id: null, last_id: null });
	});

	test('continues after a video that was deleted', async () => {
		const [page] = [await client.json<WireList>('/v1/videos?limit=2')];
		await client.send(`/v1/videos/${page.last_id}`, { method: 'DELETE' });
		const next = await client.json<WireList>(`/v1/videos?limit=1&after=${page.last_id}`);
		expect(next.data.map(({ id }) => id < (page.last_id ?? ''))).toEqual([true]);
	});
});

/** A form as the SDK streams it: chunked, the file first and without a known type. */
function streamedForm(prompt: string): Promise<WireVideo> {
	const part = (head: string, body: string | Uint8Array) =>
		Buffer.concat([
			Buffer.from(`--edge\r\ncontent-disposition: form-data; ${head}\r\n\r\n`),
			Buffer.from(body as Uint8Array),
			Buffer.from('\r\n'),
		]);
	const type = 'content-type: application/octet-stream';
	return new Promise((resolve, reject) => {
		const sent = request(`${served.url}/v1/videos`, {
			method: 'POST',
			headers: { 'x-api-key': keyA, 'content-type': 'multipart/form-data; boundary=edge' },
		});
		sent.on('error', reject);
		sent.on('response', async (response) => {
			let text = '';
			for await (const chunk of response) text += chunk;
			resolve(JSON.parse(text) as WireVideo);
		});
		sent.write(part(`name="input_reference"; filename="x"\r\n${type}`, picture));
		sent.write(part('name="model"', 'instant-1'));
		sent.write(part('name="prompt"', prompt));
		sent.end('--edge--\r\n');
	});
}
