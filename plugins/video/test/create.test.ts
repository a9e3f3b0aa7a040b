import { errorOf, formOf } from '@plinth/testing';
import { videoSizes as sizes } from '@plinth/toolkit';
import { describe, expect, it } from 'vitest';
import type { VideoResult } from '../src/model.ts';
import { harness, hugePng, jpeg, mp4, png, webp } from './harness.ts';

const least = { model: 'fake-1', prompt: 'a cat' };
const asUrl = (bytes: Buffer, type = 'image/png') => `data:${type};base64,${bytes.toString('base64')}`;
const idForm = /^video_[0-9a-f]{44}$/;

describe('POST /v1/videos', () => {
	it('returns 201 with the whole video object, for a form without a file', async () => {
		const { send } = await harness();
		const response = await send('POST', '/v1/videos', { form: formOf(least) });
		expect(response.status).toBe(201);
		expect(response.headers.get('openai-poll-after-ms')).toBe('5000');
		expect(response.headers.get('idempotent-replayed')).toBeNull();
		expect(await response.json()).toStrictEqual({
			id: expect.stringMatching(idForm),
			object: 'video',
			model: 'fake-1',
			status: 'queued',
			progress: 0,
			progress_percent: 0,
			created_at: 1_767_225_600,
			completed_at: null,
			expires_at: null,
			prompt: 'a cat',
			size: '720x1280',
			seconds: '4',
			remixed_from_video_id: null,
			error: null,
		});
	});

	it('accepts JSON, numbers for seconds, and unknown members', async () => {
		const { create } = await harness();
		const made = await create({ seconds: 12, size: '640x480', fps: 24, extra_body: { a: [1] } });
		const warnings = [expect.stringContaining('fps'), expect.stringContaining('extra_body')];
		expect(made).toMatchObject({ seconds: '12', size: '640x480', warnings });
	});

	it('treats null in JSON as absent', async () => {
		const { create } = await harness();
		const made = await create({ seconds: null, size: null, input_reference: null });
		expect(made).toMatchObject({ seconds: '4', size: '720x1280' });
	});

	it.each(['2', '4', '8', '12'])('accepts %s seconds in a form', async (seconds) => {
		const { send, calls, wait } = await harness();
		const response = await send('POST', '/v1/videos', { form: formOf({ ...least, seconds }) });
		const { id } = (await response.json()) as { id: string };
		expect((await wait(id, 'completed')).seconds).toBe(seconds);
		expect(calls[0]?.request.seconds).toBe(Number(seconds));
	});

	it('accepts the six sizes', async () => {
		const { finish, calls } = await harness();
		for (const size of sizes) {
			expect((await finish({ size })).size).toBe(size);
			const { width, height } = calls.at(-1)?.request.size ?? {};
			expect(`${width}x${height}`).toBe(size);
		}
	});

	it('limits the prompt by code points: 32,000 emoji are accepted, one more is not', async () => {
		const { send } = await harness();
		const prompt = '🐈'.repeat(32_000);
		const fits = await send('POST', '/v1/videos', { form: formOf({ ...least, prompt }) });
		expect(fits.status).toBe(201);
		for (const options of [
			{ form: formOf({ ...least, prompt: `${prompt}!` }) },
			{ json: { ...least, prompt: `${prompt}!` } },
		]) {
			expect(await errorOf(await send('POST', '/v1/videos', options))).toMatchObject({
				status: 400,
				code: 'string_above_max_length',
				param: 'prompt',
			});
		}
	});

	it.each([
		[{ model: 'fake-1' }, 'missing_required_parameter', 'prompt'],
		[{ prompt: 'a cat' }, 'missing_required_parameter', 'model'],
		[{ ...least, prompt: '' }, 'string_below_min_length', 'prompt'],
		[{ ...least, model: '' }, 'string_below_min_length', 'model'],
		[{ ...least, model: 'm'.repeat(257) }, 'string_above_max_length', 'model'],
		[{ ...least, seconds: '5' }, 'invalid_value', 'seconds'],
		[{ ...least, seconds: '' }, 'invalid_value', 'seconds'],
		[{ ...least, size: '1024x1024' }, 'invalid_value', 'size'],
		[{ ...least, input_reference: 'cat.png' }, 'invalid_type', 'input_reference'],
	])('rejects %j in both encodings', async (fields, code, param) => {
		const { send } = await harness();
		for (const options of [{ form: formOf(fields) }, { json: fields }]) {
			const answer = await errorOf(await send('POST', '/v1/videos', options));
			expect(answer).toMatchObject({ status: 400, code, param });
		}
	});

	it.each([
		[{ ...least, prompt: 5 }, 'invalid_type', 'prompt'],
		[{ ...least, prompt: null }, 'invalid_type', 'prompt'],
		[{ ...least, model: ['fake-1'] }, 'invalid_type', 'model'],
		[{ ...least, seconds: 3 }, 'invalid_value', 'seconds'],
		[[least], 'invalid_type', null],
	])('rejects the JSON %j', async (json, code, param) => {
		const { send } = await harness();
		const answer = await errorOf(await send('POST', '/v1/videos', { json }));
		expect(answer).toMatchObject({ status: 400, code, param });
	});

	it('validates the body before the model, and returns 404 for an unknown model', async () => {
		const { send } = await harness();
		const unknown = await send('POST', '/v1/videos', { json: { ...least, model: 'sora-9' } });
		expect(await errorOf(unknown)).toMatchObject({
			status: 404,
			code: 'model_not_found',
			param: null,
		});
		const both = { model: 'sora-9', prompt: 'x', seconds: '3' };
		expect(await errorOf(await send('POST', '/v1/videos', { json: both }))).toMatchObject({
			status: 400,
			param: 'seconds',
		});
	});

	it('keeps the name of the model that the client used', async () => {
		const { finish } = await harness();
		expect(await finish({ model: 'fake-alias' })).toMatchObject({
			model: 'fake-alias',
			status: 'completed',
		});
	});

	it('counts jobs of an alias as jobs of its model', async () => {
		const made: VideoResult = { body: mp4(), mediaType: 'video/mp4' };
		const others = { other: { apiVersion: 1, generate: async () => made } as const };
		const h = await harness({}, {}, {}, { binding: { concurrency: 1 }, others });
		const { promise, resolve } = Promise.withResolvers<void>();
		h.model.generate = async () => {
			await promise;
			return made;
		};
		const first = await h.create();
		await h.wait(first.id, 'in_progress');
		const second = await h.create({ model: 'fake-alias' });
		// The worker has polled since then.
		await h.finish({ model: 'other' });
		expect(await h.wait(second.id, 'queued', 'in_progress')).toMatchObject({ status: 'queued', model: 'fake-alias' });
		resolve();
		await h.wait(second.id, 'completed');
		const remix = await h.post(`/v1/videos/${second.id}/remix`, { prompt: 'again' });
		expect(await remix.json()).toMatchObject({ model: 'fake-alias' });
	});

	it('returns 401 without a key, 403 without the scope, 415 for other bodies', async () => {
		const { send } = await harness();
		const refused = async (options: Parameters<typeof send>[2]) =>
			(await errorOf(await send('POST', '/v1/videos', options))).status;
		expect(await refused({ json: least, key: null })).toBe(401);
		expect(await refused({ json: least, key: 'nobody' })).toBe(401);
		expect(await refused({ json: least, key: 'alice.videos:read' })).toBe(403);
		expect(await refused({ json: least, headers: { 'content-type': 'text/plain' } })).toBe(415);
		const allowed = await send('POST', '/v1/videos', { json: least, key: 'alice.videos:write' });
		expect(allowed.status).toBe(201);
	});
});

describe('input_reference', () => {
	it.each([
		['image/png', png],
		['image/jpeg', jpeg],
		['image/webp', webp],
	])('accepts a file and detects its type by content: %s', async (mediaType, picture) => {
		const { send, wait, calls } = await harness();
		const form = formOf({ input_reference: picture, ...least });
		const response = await send('POST', '/v1/videos', { form });
		expect(response.status).toBe(201);
		await wait(((await response.json()) as { id: string }).id, 'completed');
		const reference = calls[0]?.request.reference;
		expect(reference).toMatchObject({ mediaType, size: picture.length });
		expect(Buffer.from((await reference?.bytes()) ?? [])).toEqual(picture);
	});

	it('accepts a data URL in JSON and in the nested form field, whatever media type it declares', async () => {
		const { send, wait, calls } = await harness();
		const url = asUrl(png, 'text/html;charset=x');
		for (const options of [
			{ json: { ...least, input_reference: { image_url: url } } },
			{ form: formOf({ ...least, 'input_reference[image_url]': url }) },
		]) {
			const response = await send('POST', '/v1/videos', options);
			expect(response.status).toBe(201);
			await wait(((await response.json()) as { id: string }).id, 'completed');
			expect(calls.at(-1)?.request.reference?.mediaType).toBe('image/png');
		}
	});

	it('accepts a long data URL in JSON, and rejects a damaged one with its parameter', async () => {
		const { send, wait, calls } = await harness();
		const picture = Buffer.concat([png, Buffer.alloc(100_000, 'pixels')]);
		const post = (image_url: string) =>
			send('POST', '/v1/videos', { json: { ...least, input_reference: { image_url } } });
		const response = await post(asUrl(picture));
		expect(response.status).toBe(201);
		await wait(((await response.json()) as { id: string }).id, 'completed');
		const reference = calls[0]?.request.reference;
		expect(reference).toMatchObject({ mediaType: 'image/png', size: picture.length });
		expect(Buffer.from((await reference?.bytes()) ?? [])).toEqual(picture);
		const param = 'input_reference.image_url';
		expect(await errorOf(await post(`${asUrl(picture)}*`))).toMatchObject({
			status: 400,
			code: 'invalid_value',
			param,
		});
		const prompt = { ...least, prompt: asUrl(picture) };
		expect(await errorOf(await send('POST', '/v1/videos', { json: prompt }))).toMatchObject({
			code: 'invalid_type',
			message: expect.stringContaining('found a file'),
		});
		expect(await errorOf(await post(asUrl(Buffer.concat([png], 15_800_000))))).toMatchObject({
			status: 400,
			code: 'string_above_max_length',
			param,
		});
	});

	it('rejects an invalid picture before the job is created', async () => {
		const { send, calls } = await harness();
		const cases = [
			[{ form: formOf({ ...least, input_reference: Buffer.from('GIF89a') }) }, 'invalid_image'],
			[{ form: formOf({ ...least, input_reference: Buffer.alloc(0) }) }, 'invalid_image'],
			[{ form: formOf({ ...least, input_reference: hugePng }) }, 'image_too_large'],
			[{ json: { ...least, input_reference: { image_url: asUrl(Buffer.from('<svg/>')) } } }, 'invalid_image'],
		] as const;
		for (const [options, code] of cases) {
			expect(await errorOf(await send('POST', '/v1/videos', options))).toMatchObject({
				status: 400,
				code,
				param: 'input_reference',
			});
		}
		expect(await (await send('GET', '/v1/videos')).json()).toMatchObject({ data: [] });
		expect(calls).toHaveLength(0);
	});

	it('accepts a file of 52,428,800 bytes and no more', async () => {
		const { send } = await harness();
		const statusOf = async (size: number) => {
			const form = formOf({ ...least, input_reference: Buffer.concat([png], size) });
			return (await send('POST', '/v1/videos', { form })).status;
		};
		expect(await statusOf(52_428_800)).toBe(201);
		expect(await statusOf(52_428_801)).toBe(413);
	}, 30_000);

	it.each([
		[{ image_url: 'https://example.org/cat.png' }, 'invalid_value', 'image_url'],
		[{ image_url: 'data:image/png;base64,A*==' }, 'invalid_value', 'image_url'],
		[{ file_id: 'file-1' }, 'unsupported_value', 'file_id'],
	])('rejects %j with its parameter', async (reference, code, member) => {
		const { send } = await harness();
		const nested = Object.fromEntries(
			Object.entries(reference).map(([name, value]) => [`input_reference[${name}]`, value]),
		);
		for (const options of [
			{ json: { ...least, input_reference: reference } },
			{ form: formOf({ ...least, ...nested }) },
		]) {
			const answer = await errorOf(await send('POST', '/v1/videos', options));
			expect(answer).toMatchObject({ status: 400, code, param: `input_reference.${member}` });
		}
	});

	it('accepts exactly one picture', async () => {
		const { send } = await harness();
		for (const options of [
			{ json: { ...least, input_reference: { image_url: asUrl(png), file_id: 'file-1' } } },
			{
				form: formOf({ ...least, input_reference: png, 'input_reference[image_url]': asUrl(png) }),
			},
		]) {
			const answer = await errorOf(await send('POST', '/v1/videos', options));
			expect(answer).toMatchObject({
				status: 400,
				code: 'invalid_value',
				param: 'input_reference',
			});
		}
	});
});

describe('repeated requests', () => {
	it('with the same Idempotency-Key return the same job, and 422 for another body', async () => {
		const { send } = await harness();
		const headers = { 'idempotency-key': 'k-1' };
		const first = await send('POST', '/v1/videos', { json: least, headers });
		const again = await send('POST', '/v1/videos', { json: least, headers });
		expect([first.status, again.status]).toEqual([201, 201]);
		expect(first.headers.get('idempotent-replayed')).toBeNull();
		expect(again.headers.get('idempotent-replayed')).toBe('true');
		const [one, two] = [(await first.json()) as { id: string }, (await again.json()) as { id: string }];
		expect(two.id).toBe(one.id);
		const other = await send('POST', '/v1/videos', {
			json: { ...least, prompt: 'a dog' },
			headers,
		});
		expect(await errorOf(other)).toMatchObject({ status: 422, code: 'idempotency_mismatch' });
	});

	it('with the same long data URL return the same job, and 422 for another picture', async () => {
		const { send, blobs } = await harness();
		const post = (pixels: string) =>
			send('POST', '/v1/videos', {
				json: {
					...least,
					input_reference: {
						image_url: asUrl(Buffer.concat([png, Buffer.alloc(100_000, pixels)])),
					},
				},
				headers: { 'idempotency-key': 'k-2' },
			});
		const [one, two] = [await post('pixels'), await post('pixels')];
		expect([one.status, two.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
		expect(await two.json()).toMatchObject({ id: ((await one.json()) as { id: string }).id });
		expect(await errorOf(await post('others'))).toMatchObject({
			status: 422,
			code: 'idempotency_mismatch',
		});
		const kept: string[] = [];
		for await (const { key } of blobs.list('jobs/')) if (key.includes('reference')) kept.push(key);
		expect(kept).toHaveLength(1);
	});

	it('of an SDK that lost the response return the same job, and the second picture is deleted', async () => {
		const { send, blobs } = await harness();
		const post = (retry: string) =>
			send('POST', '/v1/videos', {
				form: formOf({ ...least, input_reference: png }),
				headers: { 'x-stainless-retry-count': retry },
			});
		const [one, two] = [(await (await post('0')).json()) as { id: string }, await post('1')];
		expect(two.headers.get('idempotent-replayed')).toBe('true');
		expect(((await two.json()) as { id: string }).id).toBe(one.id);
		const kept: string[] = [];
		for await (const { key } of blobs.list('jobs/')) if (key.includes('reference')) kept.push(key);
		expect(kept).toHaveLength(1);
	});
});
