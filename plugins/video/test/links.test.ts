import { memoryRecords } from '@plinth/memory';
import { errorOf } from '@plinth/testing';
import { describe, expect, it } from 'vitest';
import type { Video } from '../src/wire.ts';
import { type Harness, harness, mp4 } from './harness.ts';

const bytes = mp4('0123456789');
const hour = 3_600_000;

/** A server that stores records, and a completed video on it. */
async function linked(options: Parameters<typeof harness>[0] = {}) {
	const h = await harness(options, { records: memoryRecords() }, { publicUrl: 'https://videos.test/ai' });
	h.model.generate = async () => ({ body: bytes, mediaType: 'video/mp4' });
	const video = await h.finish();
	return { h, video, url: new URL(String(video.url)) };
}

const read = async (h: Harness, id: string) => (await (await h.get(`/v1/videos/${id}`)).json()) as Video;

/** Sends a request to the path of a public URL, without a key. */
function open(h: Harness, { pathname, search }: URL, headers: Record<string, string> = {}, method = 'GET') {
	return h.send(method, `${pathname.replace('/ai/', '/')}${search}`, { key: null, headers });
}

async function refusal(h: Harness, url: URL) {
	const { status, code } = await errorOf(await open(h, url));
	return [status, code];
}

describe('the url of a completed video', () => {
	it('serves the video without a key, also to pages of other origins', async () => {
		const { h, video, url } = await linked();
		expect(url.href).toMatch(/^https:\/\/videos\.test\/ai\/v1\/videos\/results\/[^/]+\.mp4\?signature=[0-9a-f]{64}$/);
		const response = await open(h, url);
		expect(response.status).toBe(200);
		expect(Object.fromEntries(response.headers)).toMatchObject({
			'content-type': 'video/mp4',
			'content-length': String(bytes.length),
			'accept-ranges': 'bytes',
			'cross-origin-resource-policy': 'cross-origin',
			'cache-control': expect.stringMatching(/^private, max-age=\d+$/),
			'last-modified': new Date(Number(video.completed_at) * 1000).toUTCString(),
			etag: expect.stringMatching(/^"[0-9a-f]{64}"$/),
		});
		expect(response.headers.get('content-disposition')).toBeNull();
		expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
	});

	it('supports ranges, HEAD and conditional requests', async () => {
		const { h, url } = await linked();
		const part = await open(h, url, { range: 'bytes=4-7' });
		expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
			206,
			`bytes 4-7/${bytes.length}`,
			'ftyp',
		]);
		const head = await open(h, url, {}, 'HEAD');
		expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)]);
		const etag = String(head.headers.get('etag'));
		expect((await open(h, url, { 'if-none-match': etag })).status).toBe(304);
		expect((await open(h, url, { range: 'bytes=9999-' })).status).toBe(416);
		expect((await open(h, url, { 'if-match': '"another"' })).status).toBe(412);
		const date = String(head.headers.get('last-modified'));
		expect((await open(h, url, { 'if-modified-since': date })).status).toBe(304);
		expect((await open(h, url, { 'if-unmodified-since': date })).status).toBe(200);
	});

	it('is part of lists and of a repeated response, and absent from videos that are not completed', async () => {
		const { h, video } = await linked();
		const { data } = (await (await h.get('/v1/videos')).json()) as { data: Video[] };
		expect(data.map(({ url }) => url)).toEqual([video.url]);
		const key = { 'idempotency-key': 'one' };
		const body = { model: 'fake-1', prompt: 'twice' };
		const first = (await (await h.post('/v1/videos', body, { headers: key })).json()) as Video;
		expect(first).not.toHaveProperty('url');
		const { url } = await h.wait(first.id, 'completed');
		const again = await h.post('/v1/videos', body, { headers: key });
		expect([again.status, ((await again.json()) as Video).url]).toEqual([201, url]);
	});

	it('stays the same for a while, and works for one to two hours', async () => {
		const { h, video, url } = await linked();
		await h.clock.advance(60_000);
		expect(new URL(String((await read(h, video.id)).url)).pathname).toBe(url.pathname);
		await h.clock.advance(hour - 60_000);
		expect((await open(h, url)).status).toBe(200);
		const next = new URL(String((await read(h, video.id)).url));
		expect(next.pathname).not.toBe(url.pathname);
		await h.clock.advance(hour);
		expect(await refusal(h, url)).toEqual([404, 'video_link_expired']);
		expect((await open(h, new URL(String((await read(h, video.id)).url)))).status).toBe(200);
	});

	it('does not work longer than the content exists', async () => {
		const { h, video, url } = await linked({ retentionHours: 0.5 });
		await h.clock.advance(hour / 2 - 1_000);
		expect((await open(h, url)).status).toBe(200);
		await h.clock.advance(1_000);
		expect(await refusal(h, url)).toEqual([404, 'video_link_expired']);
		expect(await read(h, video.id)).not.toHaveProperty('url');
	});

	it('stops working when the video is deleted', async () => {
		const { h, video, url } = await linked();
		await h.send('DELETE', `/v1/videos/${video.id}`);
		expect(await refusal(h, url)).toEqual([404, 'video_not_found']);
		expect((await open(h, url, {}, 'HEAD')).status).toBe(404);
	});

	it('is 404 after any change, whether the video exists or not', async () => {
		const { h, url } = await linked();
		const changes: ((url: URL) => unknown)[] = [
			({ searchParams }) => searchParams.delete('signature'),
			({ searchParams }) => searchParams.set('signature', '0'.repeat(64)),
			({ searchParams }) => searchParams.append('signature', 'x'),
			(changed) => (changed.pathname = changed.pathname.replace(/results\/0/, 'results/1')),
			(changed) => (changed.pathname = changed.pathname.replace('video.mp4', 'poster.png')),
			(changed) => (changed.pathname = changed.pathname.replace(/results\/.*/, 'results/x')),
			(changed) => (changed.pathname = changed.pathname.replace(/-jobs.*/, '-..%2Fsecret')),
		];
		for (const change of changes) {
			const changed = new URL(url);
			change(changed);
			expect([changed.href, ...(await refusal(h, changed))]).toEqual([changed.href, 404, 'video_not_found']);
		}
	});

	it('is absent when the server stores no records', async () => {
		const h = await harness();
		expect(await h.finish()).not.toHaveProperty('url');
		expect((await h.send('GET', '/v1/videos/results/x?signature=y')).status).toBe(404);
	});
});
