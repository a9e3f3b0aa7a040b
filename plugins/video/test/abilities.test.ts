import { errorOf, jsonOf } from '@plinth/testing';
import { describe, expect, test } from 'vitest';
import type { VideoModel } from '../src/model.ts';
import { harness, mp4, png } from './harness.ts';

const generate: VideoModel['generate'] = async () => ({ body: mp4(), mediaType: 'video/mp4' });
const narrow: VideoModel = {
	apiVersion: 1,
	abilities: { sizes: ['640x480', '1280x720'], seconds: [2, 4], fps: 16, reference: false },
	generate,
};
const others = { narrow, open: { apiVersion: 1, generate } } as const;
const reference = { image_url: `data:image/png;base64,${png.toString('base64')}` };

describe('a video model that declares its abilities', () => {
	test.each([
		['size', { size: '720x1280' }, 'The model narrow makes 640x480, 1280x720, not 720x1280.'],
		['seconds', { seconds: '8' }, 'The model narrow makes videos of 2, 4 seconds, not 8.'],
		['input_reference', { input_reference: reference }, 'The model narrow does not start from a picture.'],
	])('rejects another %s, with the list of supported values', async (param, fields, message) => {
		const { post } = await harness({}, {}, {}, { others });
		const answer = await post('/v1/videos', { model: 'narrow', prompt: 'x', size: '640x480', ...fields });
		expect(answer.status).toBe(400);
		expect(await errorOf(answer)).toMatchObject({ param, code: 'unsupported_value', message });
	});

	test('is called for values that it supports; a model without declarations is called for any', async () => {
		const { create } = await harness({}, {}, {}, { others });
		expect(await create({ model: 'narrow', size: '1280x720', seconds: '2' })).toMatchObject({ status: 'queued' });
		expect(await create({ model: 'open', size: '1792x1024', seconds: '12' })).toMatchObject({ status: 'queued' });
	});

	test('is called with its first size and length by default, unless it supports the usual default', async () => {
		const fast: VideoModel = { ...narrow, abilities: { sizes: ['1280x720'], seconds: [8, 12] } };
		const { create } = await harness({}, {}, {}, { others: { ...others, fast } });
		expect(await create({ model: 'narrow' })).toMatchObject({ size: '640x480', seconds: '4' });
		expect(await create({ model: 'fast' })).toMatchObject({ size: '1280x720', seconds: '8' });
		expect(await create({ model: 'open' })).toMatchObject({ size: '720x1280', seconds: '4' });
	});

	test('is listed with its abilities', async () => {
		const { get } = await harness({}, {}, {}, { others });
		expect(await jsonOf(await get('/v1/models/narrow'))).toMatchObject({
			capabilities: { sizes: ['640x480', '1280x720'], seconds: [2, 4], fps: 16, input_reference: false },
		});
		expect(await jsonOf(await get('/v1/models/open'))).toMatchObject({ capabilities: {} });
	});

	test.each([
		[
			{ perSecond: 0.1, perRequest: 0.0000002 },
			{ duration_seconds: '0.1', request: '0.0000002' },
		],
		[{ perSecond: 0 }, { duration_seconds: '0' }],
		[{ perSecond: 0.1, currency: 'EUR' }, null],
		[{ perImage: 1 }, null],
		[undefined, null],
	])('with the price %j has the SKUs %j', async (price, skus) => {
		const { get } = await harness({}, {}, {}, { binding: price ? { price } : {}, others });
		const { data } = await jsonOf<{ data: { id: string }[] }>(await get('/api/v1/videos/models'));
		expect(data.find(({ id }) => id === 'fake-1')).toMatchObject({ pricing_skus: skus });
		expect(data.find(({ id }) => id === 'open')).toMatchObject({ pricing_skus: null });
	});

	test('is listed in the format of OpenRouter', async () => {
		const { get } = await harness({}, {}, {}, { others });
		const { data } = await jsonOf<{ data: { id: string }[] }>(await get('/api/v1/videos/models'));
		const unknown = {
			supported_durations: null,
			supported_sizes: null,
			supported_resolutions: null,
			supported_aspect_ratios: null,
			supported_frame_images: null,
		};
		expect(data.find(({ id }) => id === 'narrow')).toMatchObject({
			...{ canonical_slug: 'narrow', name: 'narrow', supported_durations: [2, 4] },
			...{ supported_sizes: ['640x480', '1280x720'], supported_resolutions: ['480p', '720p'] },
			...{ supported_aspect_ratios: ['4:3', '16:9'], supported_frame_images: [] },
		});
		expect(data.find(({ id }) => id === 'open')).toMatchObject(unknown);
	});
});
