import { defineModel } from '@plinth/core';
import { type ImageModel, imageModels } from '@plinth/plugin-image/model';
import { type VideoModel, videoModels } from '@plinth/plugin-video/model';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { failure, type RawClient, rawClient, type WireList } from '../support/client.ts';
import { fakeImage, tinyMp4 } from '../support/fake-models.ts';
import { filesBelow } from '../support/files.ts';
import { solidPng } from '../support/png.ts';
import { polyglots } from '../support/polyglots.ts';
import { keyA, type Served, serveEmbedded } from '../support/serve.ts';

/** The bytes that a model returns by name: as a video, or as the poster of a valid video, labelled as an image. */
const returned: Readonly<Record<string, Buffer>> = {
	...polyglots,
	'HTML behind an MP4': Buffer.concat([tinyMp4, polyglots.HTML ?? Buffer.alloc(0)]),
};

const mischievous = defineModel({
	kind: videoModels,
	name: 'test.mischievous',
	config: z.strictObject({}),
	create: (): VideoModel => ({
		apiVersion: 1,
		async generate({ prompt }) {
			const [, part = '', name = ''] = /^(\w+): (.*)$/.exec(prompt) ?? [];
			const body = returned[name] ?? Buffer.alloc(0);
			if (part === 'video') return { body, mediaType: 'video/mp4' };
			return { body: tinyMp4, mediaType: 'video/mp4', poster: { body, mediaType: 'image/png' } };
		},
	}),
});

/** An image model that returns a file with every image media type: as a final or as a partial image. */
const mischievousPainter = defineModel({
	kind: imageModels,
	name: 'test.mischievousPainter',
	config: z.strictObject({}),
	create: (): ImageModel => ({
		apiVersion: 1,
		async generate({ prompt, format }, { partial }) {
			const body = returned[prompt] ?? Buffer.alloc(0);
			const mediaType = `image/${format}` as const;
			partial({ body, mediaType });
			return { images: [{ body, mediaType }] };
		},
	}),
});

let served: Served;
let client: RawClient;

beforeAll(async () => {
	served = await serveEmbedded({
		models: { 'test-1': mischievous(), 'test-2': mischievousPainter(), 'test-3': fakeImage() },
	});
	client = rawClient(served.url, keyA);
});

afterAll(() => served?.stop());

describe('a file that is not an image', () => {
	test.each(Object.keys(polyglots))('is refused, whatever its content type: %s', async (name) => {
		const bytes = new Uint8Array(polyglots[name] ?? []);
		const form = new FormData();
		form.append('model', 'test-1');
		form.append('prompt', 'x');
		form.append('input_reference', new Blob([bytes], { type: 'image/png' }), 'picture.png');
		const image_url = `data:image/png;base64,${Buffer.from(bytes).toString('base64')}`;
		const responses = [
			await client.send('/v1/videos', { method: 'POST', body: form }),
			await client.post('/v1/videos', {
				model: 'test-1',
				prompt: 'x',
				input_reference: { image_url },
			}),
		];
		for (const response of responses) {
			expect(response.status).toBe(400);
			expect(await failure(response)).toMatchObject({
				code: 'invalid_image',
				param: 'input_reference',
				type: 'invalid_request_error',
			});
		}
		expect((await client.json<WireList>('/v1/videos')).data).toEqual([]);
	});

	test.each(Object.keys(polyglots))('is refused in an edit, in every place: %s', async (name) => {
		const bytes = new Uint8Array(polyglots[name] ?? []);
		const image_url = `data:image/png;base64,${Buffer.from(bytes).toString('base64')}`;
		const fields = { model: 'test-3', prompt: 'x' };
		const good = solidPng(16, 12, [1, 2, 3]);
		const goodUrl = { image_url: `data:image/png;base64,${Buffer.from(good).toString('base64')}` };
		const form = (files: readonly (readonly [string, Uint8Array<ArrayBuffer>])[]) => {
			const body = new FormData();
			for (const [field, value] of Object.entries(fields)) body.append(field, value);
			for (const [field, file] of files) body.append(field, new Blob([file], { type: 'image/png' }));
			return client.send('/v1/images/edits', { method: 'POST', body });
		};
		const json = (pictures: object) => client.post('/v1/images/edits', { ...fields, ...pictures });
		const responses = [
			await form([['image', bytes]]),
			await form([
				['image[]', good],
				['image[]', bytes],
			]),
			await form([
				['image', good],
				['mask', bytes],
			]),
			await json({ image: { image_url } }),
			await json({ images: [goodUrl, { image_url }] }),
			await json({ images: [goodUrl], mask: { image_url } }),
		];
		const blamed = await Promise.all(
			responses.map(async (response) => {
				const { code, param } = await failure(response);
				return [response.status, code, param];
			}),
		);
		const params = ['image', 'image[1]', 'mask', 'image', 'images[1]', 'mask'];
		expect(blamed).toEqual(params.map((param) => [400, 'invalid_image', param]));
	});
});

describe('a file that a model returns', () => {
	const activeTypes = /html|xml|svg|script|pdf/i;

	/** Reads the response of a path, and checks that no browser would execute it. */
	async function expectPassive(path: string): Promise<number> {
		const response = await client.send(path);
		const { headers, status } = response;
		await response.arrayBuffer();
		expect(headers.get('content-type')).not.toMatch(activeTypes);
		expect(headers.get('x-content-type-options')).toBe('nosniff');
		expect(headers.get('content-security-policy')).toMatch(/default-src 'none'/);
		if (status === 200) {
			expect(headers.get('content-security-policy')).toMatch(/\bsandbox\b/);
			expect(headers.get('content-disposition')).toMatch(/^attachment/);
		}
		return status;
	}

	test('is never served with an executable type', async () => {
		const jobs = [];
		for (const name of Object.keys(returned)) {
			for (const part of ['video', 'poster']) {
				const prompt = `${part}: ${name}`;
				jobs.push({ prompt, id: (await client.create({ model: 'test-1', prompt })).id });
			}
		}
		const statuses: Record<string, number> = {};
		for (const { id, prompt } of jobs) {
			await client.finished(id);
			statuses[prompt] = await expectPassive(`/v1/videos/${id}/content`);
			await expectPassive(`/v1/videos/${id}/content?variant=thumbnail`);
		}
		const shown = Object.keys(statuses).filter((prompt) => prompt.startsWith('video: ') && statuses[prompt] === 200);
		expect(shown.sort()).toEqual([
			'video: AVIF',
			'video: HTML behind an MP4',
			'video: HTML in an MP4 start',
			'video: MP4',
		]);
	});

	test.each(Object.keys(returned))('is never served as an image: %s', async (prompt) => {
		const fields = { model: 'test-2', prompt };
		const responses = await Promise.all([
			...['png', 'jpeg', 'webp'].map((output_format) =>
				client.post('/v1/images/generations', { ...fields, output_format }),
			),
			client.post('/v1/images/generations', { ...fields, response_format: 'url' }),
			client.post('/v1/images/generations', { ...fields, stream: true, partial_images: 3 }),
		]);
		for (const response of responses) {
			expect([response.status, await failure(response)]).toMatchObject([
				502,
				{ code: 'model_error', type: 'server_error' },
			]);
		}
		expect((await filesBelow(served.dataDir)).filter((path) => path.includes('images'))).toEqual([]);
	});
});
