import { createHash } from 'node:crypto';
import { errorOf, manualClock } from '@plinth/testing';
import { describe, expect, it } from 'vitest';
import { bytes, changed, harness, memoryStores } from './harness.ts';

const text = bytes('0123456789');
const etag = `"${createHash('sha256').update(text).digest('hex')}"`;

describe('GET /v1/files/{id}/content', () => {
	it('is an attachment with name, length, hash and a type that browsers do not execute', async () => {
		const h = await harness();
		const { id } = await h.stored({ file: new File([text.slice()], 'Ä "1".txt') });
		const answer = await h.get(`/v1/files/${id}/content`);
		expect(answer.status).toBe(200);
		expect(Object.fromEntries(answer.headers)).toMatchObject({
			'content-type': 'application/octet-stream',
			'content-length': '10',
			'content-disposition': expect.stringMatching(/^attachment; .*filename\*=UTF-8''%C3%84/),
			'content-security-policy': expect.stringContaining('sandbox'),
			'x-content-type-options': 'nosniff',
			'accept-ranges': 'bytes',
			etag,
		});
		expect(await answer.text()).toBe('0123456789');
	});

	it('supports ranges and conditional requests', async () => {
		const h = await harness();
		const path = `/v1/files/${(await h.stored({ file: text })).id}/content`;
		const window = await h.get(path, { headers: { range: 'bytes=2-4' } });
		expect([window.status, await window.text()]).toEqual([206, '234']);
		expect(window.headers.get('content-range')).toBe('bytes 2-4/10');
		const outside = await h.get(path, { headers: { range: 'bytes=10-' } });
		expect(await errorOf(outside)).toMatchObject({ status: 416 });
		const unchanged = await h.get(path, { headers: { 'if-none-match': etag } });
		expect([unchanged.status, await unchanged.text()]).toEqual([304, '']);
		const head = await h.send('HEAD', path);
		expect([head.status, head.headers.get('content-length')]).toEqual([200, '10']);
	});

	it.each([
		['HTML', '<!doctype html><script>alert(1)</script>'],
		['XML', '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>'],
		['SVG', '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
		['bare SVG', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
	])('serves %s as plain bytes', async (_, content) => {
		const h = await harness();
		const { id } = await h.stored({ file: bytes(content) });
		const answer = await h.get(`/v1/files/${id}/content`);
		expect(answer.headers.get('content-type')).toBe('application/octet-stream');
		expect(await answer.text()).toBe(content);
	});

	it('has the media types of pictures and documents', async () => {
		const h = await harness();
		const { id, media_type } = await h.stored({ file: bytes('%PDF-1.7\n%%EOF') });
		const answer = await h.get(`/v1/files/${id}/content`);
		expect([media_type, answer.headers.get('content-type')]).toEqual(Array(2).fill('application/pdf'));
	});

	it.each(['GET', 'HEAD'])('is 404 when the store has lost the bytes: %s', async (method) => {
		const h = await harness();
		const { id } = await h.stored();
		await h.stores.blobs.delete([`files/${id}`]);
		const answer = await h.send(method, `/v1/files/${id}/content`);
		expect(answer.status).toBe(404);
		if (method === 'GET') {
			expect(await errorOf(answer)).toMatchObject({ code: 'file_content_missing' });
		}
	});
});

describe('the file source service', () => {
	async function read(stream: AsyncIterable<Uint8Array>): Promise<string> {
		const chunks: Uint8Array[] = [];
		for await (const chunk of stream) chunks.push(chunk);
		return Buffer.concat(chunks).toString();
	}

	it('opens a file of the tenant any number of times', async () => {
		const h = await harness();
		const { id } = await h.stored({ file: new File([text.slice()], 'b.txt') });
		const { stream, ...facts } = (await h.source.open('alice', id)) ?? {};
		expect(facts).toEqual({
			id,
			filename: 'b.txt',
			size: 10,
			mediaType: 'application/octet-stream',
			sha256: etag.slice(1, -1),
		});
		expect(await Promise.all([stream, stream].map((open) => open && read(open())))).toEqual(
			Array(2).fill('0123456789'),
		);
	});

	it('does not find foreign, malformed, unknown or deleted ids', async () => {
		const h = await harness();
		const { id } = await h.stored();
		const deleted = await h.stored();
		await h.send('DELETE', `/v1/files/${deleted.id}`);
		expect(await h.source.open('bob', id)).toBeNull();
		for (const other of [deleted.id, `file-${'0'.repeat(44)}`, '', '../x', `${id}\n`]) {
			expect(await h.source.open('alice', other)).toBeNull();
		}
	});

	it('fails when the bytes were deleted after the file was opened', async () => {
		const h = await harness();
		const { id } = await h.stored();
		const file = await h.source.open('alice', id);
		await h.send('DELETE', `/v1/files/${id}`);
		await expect(read(file?.stream() ?? empty())).rejects.toMatchObject({
			code: 'E_STORE_UNAVAILABLE',
		});
	});

	it('releases the bytes when the reader stops', async () => {
		const clock = manualClock();
		const stores = await memoryStores(clock);
		let isReleased = false;
		async function* endless() {
			try {
				for (;;) yield text;
			} finally {
				isReleased = true;
			}
		}
		const get = async (key: string) => {
			const blob = await stores.blobs.get(key);
			return blob && { ...blob, body: endless() };
		};
		const blobs = changed(stores.blobs, { get });
		const h = await harness({ clock, stores: { ...stores, blobs } });
		const { id } = await h.stored();
		for await (const _ of (await h.source.open('alice', id))?.stream() ?? empty()) break;
		expect(isReleased).toBe(true);
	});
});

async function* empty(): AsyncGenerator<Uint8Array> {}
