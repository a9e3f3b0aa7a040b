import { modelError, plinthError } from '@plinth/core';
import { describe, expect, it } from 'vitest';
import { harness, mp4, png, webp } from './harness.ts';

describe('rendering', () => {
	it('has equal bytes for equal requests, and another seed for others', async () => {
		const h = await harness();
		const bytesOf = async (fields: Record<string, unknown>) => {
			const { id } = await h.finish(fields);
			return (await h.send('GET', `/v1/videos/${id}/content`)).text();
		};
		const first = await bytesOf({ seconds: '2' });
		expect(await bytesOf({ seconds: 2 })).toBe(first);
		expect(await bytesOf({ seconds: '2', model: 'fake-alias' })).toBe(first);
		expect(await bytesOf({ seconds: '4' })).not.toBe(first);
		expect(await bytesOf({ seconds: '2', prompt: 'a dog' })).not.toBe(first);
	});

	it('stores a streamed video', async () => {
		const h = await harness();
		h.model.generate = async () => ({
			mediaType: 'video/mp4',
			body: (async function* () {
				for (const byte of mp4('streamed')) yield Uint8Array.of(byte);
			})(),
		});
		const { id } = await h.finish();
		const content = await h.send('GET', `/v1/videos/${id}/content`);
		expect(Buffer.from(await content.arrayBuffer())).toEqual(mp4('streamed'));
	});

	it('passes on the message of a coded error, and logs any other', async () => {
		const h = await harness();
		h.model.generate = () => Promise.reject(modelError('The GPU is out of memory.'));
		const reported = await h.finish();
		expect(reported).toMatchObject({ status: 'failed', completed_at: expect.anything() });
		expect(reported.error).toMatchObject({ code: 'model_error' });
		expect(reported.error?.message).toContain('The GPU is out of memory.');
		h.model.generate = () => Promise.reject(new Error('/etc/secret is unreadable'));
		const untold = await h.finish();
		expect(untold.error?.code).toBe('model_error');
		expect(untold.error?.message).not.toContain('secret');
	});

	it('has the parameter that a model rejects', async () => {
		const h = await harness();
		const refusal = { param: 'size', message: 'Only landscape.' };
		h.model.generate = () => Promise.reject(plinthError('E_VALUE_UNSUPPORTED', refusal));
		expect((await h.finish()).error).toStrictEqual({
			code: 'unsupported_value',
			message: 'Only landscape.',
			param: 'size',
		});
	});

	it.each([
		['an error page', Buffer.from('<html>Bad Gateway</html>')],
		['no bytes', Buffer.alloc(0)],
	])('fails when the model returns %s', async (_, body) => {
		const h = await harness();
		h.model.generate = async () => ({ body, mediaType: 'video/mp4' });
		expect(await h.finish()).toMatchObject({ status: 'failed', error: { code: 'model_error' } });
	});

	it('omits a poster of the wrong type, and keeps the video', async () => {
		const h = await harness();
		h.model.generate = async () => ({
			body: mp4(),
			mediaType: 'video/mp4',
			poster: { body: webp, mediaType: 'image/png' },
		});
		const { id, status } = await h.finish();
		expect(status).toBe('completed');
		expect((await h.send('GET', `/v1/videos/${id}/content?variant=thumbnail`)).status).toBe(404);
	});

	it('leaves no bytes when an attempt fails halfway', async () => {
		const h = await harness();
		h.model.generate = async () => ({
			body: mp4(),
			mediaType: 'video/mp4',
			poster: {
				get body(): Uint8Array {
					throw modelError('The poster broke.');
				},
				mediaType: 'image/png',
			},
		});
		expect((await h.finish()).status).toBe('failed');
		for await (const { key } of h.blobs.list('jobs/')) expect.unreachable(`${key} was left`);
	});

	it('passes the model only its own input', async () => {
		const h = await harness();
		const url = `data:;base64,${png.toString('base64')}`;
		await h.finish({ input_reference: { image_url: url } });
		const [call] = h.calls;
		expect(call?.request).toEqual({
			prompt: 'a cat',
			seconds: 4,
			size: { width: 720, height: 1280 },
			reference: { mediaType: 'image/png', size: png.length, bytes: expect.any(Function) },
		});
		expect(call?.run.seed).toBe(Number(call?.run.seed) >>> 0);
		expect(call?.run.resume).toBeUndefined();
	});
});
