import { type BlobStore, type Job, type JobRun, type ModelCall, type Models, plinthError } from '@plinth/core';
import { memoryBlobs } from '@plinth/memory';
import { createBackend, gate, silentLogger } from '@plinth/testing';
import { describe, expect, it, vi } from 'vitest';
import { readCheckpoint, writeCheckpoint } from '../src/checkpoint.ts';
import type { VideoModel, VideoRun } from '../src/model.ts';
import { videoOptions } from '../src/options.ts';
import { videoRunner } from '../src/runner.ts';
import { jpeg, mp4, png } from './harness.ts';

const job: Job = {
	id: `video_${'0'.repeat(44)}`,
	kind: 'video',
	tenant: 't',
	principal: 'p',
	model: 'm',
	status: 'in_progress',
	input: { prompt: 'a cat', seconds: 4, size: '720x1280', reference: null, remixOf: null },
	result: null,
	error: null,
	progress: 0,
	checkpoint: null,
	attempt: 1,
	maxAttempts: 5,
	fence: 1,
	cancelRequested: false,
	createdAt: 0,
	startedAt: 0,
	completedAt: null,
	expiresAt: null,
	expired: false,
};

const run: JobRun = {
	signal: new AbortController().signal,
	progress: () => {},
	checkpoint: async () => {},
	resume: undefined,
	blobKey: (name) => `jobs/${job.id}/1/${name}`,
	log: silentLogger(),
};

type Work<T> = (call: ModelCall<VideoModel>) => Promise<T>;

/** Calls the model once with a signal. */
type CallModel = (signal: AbortSignal) => Promise<unknown>;

async function runnerOf(
	model: Partial<VideoModel>,
	options: object = {},
	more: Partial<Models<VideoModel>> = {},
	calls = (call: CallModel, signal: AbortSignal): Promise<unknown> => call(signal),
) {
	const { provided: blobs } = await createBackend<BlobStore>(memoryBlobs());
	const put = vi.spyOn(blobs, 'put');
	const whole: VideoModel = {
		apiVersion: 1,
		generate: async () => ({ body: mp4(), mediaType: 'video/mp4' }),
		...model,
	};
	const get = (id: string) => {
		if (id !== 'm') throw plinthError('E_MODEL_NOT_FOUND');
		return { id, model: whole };
	};
	const models: Models<VideoModel> = {
		get,
		list: () => [get('m')],
		slots: () => new Map([['m', undefined]]),
		reserve: () => Promise.resolve(false),
		async ask<T>(id: string, { signal }: { signal: AbortSignal }, work: Work<T>) {
			const call = { ...get(id), isTimed: false, keepSlot: () => () => {} };
			return calls((each) => work({ ...call, signal: each }), signal) as Promise<T>;
		},
		...more,
	};
	const runner = videoRunner({ options: videoOptions.parse(options), models, blobs });
	return { blobs, runner, written: () => put.mock.calls.map(([key]) => key) };
}

describe('one attempt', () => {
	it('stores the video and its pictures under its own keys, and returns the retention', async () => {
		const { blobs, runner } = await runnerOf(
			{
				generate: async () => ({
					body: mp4('x'),
					mediaType: 'video/mp4',
					poster: { body: png, mediaType: 'image/png' },
					spritesheet: { body: jpeg, mediaType: 'image/jpeg' },
					warnings: ['no sound'],
				}),
			},
			{ retentionHours: 0.001 },
		);
		const outcome = await runner.run(job, run);
		if (!('result' in outcome)) throw new Error('the work is not done');
		const { result, retentionMs } = outcome;
		expect(retentionMs).toBe(3_600);
		expect(result).toEqual({
			video: {
				key: run.blobKey('video.mp4'),
				size: mp4('x').length,
				sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
				mediaType: 'video/mp4',
			},
			poster: expect.objectContaining({ key: run.blobKey('poster.png'), mediaType: 'image/png' }),
			spritesheet: expect.objectContaining({ key: run.blobKey('spritesheet.jpeg'), mediaType: 'image/jpeg' }),
			warnings: ['no sound'],
		});
		expect((await blobs.head(run.blobKey('video.mp4')))?.contentType).toBe('video/mp4');
	});

	it('fails as model_not_found when the model was removed from the config', async () => {
		const { runner } = await runnerOf({});
		await expect(runner.run({ ...job, model: 'gone' }, run)).rejects.toMatchObject({
			code: 'E_MODEL_NOT_FOUND',
		});
	});

	it('is one of as many as the options say', async () => {
		const { runner } = await runnerOf({}, { maxAttempts: 2 });
		expect(runner.maxAttempts).toBe(2);
	});

	it('passes the signal, the progress, the checkpoint and the token of an earlier attempt on', async () => {
		const seen: VideoRun[] = [];
		const { runner } = await runnerOf({
			async generate(_, videoRun) {
				seen.push(videoRun);
				videoRun.progress(0.5);
				await videoRun.checkpoint('token-2');
				return { body: mp4(), mediaType: 'video/mp4' };
			},
		});
		const reported: unknown[] = [];
		await runner.run(job, {
			...run,
			resume: 'token-1',
			progress: (fraction) => reported.push(fraction),
			checkpoint: async (token) => void reported.push(token),
		});
		expect(reported).toEqual([0.5, JSON.stringify({ model: 'm', token: 'token-2' })]);
		expect(seen[0]).toMatchObject({ signal: run.signal, resume: 'token-1' });
	});

	it('stops writing when it is aborted, and leaves no bytes', async () => {
		const stop = new AbortController();
		let isReadOn = false;
		const { blobs, runner } = await runnerOf({
			generate: async () => ({
				mediaType: 'video/mp4',
				body: (async function* () {
					yield mp4();
					stop.abort(new Error('cancelled'));
					yield mp4();
					isReadOn = true;
				})(),
			}),
		});
		await expect(runner.run(job, { ...run, signal: stop.signal })).rejects.toThrow('cancelled');
		expect(await blobs.head(run.blobKey('video.mp4'))).toBeNull();
		expect(isReadOn).toBe(false);
	});

	it('leaves no bytes when it is aborted after the last byte', async () => {
		const stop = new AbortController();
		const { blobs, runner } = await runnerOf({
			generate: async () => ({ body: mp4(), mediaType: 'video/mp4' }),
		});
		const put = blobs.put.bind(blobs);
		blobs.put = async (...args) => {
			const info = await put(...args);
			stop.abort(new Error('cancelled'));
			return info;
		};
		await expect(runner.run(job, { ...run, signal: stop.signal })).rejects.toThrow('cancelled');
		expect(await blobs.head(run.blobKey('video.mp4'))).toBeNull();
	});

	it('ignores the progress and the result of a model after its timeout', async () => {
		const stop = new AbortController();
		const reported: number[] = [];
		const { runner, written } = await runnerOf(
			{
				async generate(_, { progress }) {
					progress(0.25);
					stop.abort(new Error('The model timed out.'));
					progress(0.5);
					return { body: mp4(), mediaType: 'video/mp4' };
				},
			},
			{},
			{},
			(call) => call(stop.signal),
		);
		const progress = (fraction: number) => void reported.push(fraction);
		await expect(runner.run(job, { ...run, progress })).rejects.toThrow('The model timed out.');
		expect(reported).toEqual([0.25]);
		expect(written()).toEqual([]);
	});

	it('stores the bytes of a fallback separately from those of the first model, which may still write', async () => {
		const [begun, late] = [gate(), gate()];
		const over = new AbortController();
		async function* slowly() {
			yield mp4('first');
			begun.open();
			await late.passed;
			yield Buffer.from('more');
		}
		const bodies = [slowly(), mp4('second')];
		const { runner, written } = await runnerOf(
			{ generate: async () => ({ body: bodies.shift() ?? mp4(), mediaType: 'video/mp4' }) },
			{},
			{},
			async (call, signal) => {
				const first = call(over.signal).catch(() => 'stopped');
				await begun.passed;
				over.abort(new Error('The model timed out.'));
				const made = await call(signal);
				late.open();
				expect(await first).toBe('stopped');
				return made;
			},
		);
		await runner.run(job, run);
		expect(new Set(written()).size).toBe(2);
	});

	it('rejects media types other than video/mp4', async () => {
		const { runner } = await runnerOf({
			generate: async () => ({ body: mp4(), mediaType: 'video/webm' as 'video/mp4' }),
		});
		await expect(runner.run(job, run)).rejects.toMatchObject({
			code: 'E_MODEL_FAILED',
			message: expect.stringContaining('video/webm'),
		});
	});

	it('reports when its reference picture was deleted', async () => {
		const reference = {
			key: 'jobs/x/input/reference',
			mediaType: 'image/png',
			size: 1,
			sha256: '',
		};
		const { runner } = await runnerOf({
			async generate(request) {
				await request.reference?.bytes();
				return { body: mp4(), mediaType: 'video/mp4' };
			},
		});
		const withPicture = { ...job, input: { ...job.input, reference } };
		await expect(runner.run(withPicture, run)).rejects.toMatchObject({
			code: 'E_VIDEO_REFERENCE_EXPIRED',
		});
	});

	it('makes the model cancel the work of a checkpoint, if it can', async () => {
		const cancelled: string[] = [];
		const { runner } = await runnerOf({ cancel: async (token) => void cancelled.push(token) });
		await runner.cancel?.({ ...job, checkpoint: 'token-1' });
		await runner.cancel?.(job);
		expect(cancelled).toEqual(['token-1']);
		const other = await runnerOf({});
		await expect(other.runner.cancel?.({ ...job, checkpoint: 'token-1' })).resolves.toBeUndefined();
	});

	it('makes the model that wrote the checkpoint cancel, even if the job names another one', async () => {
		const cancelled: string[] = [];
		const { runner } = await runnerOf({ cancel: async (token) => void cancelled.push(token) });
		const checkpoint = writeCheckpoint({ model: 'm', token: 'token-1' });
		await runner.cancel?.({ ...job, model: 'gone', checkpoint });
		expect(cancelled).toEqual(['token-1']);
	});
});

describe('an attempt that resumes', () => {
	/** A model that records the tokens from which it resumes. */
	function resuming() {
		const resumed: (string | undefined)[] = [];
		const generate: VideoModel['generate'] = async (_, { resume }) => {
			resumed.push(resume);
			return { body: mp4(), mediaType: 'video/mp4' };
		};
		return { resumed, generate };
	}

	it.each(['E_MODEL_BUSY', 'E_MODEL_UNAVAILABLE'] as const)(
		'downloads the started video even if the model accepts no new work: %s',
		async (code) => {
			const { resumed, generate } = resuming();
			const ask = () => Promise.reject(plinthError(code));
			const { runner } = await runnerOf({ generate }, {}, { ask });
			const resume = writeCheckpoint({ model: 'm', token: 'token-1' });
			await runner.run(job, { ...run, resume });
			expect(resumed).toEqual(['token-1']);
			await expect(runner.run(job, run)).rejects.toMatchObject({ code });
		},
	);

	it('calls the model that wrote the checkpoint, although the model of the job was removed', async () => {
		const { resumed, generate } = resuming();
		const { runner } = await runnerOf({ generate });
		const resume = writeCheckpoint({ model: 'm', token: 'token-1' });
		await runner.run({ ...job, model: 'gone' }, { ...run, resume });
		expect(resumed).toEqual(['token-1']);
	});

	it('starts again when the model that wrote the checkpoint was removed from the config', async () => {
		const { resumed, generate } = resuming();
		const { runner } = await runnerOf({ generate });
		const resume = writeCheckpoint({ model: 'gone', token: 'token-1' });
		await runner.run(job, { ...run, resume });
		expect(resumed).toEqual([undefined]);
	});
});

describe('a checkpoint of an earlier version', () => {
	it.each(['token-1', '{"model":"m"}', '{"model":"m","token":"t","more":1}', '[1]', '"t"', ''])(
		'is the token alone, whatever it looks like: %s',
		(text) => {
			expect(readCheckpoint(text, 'named')).toEqual({ model: 'named', token: text });
		},
	);
});
