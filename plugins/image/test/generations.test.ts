import { unsupportedValue } from '@plinth/core';
import { errorOf } from '@plinth/testing';
import { describe, expect, it } from 'vitest';
import { answerOf, harness, pictureIn, picturesOf } from './harness.ts';

describe('POST /v1/images/generations', () => {
	it('returns a PNG of the requested size with its properties', async () => {
		const h = await harness();
		const answer = await answerOf(await h.generations({ size: '64x128' }));
		expect(answer).toStrictEqual({
			created: Math.floor(h.clock.now() / 1000),
			data: [{ b64_json: expect.any(String) }],
			background: 'opaque',
			output_format: 'png',
			quality: 'high',
			size: '64x128',
			usage: {
				input_tokens: 2,
				output_tokens: 8,
				total_tokens: 10,
				input_tokens_details: { text_tokens: 2, image_tokens: 0 },
				output_tokens_details: { image_tokens: 8, text_tokens: 0 },
			},
			filtered_count: 0,
		});
		expect(pictureIn(answer.data[0])).toMatchObject({ format: 'png', width: 64, height: 128 });
	});

	it('passes the request to the model in domain terms', async () => {
		const h = await harness();
		await answerOf(
			await h.generations({
				prompt: 'a fox',
				size: '512x256',
				quality: 'hd',
				style: 'vivid',
				background: 'opaque',
				output_format: 'webp',
				output_compression: 40,
				moderation: 'low',
				num_inference_steps: 12,
				user: 'u-1',
				seed: 4_294_967_295,
			}),
		);
		expect(h.calls[0]?.request).toStrictEqual({
			prompt: 'a fox',
			count: 1,
			size: { width: 512, height: 256 },
			quality: 'high',
			style: 'vivid',
			background: 'opaque',
			format: 'webp',
			compression: 40,
			moderation: 'low',
			steps: 12,
			user: 'u-1',
		});
		expect(h.calls[0]?.run).toMatchObject({ seed: 4_294_967_295, partials: 0 });
	});

	it('leaves optional members to the model, and treats null as absent', async () => {
		const h = await harness();
		await answerOf(await h.generations({ size: null, n: null, user: null, seed: null, stream: null, extra: 1 }));
		expect(h.calls[0]?.request).toStrictEqual({
			prompt: 'a cat',
			count: 1,
			quality: 'auto',
			background: 'auto',
			format: 'png',
			compression: 100,
			moderation: 'auto',
		});
	});

	it('passes safety_identifier to the model as the user, unless there is a user', async () => {
		const h = await harness();
		const answer = await answerOf(await h.generations({ safety_identifier: 's-1' }));
		await answerOf(await h.generations({ safety_identifier: 's-1', user: 'u-1' }));
		expect(h.calls.map(({ request }) => request.user)).toEqual(['s-1', 'u-1']);
		expect(answer).not.toHaveProperty('warnings');
	});

	it.each([
		['standard', 'medium'],
		['hd', 'high'],
		['xhigh', 'high'],
		['max', 'high'],
		['low', 'low'],
		['medium', 'medium'],
		['auto', 'auto'],
	])('requests quality %s as %s from the model', async (quality, asked) => {
		const h = await harness();
		const answer = await answerOf(await h.generations({ quality }));
		expect(h.calls[0]?.request.quality).toBe(asked);
		expect(answer.quality).toBe(asked === 'auto' ? 'high' : asked);
	});

	it('returns quality, prompt, warnings and usage of the model', async () => {
		const h = await harness();
		h.model.generate = async () => ({
			images: [{ width: 1, height: 1, data: Uint8Array.of(1, 2, 3, 0), revisedPrompt: 'one cat' }],
			quality: 'low',
			warnings: ['No steps.', 'No steps.'],
			usage: { inputTextTokens: 5, inputImageTokens: 6, outputTokens: 7 },
		});
		expect(await answerOf(await h.generations())).toMatchObject({
			data: [{ revised_prompt: 'one cat' }],
			quality: 'low',
			background: 'transparent',
			warnings: ['No steps.'],
			usage: {
				input_tokens: 11,
				output_tokens: 7,
				total_tokens: 18,
				input_tokens_details: { text_tokens: 5, image_tokens: 6 },
				output_tokens_details: { image_tokens: 7, text_tokens: 0 },
			},
		});
	});

	it('counts withheld pictures', async () => {
		const h = await harness({ abilities: { count: 3 } });
		h.model.generate = async (request, { seed }) => ({
			images: [{ width: 1, height: 1, data: Uint8Array.of(seed & 255, 2, 3, 255) }],
			filtered: request.count - 1,
		});
		const answer = await answerOf(await h.generations({ n: 3 }));
		expect(answer).toMatchObject({ filtered_count: 2, data: [{}] });
		h.model.generate = async ({ count }) => ({ images: [], filtered: count });
		const empty = await answerOf(await h.generations());
		expect(empty).toMatchObject({ filtered_count: 1, data: [] });
		expect(empty).not.toHaveProperty('size');
	});

	it('returns equal pictures for equal requests, and other pictures for others', async () => {
		const h = await harness();
		const seed = async (fields: object) => {
			await answerOf(await h.generations({ ...fields }));
			return h.calls.at(-1)?.run.seed;
		};
		const first = await seed({});
		expect(first).toBe(Number(first) >>> 0);
		for (const same of [
			{},
			{ model: 'fake-alias' },
			{ n: 1, output_format: 'jpeg', user: 'x' },
			{ response_format: 'url' },
		]) {
			expect(await seed(same)).toBe(first);
		}
		const others = [
			await seed({ prompt: 'a dog' }),
			await seed({ size: '512x512' }),
			await seed({ quality: 'low' }),
			await seed({ style: 'vivid' }),
			await seed({ background: 'opaque' }),
			await seed({ num_inference_steps: 3 }),
		];
		expect(new Set([first, ...others]).size).toBe(7);
		expect(await seed({ seed: 5 })).toBe(5);
	});

	it('accepts a prompt of 32,000 emoji', async () => {
		const h = await harness();
		expect(await picturesOf(await h.generations({ prompt: '🦊'.repeat(32_000) }))).toHaveLength(1);
		expect(await errorOf(await h.generations({ prompt: '🦊'.repeat(32_001) }))).toMatchObject({
			status: 400,
			code: 'string_above_max_length',
			param: 'prompt',
		});
	});

	it.each([
		[{ prompt: undefined }, 'missing_required_parameter', 'prompt'],
		[{ prompt: '' }, 'string_below_min_length', 'prompt'],
		[{ prompt: ['a'] }, 'invalid_type', 'prompt'],
		[{ model: undefined }, 'missing_required_parameter', 'model'],
		[{ n: 0 }, 'integer_below_min_value', 'n'],
		[{ n: 11 }, 'integer_above_max_value', 'n'],
		[{ n: 1.5 }, 'invalid_type', 'n'],
		[{ n: 'two' }, 'invalid_type', 'n'],
		[{ quality: 'best' }, 'invalid_value', 'quality'],
		[{ style: 'grim' }, 'invalid_value', 'style'],
		[{ background: 'red' }, 'invalid_value', 'background'],
		[{ output_format: 'gif' }, 'invalid_value', 'output_format'],
		[{ output_compression: 101 }, 'integer_above_max_value', 'output_compression'],
		[{ output_compression: -1 }, 'integer_below_min_value', 'output_compression'],
		[{ moderation: 'high' }, 'invalid_value', 'moderation'],
		[{ num_inference_steps: 0 }, 'integer_below_min_value', 'num_inference_steps'],
		[{ num_inference_steps: 51 }, 'integer_above_max_value', 'num_inference_steps'],
		[{ partial_images: 4 }, 'integer_above_max_value', 'partial_images'],
		[{ partial_images: -1 }, 'integer_below_min_value', 'partial_images'],
		[{ response_format: 'bytes' }, 'invalid_value', 'response_format'],
		[{ user: 5 }, 'invalid_type', 'user'],
		[{ stream: 'yes' }, 'invalid_type', 'stream'],
		[{ seed: -1 }, 'integer_below_min_value', 'seed'],
		[{ seed: 4_294_967_296 }, 'integer_above_max_value', 'seed'],
		[{ size: 1024 }, 'invalid_type', 'size'],
		[{ size: '1024' }, 'invalid_value', 'size'],
		[{ background: 'transparent', output_format: 'jpeg' }, 'invalid_value', 'background'],
	])('rejects %j with %s on %s', async (fields, code, param) => {
		const h = await harness();
		const error = await errorOf(await h.generations(fields));
		expect(error).toMatchObject({ status: 400, code, param });
		expect(h.calls).toEqual([]);
	});

	it('rejects an unknown model', async () => {
		const h = await harness();
		expect(await errorOf(await h.generations({ model: 'fake-2' }))).toMatchObject({
			status: 404,
			code: 'model_not_found',
		});
	});

	it('requires the scope images', async () => {
		const h = await harness();
		expect((await h.generations({}, { key: 'alice.videos' })).status).toBe(403);
	});
});

describe('a model with limited abilities', () => {
	it('is not called for an operation that it lacks', async () => {
		const h = await harness({ lacks: ['generate'] });
		const error = await errorOf(await h.generations());
		expect(error).toMatchObject({ status: 400, code: 'unsupported_value', param: 'model' });
		expect(error.message).toContain('fake-1');
	});

	it('is not called for transparency or sizes that it lacks', async () => {
		const h = await harness({
			abilities: {
				transparency: false,
				sizes: [
					{ width: 1024, height: 1024 },
					{ width: 512, height: 768 },
				],
			},
		});
		expect(await errorOf(await h.generations({ background: 'transparent' }))).toMatchObject({
			status: 400,
			code: 'unsupported_value',
			param: 'background',
		});
		const error = await errorOf(await h.generations({ size: '1536x1024' }));
		expect(error).toMatchObject({ status: 400, code: 'unsupported_value', param: 'size' });
		expect(error.message).toContain('1024x1024, 512x768');
		expect(h.calls).toEqual([]);
		expect(await picturesOf(await h.generations({ size: '512x768' }))).toMatchObject([{ width: 512, height: 768 }]);
	});

	it('may reject a value itself', async () => {
		const h = await harness();
		h.model.generate = () => Promise.reject(unsupportedValue('style', 'No styles here.'));
		expect(await errorOf(await h.generations({ style: 'vivid' }))).toMatchObject({
			status: 400,
			code: 'unsupported_value',
			param: 'style',
			message: 'No styles here.',
		});
	});
});
