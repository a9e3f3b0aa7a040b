import { modelError, plinthError } from '@plinth/core';
import { eventually, gate } from '@plinth/testing';
import { describe, expect, it } from 'vitest';
import type { VideoModel, VideoRun } from '../src/model.ts';
import { type Harness, harness, mp4, png, type Routing } from './harness.ts';

const video = (content: string) => ({ body: mp4(content), mediaType: 'video/mp4' }) as const;
const broken = () => Promise.reject(modelError('The GPU is out of memory.'));

/** A fallback model, its calls, and the tokens that it had to cancel. */
function fallbackModel(generate: VideoModel['generate'] = async () => video('second')) {
	const runs: VideoRun[] = [];
	const model: VideoModel = {
		apiVersion: 1,
		generate(request, run) {
			runs.push(run);
			return generate(request, run);
		},
	};
	return { runs, model };
}

function routed(second: VideoModel, binding: Routing['binding'] = {}): Promise<Harness> {
	const routing = { binding: { fallback: ['second'], ...binding }, others: { second } };
	return harness({}, {}, {}, routing);
}

async function contentOf(h: Harness, id: string): Promise<string> {
	return (await h.send('GET', `/v1/videos/${id}/content`)).text();
}

async function keysOf(h: Harness): Promise<string[]> {
	const keys: string[] = [];
	for await (const { key } of h.blobs.list('jobs/')) keys.push(key);
	return keys;
}

describe('a model that fails', () => {
	it.each<[string, VideoModel['generate']]>([
		['before it has begun', broken],
		['with an error page', async () => ({ ...video(''), body: Buffer.from('<html>') })],
		[
			'in the middle of the video',
			async () => ({
				...video(''),
				body: (async function* () {
					yield mp4();
					throw new Error('reset');
				})(),
			}),
		],
		[
			'behind the video',
			async () => ({
				...video('first'),
				poster: {
					mediaType: 'image/png' as const,
					get body(): Uint8Array {
						throw modelError('The poster broke.');
					},
				},
			}),
		],
	])('%s is replaced by its fallback, and leaves no bytes', async (_, generate) => {
		const h = await routed(fallbackModel().model);
		h.model.generate = generate;
		const made = await h.finish();
		expect(made).toMatchObject({ status: 'completed', model: 'fake-1' });
		expect(await contentOf(h, made.id)).toBe(mp4('second').toString());
		expect(await keysOf(h)).toHaveLength(1);
	});

	it('has its error in the job when the fallback rejects the request', async () => {
		const refusal = plinthError('E_VALUE_UNSUPPORTED', { param: 'size', message: 'Landscape.' });
		const h = await routed(fallbackModel(() => Promise.reject(refusal)).model);
		h.model.generate = broken;
		expect((await h.finish()).error).toMatchObject({
			code: 'model_error',
			message: expect.stringContaining('out of memory'),
		});
	});

	it('gets the same seed as its fallback', async () => {
		const second = fallbackModel();
		const h = await routed(second.model);
		h.model.generate = broken;
		await h.finish();
		expect(second.runs[0]?.seed).toBe(h.calls[0]?.run.seed);
	});

	it('and its fallback have different keys, which are the same in each attempt', async () => {
		const second = fallbackModel();
		const h = await routed(second.model);
		h.model.generate = broken;
		await h.finish();
		await h.finish();
		const keys = [...h.calls.map(({ run }) => run.key), ...second.runs.map(({ key }) => key)];
		expect(new Set(keys).size).toBe(4);
		for (const key of keys) expect(key).toMatch(/^[0-9a-f]{32}$/);
	});

	it('is replaced after its timeout, and can no longer write bytes or a checkpoint', async () => {
		const [late, begun] = [gate(), gate()];
		const second = fallbackModel(async () => {
			begun.open();
			await late.passed;
			return video('second');
		});
		const h = await routed(second.model, { timeoutSeconds: 5 });
		let refused: unknown;
		h.model.generate = async (_, run) => {
			await begun.passed;
			await run.checkpoint('late').catch((error: unknown) => {
				refused = error;
			});
			run.progress(0.9);
			late.open();
			return video('first');
		};
		const { id } = await h.create();
		await eventually('the model is at work', () => h.calls.length === 1);
		await h.clock.advance(5_000);
		expect((await h.wait(id, 'completed')).model).toBe('fake-1');
		expect(await contentOf(h, id)).toBe(mp4('second').toString());
		expect(refused).toMatchObject({ code: 'E_MODEL_TIMEOUT' });
		expect(h.cancelled()).toEqual(['late']);
	});
});

describe('a model that has written a checkpoint', () => {
	it('is not replaced when it fails', async () => {
		const second = fallbackModel();
		const h = await routed(second.model);
		h.model.generate = async (_, run) => {
			await run.checkpoint('token');
			return broken();
		};
		expect((await h.finish()).error?.message).toContain('out of memory');
		expect(second.runs).toEqual([]);
	});

	it('is not replaced after its timeout: its work is cancelled', async () => {
		const second = fallbackModel();
		const h = await routed(second.model, { timeoutSeconds: 5 });
		const started = gate();
		h.model.generate = async (_, run) => {
			await run.checkpoint('token');
			started.open();
			return new Promise(() => {});
		};
		const { id } = await h.create();
		await started.passed;
		await h.clock.advance(5_000);
		expect((await h.wait(id, 'failed')).error?.code).toBe('model_timeout');
		expect([second.runs, h.cancelled()]).toEqual([[], ['token']]);
	});

	it('is called in the next attempt, whichever model the job names', async () => {
		const second = fallbackModel(async (_, run) => {
			if (run.resume !== undefined) return video(`from ${run.resume}`);
			await run.checkpoint('token');
			throw plinthError('E_STORE_UNAVAILABLE');
		});
		const h = await routed(second.model);
		h.model.generate = broken;
		const { id } = await h.create();
		await eventually('the first attempt is put off', () => second.runs.length === 1);
		await eventually('the next attempt is done', async () => {
			await h.clock.advance(5_000);
			return second.runs.length === 2;
		});
		await h.wait(id, 'completed');
		expect(await contentOf(h, id)).toBe(mp4('from token').toString());
		expect(h.calls).toHaveLength(1);
	});
});

it('a poster of the fallback is deleted with its video', async () => {
	const second = fallbackModel(async () => ({
		...video('second'),
		poster: { body: png, mediaType: 'image/png' },
	}));
	const h = await routed(second.model);
	h.model.generate = broken;
	const { id } = await h.finish();
	const poster = await h.send('GET', `/v1/videos/${id}/content?variant=thumbnail`);
	expect(Buffer.from(await poster.arrayBuffer())).toEqual(png);
});
