import { createHash } from 'node:crypto';
import { errorOf, gate } from '@plinth/testing';
import { describe, expect, it } from 'vitest';
import { type Harness, harness, jpeg, mp4, png, webp } from './harness.ts';

const bytes = mp4('0123456789');

async function completed(h: Harness, poster?: Buffer, spritesheet?: Buffer): Promise<string> {
	h.model.generate = async () => ({
		body: bytes,
		mediaType: 'video/mp4',
		...(poster ? { poster: { body: poster, mediaType: poster === png ? 'image/png' : 'image/webp' } } : {}),
		...(spritesheet ? { spritesheet: { body: spritesheet, mediaType: 'image/jpeg' } } : {}),
	});
	return (await h.finish()).id;
}

const contentOf = (id: string, query = '') => `/v1/videos/${id}/content${query}`;

describe('GET /v1/videos/{id}/content', () => {
	it('serves the bytes as video/mp4 with length, entity tag and file name', async () => {
		const h = await harness();
		const id = await completed(h);
		const response = await h.send('GET', contentOf(id), {
			headers: { accept: 'application/binary' },
		});
		expect(response.status).toBe(200);
		expect(response.headers.get('content-type')).toBe('video/mp4');
		expect(response.headers.get('content-length')).toBe(String(bytes.length));
		expect(response.headers.get('accept-ranges')).toBe('bytes');
		const sha256 = createHash('sha256').update(bytes).digest('hex');
		expect(response.headers.get('etag')).toBe(`"${sha256}"`);
		expect(response.headers.get('content-disposition')).toContain(`${id}.mp4`);
		const { completed_at: completedAt } = await h.wait(id, 'completed');
		expect(Date.parse(response.headers.get('last-modified') ?? '')).toBe(Number(completedAt) * 1000);
		expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
	});

	it('supports single ranges and conditional requests', async () => {
		const h = await harness();
		const id = await completed(h);
		const part = await h.send('GET', contentOf(id), { headers: { range: 'bytes=4-7' } });
		expect(part.status).toBe(206);
		expect(part.headers.get('content-range')).toBe(`bytes 4-7/${bytes.length}`);
		expect(await part.text()).toBe('ftyp');
		const outside = await h.send('GET', contentOf(id), { headers: { range: 'bytes=9999-' } });
		expect((await errorOf(outside)).status).toBe(416);
		const etag = `"${createHash('sha256').update(bytes).digest('hex')}"`;
		const same = await h.send('GET', contentOf(id), { headers: { 'if-none-match': etag } });
		expect(same.status).toBe(304);
	});

	it('responds to HEAD with the headers of GET', async () => {
		const h = await harness();
		const id = await completed(h);
		const response = await h.send('HEAD', contentOf(id));
		expect(response.status).toBe(200);
		expect(response.headers.get('content-length')).toBe(String(bytes.length));
		expect(await response.text()).toBe('');
	});

	it.each([
		['image/png', png, 'png'],
		['image/webp', webp, 'webp'],
	])('serves the thumbnail as %s', async (mediaType, poster, extension) => {
		const h = await harness();
		const id = await completed(h, poster);
		const response = await h.send('GET', contentOf(id, '?variant=thumbnail'));
		expect(response.status).toBe(200);
		expect(response.headers.get('content-type')).toBe(mediaType);
		expect(response.headers.get('content-disposition')).toContain(`${id}.${extension}`);
		expect(Buffer.from(await response.arrayBuffer())).toEqual(poster);
	});

	it('is 404 when the model made no thumbnail', async () => {
		const h = await harness();
		const id = await completed(h);
		expect(await errorOf(await h.send('GET', contentOf(id, '?variant=thumbnail')))).toMatchObject({
			status: 404,
			code: 'thumbnail_not_found',
			param: null,
		});
	});

	it('serves the spritesheet as a JPEG', async () => {
		const h = await harness();
		const id = await completed(h, png, jpeg);
		const response = await h.send('GET', contentOf(id, '?variant=spritesheet'));
		expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
		expect(response.headers.get('content-disposition')).toContain(`${id}.jpg`);
		expect(Buffer.from(await response.arrayBuffer())).toEqual(jpeg);
	});

	it.each([
		['the model made none', undefined],
		['it was no JPEG', png],
	])('is 404 for a spritesheet when %s', async (_, spritesheet) => {
		const h = await harness();
		const id = await completed(h, png, spritesheet);
		const response = await h.send('GET', contentOf(id, '?variant=spritesheet'));
		expect(response.headers.get('x-should-retry')).toBe('false');
		expect(await errorOf(response)).toMatchObject({ status: 404, code: 'spritesheet_not_found', param: null });
	});

	it.each(['sprites', '', 'VIDEO'])('rejects variant "%s" and lists the others', async (variant) => {
		const h = await harness();
		const id = await completed(h);
		const answer = await errorOf(await h.send('GET', contentOf(id, `?variant=${variant}`)));
		expect(answer).toMatchObject({ status: 400, code: 'invalid_value', param: 'variant' });
		expect(answer.message).toMatch(/video.*thumbnail.*spritesheet/);
	});

	it('is an error with the status while the video is not completed, and SDKs do not retry it', async () => {
		const h = await harness();
		const { open, passed } = gate();
		h.model.generate = async () => {
			await passed;
			throw new Error('secret detail');
		};
		const { id } = await h.create();
		await h.wait(id, 'in_progress');
		const early = await h.send('GET', contentOf(id));
		expect(early.headers.get('x-should-retry')).toBe('false');
		const answer = await errorOf(early);
		expect(answer).toMatchObject({ status: 404, code: 'video_not_ready', param: null });
		expect(answer.message).toContain('in_progress');
		open();
		await h.wait(id, 'failed');
		const failed = await errorOf(await h.send('GET', contentOf(id)));
		expect(failed).toMatchObject({ status: 404, code: 'video_not_ready' });
		expect(failed.message).toContain('failed');
		expect(failed.message).not.toContain('secret');
	});

	it('expires at expires_at, before the bytes are swept', async () => {
		const h = await harness({ retentionHours: 2 / 3600 });
		const id = await completed(h, png);
		const { expires_at: expiresAt } = await h.wait(id, 'completed');
		await h.clock.advance(1_999);
		expect(Math.floor(h.clock.now() / 1000)).toBe(Number(expiresAt) - 1);
		expect((await h.send('GET', contentOf(id))).status).toBe(200);
		await h.clock.advance(1);
		for (const query of ['', '?variant=thumbnail']) {
			const gone = await h.send('GET', contentOf(id, query));
			expect(gone.headers.get('x-should-retry')).toBe('false');
			expect(await errorOf(gone)).toMatchObject({
				status: 404,
				code: 'video_expired',
				param: null,
			});
		}
		expect((await h.send('GET', `/v1/videos/${id}`)).status).toBe(200);
	});

	it('is 404 when the bytes are missing', async () => {
		const h = await harness();
		const id = await completed(h);
		for await (const { key } of h.blobs.list('jobs/')) await h.blobs.delete([key]);
		expect(await errorOf(await h.send('GET', contentOf(id)))).toMatchObject({
			status: 404,
			code: 'video_content_missing',
		});
		expect((await h.send('HEAD', contentOf(id))).status).toBe(404);
	});

	it('responds alike to unknown and foreign ids, and requires videos:read', async () => {
		const h = await harness();
		const id = await completed(h);
		const foreign = await errorOf(await h.send('GET', contentOf(id), { key: 'bob' }));
		expect(foreign).toMatchObject({ status: 404, code: 'video_not_found' });
		expect(await errorOf(await h.send('GET', contentOf('x')))).toEqual(foreign);
		expect((await h.send('GET', contentOf(id), { key: 'alice.videos:write' })).status).toBe(403);
	});
});
