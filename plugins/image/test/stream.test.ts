import { modelError } from '@plinth/core';
import { errorOf, eventually, gate } from '@plinth/testing';
import { describe, expect, it } from 'vitest';
import { dataUrl, formOf, harness, type Item, pictureIn, solid } from './harness.ts';
import { file, pixels } from './pictures.ts';

interface Frame extends Item {
	readonly type?: string;
	readonly partial_image_index?: number;
	readonly image_index?: number;
	readonly usage?: { readonly input_tokens: number; readonly output_tokens: number };
	readonly error?: { readonly code: string; readonly message: string };
	readonly [key: string]: unknown;
}

async function framesOf(response: Response): Promise<Frame[]> {
	const text = await response.text();
	if (response.status !== 200) throw new Error(`${response.status}: ${text}`);
	expect(response.headers.get('content-type')).toContain('text/event-stream');
	return text
		.split('\n\n')
		.filter((frame) => frame.startsWith('event: '))
		.map((frame) => {
			const [, event, data = ''] = /^event: (\S+)\ndata: (.*)$/.exec(frame) ?? [];
			const value = JSON.parse(data) as Frame;
			expect(event).toBe(value.error ? 'error' : value.type);
			return value;
		});
}

/** A short text for each event: `partial 0`, `completed`. */
function outline(frames: readonly Frame[]): string[] {
	return frames.map(({ type = 'error', partial_image_index: index }) => {
		const [, word = type] = /\.(partial|completed)/.exec(type) ?? [];
		return index === undefined ? word : `${word} ${index}`;
	});
}

const stream = { stream: true, size: '64x64', seed: 1 };

describe('a stream', () => {
	it('without partials is one completed event', async () => {
		const h = await harness();
		const frames = await framesOf(await h.generations(stream));
		expect(frames).toStrictEqual([
			{
				type: 'image_generation.completed',
				b64_json: expect.any(String),
				created_at: Math.floor(h.clock.now() / 1000),
				size: '64x64',
				background: 'opaque',
				output_format: 'png',
				quality: 'high',
				usage: {
					input_tokens: 2,
					output_tokens: 4,
					total_tokens: 6,
					input_tokens_details: { text_tokens: 2, image_tokens: 0 },
					output_tokens_details: { image_tokens: 4, text_tokens: 0 },
				},
			},
		]);
		expect(pictureIn(frames[0])).toMatchObject({ format: 'png', width: 64 });
		expect(h.calls[0]?.run.partials).toBe(0);
	});

	it('has partial images in the requested format, then the picture', async () => {
		const h = await harness();
		const shown = [gate(), gate()];
		h.codec.hold = async (image) => shown[(image.data[0] ?? 0) - 1]?.open();
		h.model.generate = async (_, { partial, partials }) => {
			expect(partials).toBe(2);
			partial(pixels(64, 64, [1, 0, 0, 255]));
			await shown[0]?.passed;
			partial(pixels(32, 32, [2, 0, 0, 0]));
			await shown[1]?.passed;
			partial(pixels(64, 64, [3, 0, 0, 255]));
			await new Promise((resolve) => setImmediate(resolve));
			return {
				images: [{ ...pixels(64, 64, [9, 0, 0, 255]), revisedPrompt: 'one cat' }],
				quality: 'medium',
				warnings: ['No style.'],
			};
		};
		const frames = await framesOf(await h.generations({ ...stream, partial_images: 2, output_format: 'webp' }));
		expect(outline(frames)).toEqual(['partial 0', 'partial 1', 'completed']);
		expect(frames.map((frame) => pictureIn(frame).data[0])).toEqual([1, 2, 9]);
		expect(frames[1]).toStrictEqual({
			type: 'image_generation.partial_image',
			b64_json: expect.any(String),
			partial_image_index: 1,
			created_at: expect.any(Number),
			size: '32x32',
			background: 'transparent',
			output_format: 'webp',
			quality: 'auto',
		});
		expect(frames[2]).toMatchObject({
			revised_prompt: 'one cat',
			quality: 'medium',
			warnings: ['No style.'],
		});
	});

	it('has warnings about unknown members with each picture', async () => {
		const h = await harness();
		const frames = await framesOf(await h.generations({ ...stream, n: 2, siz: '512x512' }));
		const unknown = 'siz: the server does not know this parameter and ignored it. Did you mean size?';
		expect(frames.filter(({ type }) => String(type).endsWith('.completed'))).toMatchObject([
			{ warnings: [unknown] },
			{ warnings: [unknown] },
		]);
	});

	it('has the finished picture once as a partial when the model sent none', async () => {
		const h = await harness();
		const frames = await framesOf(await h.generations({ ...stream, partial_images: 3 }));
		expect(outline(frames)).toEqual(['partial 0', 'completed']);
		expect(frames[0]?.b64_json).toBe(frames[1]?.b64_json);
	});

	it('does not wait for the encoding of a partial when the picture is finished', async () => {
		const h = await harness();
		h.codec.hold = async ({ data }) => {
			if (data[0] === 1) await new Promise(() => {});
		};
		h.model.generate = async (_, { partial }) => {
			partial(pixels(64, 64, [1, 0, 0, 255]));
			await new Promise((resolve) => setImmediate(resolve));
			return { images: [pixels(64, 64, [9, 0, 0, 255])] };
		};
		const frames = await framesOf(await h.generations({ ...stream, partial_images: 3 }));
		expect(frames.map((frame) => pictureIn(frame).data[0])).toEqual([9, 9]);
	});

	it('omits broken partials, and partials of pictures outside the request', async () => {
		const h = await harness();
		h.model.generate = async (_, { partial }) => {
			partial({ width: 3, height: 3, data: new Uint8Array(4) });
			partial(null as never);
			partial(pixels(8, 8), 1);
			partial(pixels(8, 8), -1);
			return { images: [pixels(64, 64)] };
		};
		const frames = await framesOf(await h.generations({ ...stream, partial_images: 3 }));
		expect(outline(frames)).toEqual(['partial 0', 'completed']);
		expect(frames[0]?.size).toBe('64x64');
	});

	it('copies a partial, because the model may reuse its buffer', async () => {
		const h = await harness();
		const shown = gate();
		h.codec.hold = async ({ data }) => {
			if (data[0] === 1) shown.open();
		};
		h.model.generate = async (_, { partial }) => {
			const canvas = {
				width: 64,
				height: 64,
				data: Buffer.from(pixels(64, 64, [1, 0, 0, 255]).data),
			};
			partial(canvas);
			canvas.data.fill(7);
			await shown.passed;
			return { images: [canvas] };
		};
		const frames = await framesOf(await h.generations({ ...stream, partial_images: 1 }));
		expect(frames.map((frame) => pictureIn(frame).data[0])).toEqual([1, 7]);
	});

	it('of several pictures has the index of the picture in each event', async () => {
		const h = await harness({ abilities: { count: 2 } });
		const frames = await framesOf(await h.generations({ ...stream, n: 3, partial_images: 1 }));
		for (const index of [0, 1, 2]) {
			const own = frames.filter(({ image_index: at }) => at === index);
			expect(outline(own)).toEqual(['partial 0', 'completed']);
			expect(pictureIn(own[1]).data[0]).toBe(1 + index);
		}
		expect(frames).toHaveLength(6);
	});

	it('has usage that adds up to that of a non-streamed response, with the input at the first picture', async () => {
		const h = await harness();
		const frames = await framesOf(await h.generations({ ...stream, n: 3 }));
		expect(frames.map(({ usage }) => usage?.input_tokens)).toEqual([2, 0, 0]);
		expect(frames.map(({ usage }) => usage?.output_tokens)).toEqual([4, 4, 4]);
	});

	it('of an edit has its own event names, in both encodings', async () => {
		const h = await harness();
		const image = file('png', pixels(64, 64));
		const form = formOf(['image', image], ['stream', '1'], ['partial_images', '1']);
		const types = async (body: Parameters<typeof h.editing>[0]) =>
			(await framesOf(await h.editing(body))).map(({ type }) => type);
		const expected = ['image_edit.partial_image', 'image_edit.completed'];
		expect(await types(form)).toEqual(expected);
		const json = { image: { image_url: dataUrl(image) }, stream: true, partial_images: 1 };
		expect(await types(json)).toEqual(expected);
	});

	it('with URLs has them only in completed events', async () => {
		const h = await harness();
		const frames = await framesOf(await h.generations({ ...stream, partial_images: 1, response_format: 'url' }));
		expect(frames.map((frame) => ['b64_json' in frame, 'url' in frame])).toEqual([
			[true, false],
			[false, true],
		]);
		expect((await h.get(String(frames[1]?.url), { key: null })).status).toBe(200);
	});

	it('starts after a second, even if there is no event yet', async () => {
		const h = await harness();
		const done = gate();
		h.model.generate = async (request) => {
			await done.passed;
			return { images: [solid(request, 1)] };
		};
		const answer = h.generations(stream);
		await eventually('the model is called', () => h.calls.length === 1);
		await h.clock.advance(1_000);
		const response = await answer;
		expect(response.status).toBe(200);
		done.open();
		expect(outline(await framesOf(response))).toEqual(['completed']);
	});

	it('waits for a slow reader, and drops partials instead of queueing them', async () => {
		const h = await harness({ options: { concurrency: 1 } });
		h.model.generate = async (request, { seed, partial }) => {
			partial(pixels(8, 8, [seed, 0, 0, 255]));
			await new Promise((resolve) => setImmediate(resolve));
			return { images: [solid(request, seed)] };
		};
		const fields = { ...stream, n: 10, seed: 0, partial_images: 1, response_format: 'url' };
		const response = await h.generations(fields);
		let [before, still] = [0, 0];
		await eventually('nothing more is made', () => {
			still = h.calls.length === before ? still + 1 : 0;
			before = h.calls.length;
			return still === 10;
		});
		expect(before).toBeLessThan(10);
		const frames = await framesOf(response);
		expect(h.calls).toHaveLength(10);
		const finished = frames.filter(({ type }) => type?.endsWith('.completed'));
		expect(finished.map(({ image_index: index }) => index)).toEqual([...Array(10).keys()]);
		// The dropped partial would have waited; the finished picture is always sent.
		const partials = frames.filter(({ type }) => type?.endsWith('.partial_image'));
		expect(partials).toHaveLength(10);
		expect(new Set(partials.map(({ size }) => size))).toEqual(new Set(['8x8', '64x64']));
	});

	it('reports the number of withheld pictures, and fails when all were withheld', async () => {
		const h = await harness({ abilities: { count: 2 } });
		h.model.generate = async () => ({ images: [pixels(8, 8)], filtered: 1 });
		const frames = await framesOf(await h.generations({ ...stream, n: 2 }));
		expect(frames).toMatchObject([{ filtered_count: 1 }]);
		h.model.generate = async ({ count }) => ({ images: [], filtered: count });
		expect(await errorOf(await h.generations(stream))).toMatchObject({
			status: 400,
			type: 'image_generation_user_error',
			code: 'moderation_blocked',
		});
	});
});

describe('a failure', () => {
	it('before the first event is an error status', async () => {
		const h = await harness();
		h.model.generate = () => Promise.reject(modelError('The GPU is gone.'));
		expect(await errorOf(await h.generations(stream))).toMatchObject({
			status: 502,
			code: 'model_error',
		});
	});

	it('after the first event is a last frame, and aborts the other calls', async () => {
		const h = await harness();
		h.model.generate = async (request, { seed, signal }) => {
			if (seed === 1) return { images: [solid(request, seed)] };
			if (seed === 3) throw modelError('The GPU is gone.');
			return new Promise((_, reject) => {
				signal.addEventListener('abort', () => reject(signal.reason));
			});
		};
		const frames = await framesOf(await h.generations({ ...stream, n: 3 }));
		expect(outline(frames)).toEqual(['completed', 'error']);
		expect(frames[1]?.error).toMatchObject({ code: 'model_error' });
		expect(h.calls[1]?.run.signal.aborted).toBe(true);
	});
});

describe('a client that disconnects during a stream', () => {
	it('aborts all calls immediately, even if a model ignores its signal, and is sent nothing more', async () => {
		const h = await harness();
		h.model.generate = async (_, { seed, partial }) => {
			partial(pixels(8, 8, [seed, 0, 0, 255]));
			return new Promise(() => {});
		};
		const response = await h.generations({ ...stream, n: 2, partial_images: 3 });
		const reader = (response.body as ReadableStream<Uint8Array>).getReader();
		await reader.read();
		await reader.cancel();
		await eventually('both calls are aborted', () => h.calls.every(({ run }) => run.signal.aborted));
		expect(h.calls).toHaveLength(2);
		const encodings = h.codec.calls.length;
		for (const { run } of h.calls) run.partial(pixels(8, 8));
		await new Promise((resolve) => setImmediate(resolve));
		expect(h.codec.calls).toHaveLength(encodings);
	});

	it('aborts all calls also before the first event', async () => {
		const h = await harness();
		const controller = new AbortController();
		h.model.generate = () => new Promise(() => {});
		const answer = h.generations(stream, { signal: controller.signal }).catch(() => 'left');
		await eventually('the model is called', () => h.calls.length === 1);
		controller.abort();
		expect(await answer).toBe('left');
		await eventually('the call is aborted', () => h.calls[0]?.run.signal.aborted === true);
	});
});
