import { invalidValue, modelError } from '@plinth/core';
import { errorOf, eventually } from '@plinth/testing';
import { describe, expect, it } from 'vitest';
import type { SpeechModel } from '../src/model.ts';
import { harness, pcm, samples, silence } from './harness.ts';

const failing = async () => {
	throw modelError('The GPU is out of memory.');
};

/** A fallback model that returns one sample. */
function fallbackModel(voices?: readonly string[]): SpeechModel {
	return {
		apiVersion: 1,
		speak: async () => pcm([samples(7)]),
		...(voices ? { voices: () => voices } : {}),
	};
}

const binding = { fallback: ['second'] };
const plain = { response_format: 'pcm' };

async function* breaking(...chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
	yield* chunks;
	throw modelError('The GPU is gone.');
}

describe('a model that fails', () => {
	it.each<[string, SpeechModel['speak']]>([
		['at once', failing],
		[
			'without a promise',
			() => {
				throw new Error('secret');
			},
		],
		['without a sound', async () => pcm([])],
		['in the middle of a silence', async () => pcm([], { body: breaking() })],
	])('%s before the first byte is replaced by its fallback', async (_, speak) => {
		const h = await harness({ speak, binding, others: { second: fallbackModel() } });
		const response = await h.speak(plain);
		expect(Buffer.from(await response.arrayBuffer())).toEqual(samples(7));
		expect(response.headers.get('x-plinth-model')).toBe('second');
		const streamed = await (await h.speak({ ...plain, stream_format: 'sse' })).text();
		expect(streamed).toContain(samples(7).toString('base64'));
	});

	it('is replaced in the middle of a file that is sent only when complete', async () => {
		const h = await harness({
			speak: async () => pcm([], { body: breaking(Buffer.alloc(2_000)) }),
			binding,
			others: { second: fallbackModel() },
		});
		const response = await h.speak();
		expect(Buffer.from(await response.arrayBuffer()).subarray(44)).toEqual(samples(7));
	});

	it('cuts the response when it fails after the first byte', async () => {
		const h = await harness({
			speak: async () => pcm([], { body: breaking(Buffer.alloc(2_000)) }),
			binding,
			others: { second: fallbackModel() },
		});
		const streamed = await (await h.speak({ ...plain, stream_format: 'sse' })).text();
		expect(streamed).toContain('model_error');
		expect(streamed).not.toContain(samples(7).toString('base64'));
	});

	it('has its error returned when the fallback lacks the voice', async () => {
		const h = await harness({
			speak: failing,
			binding,
			others: { second: fallbackModel(['nova']) },
		});
		expect(await errorOf(await h.speak())).toMatchObject({
			status: 502,
			message: expect.stringContaining('out of memory'),
		});
		expect((await h.speak({ voice: 'nova' })).status).toBe(200);
	});

	it('is not replaced when it rejects the request', async () => {
		const h = await harness({
			speak: () => Promise.reject(invalidValue('speed', 'Slower.')),
			binding,
			others: { second: fallbackModel() },
		});
		expect(await errorOf(await h.speak())).toMatchObject({ status: 400, param: 'speed' });
	});
});

describe('the slot of a model', () => {
	/** Returns some audio, then waits until `open` is called. */
	function held() {
		const { promise, resolve } = Promise.withResolvers<void>();
		async function* body(): AsyncGenerator<Uint8Array> {
			yield Buffer.alloc(2_000);
			await promise;
			yield Buffer.alloc(2_000);
		}
		return { speak: async () => pcm([], { body: body() }), open: resolve };
	}

	it.each(['audio', 'sse'])('is held until the audio is sent (%s)', async (format) => {
		const { speak, open } = held();
		const h = await harness({ speak, binding: { concurrency: 1 } });
		const first = await h.speak({ ...plain, stream_format: format });
		const second = h.speak(plain);
		await new Promise((resolve) => setImmediate(resolve));
		expect(h.calls).toHaveLength(1);
		open();
		await first.arrayBuffer();
		expect((await second).status).toBe(200);
	});

	it('is freed when the client disconnects', async () => {
		const { speak, open } = held();
		const h = await harness({ speak, binding: { concurrency: 1 } });
		const controller = new AbortController();
		await h.speak(plain, { signal: controller.signal });
		const second = h.speak(plain);
		controller.abort();
		await eventually('the second request has its turn', () => h.calls.length === 2);
		open();
		await (await second).arrayBuffer();
	});

	it('is freed when a file is complete, however slowly it is read', async () => {
		const h = await harness({
			speak: async () => silence(),
			binding: { concurrency: 1, waiting: 0 },
		});
		const first = await h.speak();
		expect((await h.speak()).status).toBe(200);
		await first.arrayBuffer();
	});
});
