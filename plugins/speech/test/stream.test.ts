import { modelError } from '@plinth/core';
import { errorOf, eventually, manualClock } from '@plinth/testing';
import { describe, expect, it } from 'vitest';
import type { PcmAudio, SpeechModel } from '../src/model.ts';
import { type HarnessOptions, harness, pcm, samples, silence } from './harness.ts';

interface Frame {
	readonly type?: string;
	readonly audio?: string;
	readonly usage?: unknown;
	readonly warnings?: unknown;
	readonly error?: { readonly code: string; readonly message: string };
}

async function framesOf(response: Response): Promise<Frame[]> {
	expect(response.status).toBe(200);
	expect(response.headers.get('content-type')).toContain('text/event-stream');
	return framesIn(await response.text());
}

function framesIn(text: string): Frame[] {
	const data = text.match(/^data: .*$/gm) ?? [];
	return data.map((line) => JSON.parse(line.slice('data: '.length)) as Frame);
}

function audioOf(frames: readonly Frame[]): Buffer {
	return Buffer.concat(frames.map(({ audio = '' }) => Buffer.from(audio, 'base64')));
}

/** A model whose calls each work until `finish` or `fail` is called for the oldest one. */
function slowModel() {
	const calls: PromiseWithResolvers<PcmAudio>[] = [];
	const speak = () => {
		const call = Promise.withResolvers<PcmAudio>();
		calls.push(call);
		return call.promise;
	};
	return {
		speak,
		finish: () => calls.shift()?.resolve(silence()),
		fail: () => calls.shift()?.reject(modelError('The GPU is gone.')),
	};
}

const streamed = { response_format: 'pcm', stream_format: 'sse' };

describe('stream_format sse', () => {
	it('sends base64 chunks and then the usage', async () => {
		const { speak } = await harness();
		const frames = await framesOf(await speak({ response_format: 'pcm', stream_format: 'sse' }));
		expect(frames.slice(0, -1).every(({ type }) => type === 'speech.audio.delta')).toBe(true);
		expect(audioOf(frames)).toEqual(Buffer.alloc(48_000));
		expect(frames.at(-1)).toStrictEqual({
			type: 'speech.audio.done',
			usage: { input_tokens: 3, output_tokens: 20, total_tokens: 23 },
		});
	});

	it('sends a WAV with exact lengths, in chunks', async () => {
		const { speak } = await harness({
			speak: async () => silence({ body: pcm([Buffer.alloc(150_000)]).body, warnings: ['no speed'] }),
		});
		const frames = await framesOf(await speak({ stream_format: 'sse' }));
		const wav = audioOf(frames);
		expect(wav).toHaveLength(150_044);
		expect(wav.readUInt32LE(40)).toBe(150_000);
		expect(frames.length).toBeGreaterThan(4);
		expect(frames.at(-1)?.warnings).toEqual(['no speed']);
	});

	it('has an error status for a failure before the first byte, and an error frame for a later one', async () => {
		const broken = (first: readonly Uint8Array[]) =>
			harness({
				speak: async () =>
					pcm([], {
						body: (async function* () {
							yield* first;
							throw modelError('The GPU is gone.');
						})(),
					}),
			});
		const fields = { response_format: 'pcm', stream_format: 'sse' };
		const early = await errorOf(await (await broken([])).speak(fields));
		expect(early).toMatchObject({ status: 502, code: 'model_error' });
		const frames = await framesOf(await (await broken([samples(1)])).speak(fields));
		expect(frames[0]?.type).toBe('speech.audio.delta');
		expect(frames.at(-1)?.error).toMatchObject({ code: 'model_error' });
		expect(frames.some(({ type }) => type === 'speech.audio.done')).toBe(false);
	});
});

describe('a stream of a model that is silent for ten seconds', () => {
	/** The response, which starts without a sound. */
	async function started(options: HarnessOptions) {
		const clock = manualClock();
		const h = await harness({ clock, ...options });
		const asked = h.speak(streamed);
		await eventually('the model is at work', () => h.calls.length === 1);
		await clock.advance(10_000);
		return { h, clock, response: await asked };
	}

	it('starts, and has comments until the first audio', async () => {
		const { speak, finish } = slowModel();
		const { clock, response } = await started({ speak });
		const sent = response.text();
		await clock.advance(15_000);
		finish();
		const text = await sent;
		expect(text).toMatch(/^: ping\n\ndata: /);
		expect(audioOf(framesIn(text))).toEqual(Buffer.alloc(48_000));
	});

	it('has an error event for a failure', async () => {
		const { speak, fail } = slowModel();
		const { response } = await started({ speak });
		fail();
		const frames = await framesOf(response);
		expect(frames.map(({ error }) => error?.code)).toEqual(['model_error']);
	});

	it('is continued by a fallback model', async () => {
		const { speak, fail } = slowModel();
		const second: SpeechModel = { apiVersion: 1, speak: async () => pcm([samples(7)]) };
		const { response } = await started({ speak, binding: { fallback: ['second'] }, others: { second } });
		fail();
		expect(audioOf(await framesOf(response))).toEqual(samples(7));
	});

	it.each(['after the end', 'when the client disconnects'])('frees the slot of the model once, %s', async (end) => {
		const { speak, finish } = slowModel();
		const { h, response } = await started({ speak, binding: { concurrency: 1 } });
		const [next, last] = [h.speak(streamed), h.speak(streamed)];
		if (end === 'after the end') finish();
		else await response.body?.cancel();
		if (end === 'after the end') await framesOf(response);
		await eventually('the next request has its turn', () => h.calls.length === 2);
		finish();
		await new Promise((resolve) => setImmediate(resolve));
		expect(h.calls).toHaveLength(2);
		finish();
		await framesOf(await next);
		await eventually('the last request has its turn', () => h.calls.length === 3);
		finish();
		await framesOf(await last);
	});
});

describe('a client that disconnects', () => {
	it('stops the model immediately during a stream, even if the model ignores its signal', async () => {
		const { promise: returned, resolve } = Promise.withResolvers<void>();
		let made = 0;
		const body: AsyncIterable<Uint8Array> = {
			[Symbol.asyncIterator]: () => ({
				// The third chunk is never emitted.
				next: () => (made++ < 2 ? Promise.resolve({ done: false, value: samples(1) }) : new Promise(() => {})),
				async return() {
					resolve();
					return { done: true, value: undefined };
				},
			}),
		};
		const { speak, calls } = await harness({ speak: async () => pcm([], { body }) });
		const response = await speak({ response_format: 'pcm' });
		const reader = (response.body as ReadableStream<Uint8Array>).getReader();
		await reader.read();
		await reader.cancel();
		await returned;
		expect(calls[0]?.run.signal.aborted).toBe(true);
	});

	it('stops the model before the first byte', async () => {
		const { promise: stopped, resolve } = Promise.withResolvers<void>();
		const { promise: began, resolve: begin } = Promise.withResolvers<void>();
		const controller = new AbortController();
		const { speak } = await harness({
			speak: (_, { signal }) => {
				signal.addEventListener('abort', () => resolve());
				begin();
				return new Promise(() => {});
			},
		});
		const answer = speak({}, { signal: controller.signal }).catch((error: unknown) => error);
		await began;
		controller.abort();
		await stopped;
		await answer;
	});

	it('does not get a complete response after a failure in the middle', async () => {
		const { speak } = await harness({
			speak: async () =>
				pcm([], {
					body: (async function* () {
						yield samples(1);
						throw new Error('broken');
					})(),
				}),
		});
		const response = await speak({ response_format: 'pcm' });
		await expect(response.arrayBuffer()).rejects.toThrow();
	});
});
