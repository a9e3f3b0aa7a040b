import { modelError, unsupportedValue } from '@plinth/core';
import { errorOf, eventually, gate } from '@plinth/testing';
import { describe, expect, it } from 'vitest';
import type { ImageModel, ImageRequest, ImageRun } from '../src/model.ts';
import { answerOf, dataUrl, type HarnessOptions, harness, pictureIn, picturesOf, solid } from './harness.ts';
import { file, pixels } from './pictures.ts';

/** A fallback model that makes blue pictures, and the requests that it received. */
function fallbackModel(abilities: ImageModel['abilities'] = {}) {
	const received: ImageRequest[] = [];
	const paint = async (request: ImageRequest) => {
		received.push(request);
		const { width, height } = request.size ?? { width: 64, height: 64 };
		return { images: [pixels(width, height, [0, 0, 255, 255])] };
	};
	const model: ImageModel = { apiVersion: 1, abilities, generate: paint, edit: paint };
	return { asked: received, model };
}

/** An app whose model fails, with a fallback. */
async function failing(abilities: ImageModel['abilities'] = {}, more: HarnessOptions = {}) {
	const second = fallbackModel(abilities);
	const h = await harness({
		...more,
		binding: { fallback: ['second'] },
		others: { second: second.model },
	});
	h.model.generate = h.model.edit = () => Promise.reject(modelError('The GPU is out of memory.'));
	return { h, asked: second.asked };
}

const small = { size: '64x64' };
const wordsOf = (text: string) => [...text.matchAll(/^event: \S*?(\w+)$/gm)].map(([, word]) => word);

describe('a model that fails', () => {
	it('is replaced for a non-streamed response of any number of pictures', async () => {
		const second = fallbackModel();
		const h = await harness({
			binding: { fallback: ['second'] },
			others: { second: second.model },
		});
		h.model.generate = async (request, { seed }) => {
			if (h.calls.length > 1) throw modelError('The GPU is out of memory.');
			return { images: [solid(request, seed)] };
		};
		const response = await h.generations({ ...small, n: 3, seed: 1 });
		expect(response.headers.get('x-plinth-model')).toBe('second');
		const pictures = await picturesOf(response);
		expect(pictures.map(({ data }) => [...data.subarray(0, 3)])).toEqual([
			[0, 0, 255],
			[0, 0, 255],
			[0, 0, 255],
		]);
	});

	it('is replaced for an edit, whose pictures the fallback receives', async () => {
		const { h, asked } = await failing();
		const image = { image_url: dataUrl(file('png', pixels(64, 64))) };
		expect((await h.editing({ image })).status).toBe(200);
		expect(asked[0]).toMatchObject({ images: [{ width: 64 }] });
	});

	it('adds nothing to the usage', async () => {
		const { h } = await failing();
		const failed = await answerOf(await h.generations(small));
		const { usage } = await answerOf(await h.generations({ ...small, model: 'second' }));
		expect(failed.usage).toEqual(usage);
	});

	it('is replaced by a model with other sizes when its pictures can be fitted', async () => {
		const sizes = [{ width: 128, height: 128 }];
		const { h, asked } = await failing({ sizes, fit: 'cover' });
		expect(await picturesOf(await h.generations(small))).toMatchObject([{ width: 64 }]);
		expect(asked[0]?.size).toEqual(sizes[0]);
	});

	it('has its error returned when the fallback rejects the request', async () => {
		const { h, asked } = await failing({ sizes: [{ width: 128, height: 128 }] });
		expect(await errorOf(await h.generations(small))).toMatchObject({
			status: 502,
			message: expect.stringContaining('out of memory'),
		});
		expect(asked).toEqual([]);
	});

	it('is not replaced by a model without masks when the request has one', async () => {
		const { h, asked } = await failing({ mask: false });
		const image = { image_url: dataUrl(file('png', pixels(64, 64))) };
		const mask = { image_url: dataUrl(file('png', pixels(64, 64, [0, 0, 0, 0]))) };
		expect(await errorOf(await h.editing({ image, mask }))).toMatchObject({
			status: 502,
			message: expect.stringContaining('out of memory'),
		});
		expect(asked).toEqual([]);
		expect((await h.editing({ image })).status).toBe(200);
	});

	it('is not replaced when it rejects the request', async () => {
		const { h, asked } = await failing();
		h.model.generate = () => Promise.reject(unsupportedValue('style', 'Not here.'));
		expect(await errorOf(await h.generations(small))).toMatchObject({ status: 400 });
		expect(asked).toEqual([]);
	});
});

describe('a stream', () => {
	it('is continued by the next model when the first fails before it has sent a picture', async () => {
		const { h } = await failing();
		const response = await h.generations({ ...small, stream: true });
		expect(response.headers.get('x-plinth-model')).toBe('second');
		expect(wordsOf(await response.text())).toEqual(['completed']);
	});

	it('is continued by the next model also when it has started without an event', async () => {
		const { h, asked } = await failing();
		const broken = gate();
		h.model.generate = async () => {
			await broken.passed;
			throw modelError('The GPU is gone.');
		};
		const answer = h.generations({ ...small, stream: true });
		await eventually('the model is at work', () => h.calls.length === 1);
		await h.clock.advance(1_000);
		const response = await answer;
		expect(asked).toEqual([]);
		broken.open();
		expect(wordsOf(await response.text())).toEqual(['completed']);
	});

	it('has no pictures of a model that exceeded its timeout', async () => {
		const [first, second] = [gate(), gate()];
		const asked: ImageRun[] = [];
		const next: ImageModel = {
			apiVersion: 1,
			async generate(_, run) {
				asked.push(run);
				await second.passed;
				return { images: [pixels(64, 64, [0, 0, 255, 255])] };
			},
		};
		const h = await harness({
			binding: { fallback: ['next'], timeoutSeconds: 5 },
			others: { next },
		});
		const returned = gate();
		h.model.generate = async (_, { partial, signal }) => {
			const red = pixels(64, 64, [255, 0, 0, 255]);
			signal.addEventListener('abort', () => partial(red));
			await first.passed;
			partial(red);
			returned.open();
			return { images: [red] };
		};
		const answer = h.generations({ ...small, stream: true, partial_images: 1 });
		await eventually('the model is at work', () => h.calls.length === 1);
		await h.clock.advance(5_000);
		await eventually('the fallback is called', () => asked.length === 1);
		first.open();
		await returned.passed;
		await new Promise((resolve) => setImmediate(resolve));
		second.open();
		const frames = (await (await answer).text()).matchAll(/"b64_json":"([^"]+)"/g);
		const colours = [...frames].map(([, b64_json = '']) => [...pictureIn({ b64_json }).data.subarray(0, 3)]);
		expect(colours).toEqual([
			[0, 0, 255],
			[0, 0, 255],
		]);
		expect(h.codec.calls.filter((name) => name === 'encode')).toHaveLength(1);
	});

	it('is cut when the model fails after a partial image', async () => {
		const { h, asked } = await failing();
		const shown = gate();
		h.model.generate = async (_, { partial }) => {
			partial(pixels(64, 64, [1, 0, 0, 255]));
			await shown.passed;
			throw modelError('The GPU is gone.');
		};
		const response = await h.generations({ ...small, stream: true, partial_images: 1 });
		shown.open();
		expect(wordsOf(await response.text())).toEqual(['partial_image', 'error']);
		expect(asked).toEqual([]);
	});
});

describe('the slot of a model', () => {
	it.each([false, true])('is shared by all pictures of a request (stream: %s)', async (stream) => {
		const h = await harness({ binding: { concurrency: 1, waiting: 0 } });
		const response = await h.generations({ ...small, n: 3, stream });
		expect([response.status, h.calls.length]).toEqual([200, 3]);
		await response.text();
	});

	it('is held until the work for a stream has ended', async () => {
		const h = await harness({ binding: { concurrency: 1 } });
		const done = gate();
		h.model.generate = async (request, { partial, seed }) => {
			partial(pixels(64, 64, [1, 0, 0, 255]));
			await done.passed;
			return { images: [solid(request, seed)] };
		};
		const first = await h.generations({ ...small, stream: true, partial_images: 1 });
		const second = h.generations(small);
		await new Promise((resolve) => setImmediate(resolve));
		expect(h.calls).toHaveLength(1);
		done.open();
		expect(wordsOf(await first.text())).toEqual(['partial_image', 'completed']);
		expect((await second).status).toBe(200);
	});

	it('is freed when the reader of a stream stops', async () => {
		const h = await harness({ binding: { concurrency: 1 } });
		h.model.generate = async (request, { partial, seed }) => {
			if (h.calls.length > 1) return { images: [solid(request, seed)] };
			partial(pixels(64, 64, [1, 0, 0, 255]));
			return new Promise(() => {});
		};
		const controller = new AbortController();
		const body = { ...small, stream: true, partial_images: 1 };
		await h.generations(body, { signal: controller.signal });
		const second = h.generations(small);
		controller.abort();
		expect((await second).status).toBe(200);
	});
});
