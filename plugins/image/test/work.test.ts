import { modelError } from '@plinth/core';
import { errorOf, eventually, gate } from '@plinth/testing';
import { describe, expect, it, vi } from 'vitest';
import { checkResult } from '../src/work/result.ts';
import { answerOf, harness, picturesOf, solid } from './harness.ts';
import { file, pixels } from './pictures.ts';

describe('several pictures', () => {
	it('come from several calls of a model that makes one at a time, with successive seeds', async () => {
		const h = await harness();
		const pictures = await picturesOf(await h.generations({ n: 4, seed: 4_294_967_294 }));
		expect(h.calls.map(({ request }) => request.count)).toEqual([1, 1, 1, 1]);
		const seeds = h.calls.map(({ run }) => run.seed);
		expect(seeds).toEqual([4_294_967_294, 4_294_967_295, 0, 1]);
		expect(pictures.map(({ data }) => data[0])).toEqual([254, 255, 0, 1]);
	});

	it('come from as few calls as the model allows', async () => {
		const h = await harness({ abilities: { count: 4 } });
		expect(await picturesOf(await h.generations({ n: 10, seed: 20 }))).toHaveLength(10);
		expect(h.calls.map(({ request, run }) => [request.count, run.seed])).toEqual([
			[4, 20],
			[4, 24],
			[2, 28],
		]);
	});

	it('are made two calls at a time, and returned in order', async () => {
		const h = await harness();
		const gates = Array.from({ length: 4 }, gate);
		let most = 0;
		let now = 0;
		h.model.generate = async (request, { seed }) => {
			most = Math.max(most, ++now);
			await gates[seed]?.passed;
			now -= 1;
			return { images: [solid(request, seed)] };
		};
		const answer = h.generations({ n: 4, seed: 0 });
		for (const at of [1, 2, 3, 0]) {
			await eventually('two are at work', () => now === 2 || (now === 1 && at === 0));
			gates[at]?.open();
		}
		const pictures = await picturesOf(await answer);
		expect(pictures.map(({ data }) => data[0])).toEqual([0, 1, 2, 3]);
		expect(most).toBe(2);
	});

	it('are made with as many concurrent calls as the option says', async () => {
		const h = await harness({ options: { concurrency: 3 } });
		const all = gate();
		h.model.generate = async (request, { seed }) => {
			if (h.calls.length === 3) all.open();
			await all.passed;
			return { images: [solid(request, seed)] };
		};
		expect(await picturesOf(await h.generations({ n: 3 }))).toHaveLength(3);
	});

	it('count their estimated input once, and the reported usage of each call', async () => {
		const h = await harness();
		expect((await answerOf(await h.generations({ n: 3, size: '64x64' }))).usage).toMatchObject({
			input_tokens: 2,
			output_tokens: 12,
		});
		h.model.generate = async (request, { seed }) => ({
			images: [solid(request, seed)],
			usage: { inputTextTokens: 10, inputImageTokens: 0, outputTokens: 100 },
		});
		expect((await answerOf(await h.generations({ n: 3 }))).usage).toMatchObject({
			input_tokens: 30,
			output_tokens: 300,
			total_tokens: 330,
		});
	});

	it('have merged warnings without duplicates', async () => {
		const h = await harness();
		h.model.generate = async (request, { seed }) => ({
			images: [solid(request, seed)],
			warnings: ['Same.', `Seed ${seed}.`],
		});
		const { warnings } = await answerOf(await h.generations({ n: 2, seed: 1 }));
		expect(warnings?.toSorted()).toEqual(['Same.', 'Seed 1.', 'Seed 2.']);
	});

	it('are all aborted when one fails, even if a model ignores its signal', async () => {
		const h = await harness();
		h.model.generate = async (_, { seed }) => {
			if (seed > 0) throw modelError('The GPU is gone.');
			return new Promise(() => {});
		};
		const error = await errorOf(await h.generations({ n: 4, seed: 0 }));
		expect(error).toMatchObject({ status: 502, code: 'model_error' });
		expect(error.message).toContain('The GPU is gone.');
		expect(h.calls[0]?.run.signal.aborted).toBe(true);
		expect(h.calls).toHaveLength(2);
	});
});

describe('a model that fails', () => {
	it('has its message returned only when the error has a code', async () => {
		const h = await harness();
		h.model.generate = () => Promise.reject(new Error('/etc/secret is unreadable'));
		const error = await errorOf(await h.generations());
		expect(error).toMatchObject({ status: 502, code: 'model_error' });
		expect(error.message).not.toContain('secret');
	});

	it('may throw before it returns a promise', async () => {
		const h = await harness();
		h.model.generate = () => {
			throw new TypeError('size is undefined');
		};
		expect(await errorOf(await h.generations())).toMatchObject({ status: 502 });
	});

	const pixel = pixels(2, 2);
	it.each([
		['nothing', undefined, 'must return { images }'],
		['no array', { images: pixel }, 'must return { images }'],
		['too many', { images: [pixel, pixel] }, 'The model returned 2 of 1 pictures.'],
		['too few', { images: [] }, 'The model returned 0 of 1 pictures.'],
		['more withheld than requested', { images: [pixel], filtered: 1 }, '1 of 1 pictures and withheld 1.'],
		['half a picture withheld', { images: [pixel], filtered: 0.5 }, 'filtered'],
		['null for a picture', { images: [null] }, 'images[0]'],
		['no bytes', { images: [{ mediaType: 'image/png' }] }, 'images[0]'],
		['text for bytes', { images: [{ body: 'iVBOR', mediaType: 'image/png' }] }, 'images[0]'],
		['an error page', { images: [{ body: Buffer.from('<html>'), mediaType: 'image/png' }] }, 'PNG'],
		['a lie', { images: [{ body: file('jpeg', pixel), mediaType: 'image/png' }] }, 'image/jpeg'],
		['no media type', { images: [{ body: file('png', pixel) }] }, 'mediaType'],
		['too few pixels', { images: [{ ...pixel, data: new Uint8Array(15) }] }, '15 bytes'],
		['no width', { images: [{ height: 2, data: pixel.data }] }, 'width'],
		['half a pixel', { images: [{ width: 0.5, height: 2, data: new Uint8Array(4) }] }, 'width'],
		['a strange quality', { images: [pixel], quality: 'best' }, 'quality'],
		['one warning as text', { images: [pixel], warnings: 'No.' }, 'warnings'],
		['strange usage', { images: [pixel], usage: { outputTokens: -1 } }, 'usage'],
		['a strange prompt', { images: [{ ...pixel, revisedPrompt: 5 }] }, 'revisedPrompt'],
		[
			'a damaged file',
			{
				images: [
					{
						body: Buffer.concat([file('png', pixel), Buffer.from('DAMAGED')]),
						mediaType: 'image/png',
					},
				],
			},
			'cannot be used',
		],
	])('with %s as its result is reported with the reason', async (_, result, words) => {
		const h = await harness();
		h.model.generate = async () => result as never;
		const error = await errorOf(await h.generations());
		expect(error).toMatchObject({ status: 502, code: 'model_error', param: null });
		expect(error.message).toContain(words);
	});
});

it('a wrong number of pictures has a hint for the author of the model in its cause', () => {
	const check = () => checkResult('fake-1', { images: [] }, 1);
	const message = expect.stringContaining('The model fake-1 must return as many pictures as requested');
	expect(check).toThrow(expect.objectContaining({ cause: expect.objectContaining({ message }) }));
});

describe('a client that disconnects', () => {
	it('aborts all calls immediately, even if a model ignores its signal', async () => {
		const h = await harness();
		const controller = new AbortController();
		h.model.generate = () => new Promise(() => {});
		const answer = h.generations({ n: 3 }, { signal: controller.signal }).catch(() => 'left');
		await eventually('two calls are made', () => h.calls.length === 2);
		controller.abort();
		expect(await answer).toBe('left');
		await eventually('both calls are aborted', () => h.calls.every(({ run }) => run.signal.aborted));
		expect(h.calls).toHaveLength(2);
	});

	it('leaves nothing in the store when a picture was being encoded', async () => {
		const h = await harness();
		const put = vi.spyOn(h.blobs, 'put');
		const [encoding, left] = [gate(), gate()];
		h.codec.hold = async () => {
			encoding.open();
			await left.passed;
		};
		const leave = new AbortController();
		const fields = { response_format: 'url' };
		const answer = h.generations(fields, { signal: leave.signal }).catch(() => 'left');
		await encoding.passed;
		leave.abort();
		expect(await answer).toBe('left');
		left.open();
		await new Promise((resolve) => setImmediate(resolve));
		expect(put).not.toHaveBeenCalled();
	});
});
