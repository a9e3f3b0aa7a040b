import { errorOf, formOf, gate } from '@plinth/testing';
import { describe, expect, it } from 'vitest';
import type { Video } from '../src/wire.ts';
import { type Harness, harness, mp4, png } from './harness.ts';

const referenceUrl = `data:image/png;base64,${png.toString('base64')}`;
const withPicture = { input_reference: { image_url: referenceUrl } };
const remixOf = (id: string) => `/v1/videos/${id}/remix`;

async function remixed(h: Harness, id: string): Promise<Video> {
	const response = await h.send('POST', remixOf(id), { json: { prompt: 'a dog' } });
	expect(response.status).toBe(201);
	expect(response.headers.get('openai-poll-after-ms')).toBe('5000');
	return (await response.json()) as Video;
}

describe('POST /v1/videos/{id}/remix', () => {
	it('creates a new job with another prompt and all other fields of the source', async () => {
		const h = await harness();
		const source = await h.finish({ seconds: '8', size: '480x640', ...withPicture });
		const made = await remixed(h, source.id);
		expect(made).toMatchObject({
			object: 'video',
			status: 'queued',
			model: 'fake-1',
			prompt: 'a dog',
			seconds: '8',
			size: '480x640',
			remixed_from_video_id: source.id,
		});
		expect(made.id).not.toBe(source.id);
		await h.wait(made.id, 'completed');
		const request = h.calls.at(-1)?.request;
		expect(request).toMatchObject({ prompt: 'a dog', remixOf: { prompt: 'a cat' } });
		expect(Buffer.from((await request?.reference?.bytes()) ?? [])).toEqual(png);
	});

	it('accepts a form', async () => {
		const h = await harness();
		const { id } = await h.finish();
		const form = formOf({ prompt: 'a dog' });
		expect((await h.send('POST', remixOf(id), { form })).status).toBe(201);
	});

	it('copies the picture, so the source can be deleted', async () => {
		const h = await harness();
		const source = await h.finish(withPicture);
		const { open, passed } = gate();
		h.model.generate = async (request) => {
			await passed;
			const picture = await request.reference?.bytes();
			return { body: mp4(`${picture?.length}`), mediaType: 'video/mp4' };
		};
		const { id } = await remixed(h, source.id);
		await h.wait(id, 'in_progress');
		expect((await h.send('DELETE', `/v1/videos/${source.id}`)).status).toBe(200);
		open();
		await h.wait(id, 'completed');
		const content = await h.send('GET', `/v1/videos/${id}/content`);
		expect(await content.text()).toContain(String(png.length));
	});

	it('works for an expired source while its picture exists, and fails with a reason afterwards', async () => {
		const h = await harness({ retentionHours: 1 / 3600 });
		const bare = await h.finish();
		const pictured = await h.finish(withPicture);
		await h.clock.advance(2_000);
		await h.wait((await remixed(h, bare.id)).id, 'completed');
		await h.wait((await remixed(h, pictured.id)).id, 'completed');
		await h.clock.advance(60_000);
		await h.wait((await remixed(h, bare.id)).id, 'completed');
		const gone = await h.send('POST', remixOf(pictured.id), { json: { prompt: 'x' } });
		expect(await errorOf(gone)).toMatchObject({ status: 404, code: 'reference_expired' });
	});

	it('requires a completed source', async () => {
		const h = await harness();
		const { open, passed } = gate();
		h.model.generate = async () => {
			await passed;
			throw new Error('broken');
		};
		const { id } = await h.create();
		await h.wait(id, 'in_progress');
		const post = () => h.send('POST', remixOf(id), { json: { prompt: 'x' } });
		expect(await errorOf(await post())).toMatchObject({ status: 400, code: 'video_not_completed' });
		open();
		await h.wait(id, 'failed');
		expect((await errorOf(await post())).message).toContain('failed');
	});

	it.each([
		[{}, 'missing_required_parameter'],
		[{ prompt: '' }, 'string_below_min_length'],
		[{ prompt: 7 }, 'invalid_type'],
		[{ prompt: 'x'.repeat(32_001) }, 'string_above_max_length'],
	])('rejects the body %#', async (json, code) => {
		const h = await harness();
		const { id } = await h.finish();
		expect(await errorOf(await h.send('POST', remixOf(id), { json }))).toMatchObject({
			status: 400,
			code,
			param: 'prompt',
		});
	});

	it('responds alike to unknown and foreign ids, and requires videos:write', async () => {
		const h = await harness();
		const { id } = await h.finish();
		const post = (target: string, key: string) => h.send('POST', remixOf(target), { json: { prompt: 'x' }, key });
		expect((await errorOf(await post(id, 'bob'))).code).toBe('video_not_found');
		expect((await errorOf(await post('nonsense', 'alice'))).code).toBe('video_not_found');
		expect((await errorOf(await post(id, 'alice.videos:read'))).status).toBe(403);
	});

	it('is recognised as repeated', async () => {
		const h = await harness();
		const { id } = await h.finish(withPicture);
		const post = async () => {
			const headers = { 'idempotency-key': 'remix-1' };
			const response = await h.send('POST', remixOf(id), { json: { prompt: 'x' }, headers });
			expect(response.status).toBe(201);
			const { id: made } = (await response.json()) as Video;
			return { made, replayed: response.headers.get('idempotent-replayed') };
		};
		const [first, second] = [await post(), await post()];
		expect(second).toEqual({ made: first.made, replayed: 'true' });
		await h.send('DELETE', `/v1/videos/${id}`);
		expect(await post()).toEqual(second);
	});
});

describe('unsupported operations', () => {
	it.each([
		['POST', '/v1/videos/edits'],
		['POST', '/v1/videos/extensions'],
		['POST', '/v1/videos/characters'],
		['GET', '/v1/videos/characters/char_1'],
	])('%s %s returns 404 unsupported_operation to callers with a key', async (method, path) => {
		const h = await harness();
		const options = method === 'POST' ? { form: formOf({ prompt: 'x', video: png }) } : {};
		expect(await errorOf(await h.send(method, path, options))).toMatchObject({
			status: 404,
			code: 'unsupported_operation',
			param: null,
		});
		expect((await h.send(method, path, { ...options, key: null })).status).toBe(401);
	});
});
