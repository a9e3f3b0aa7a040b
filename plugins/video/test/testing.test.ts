import { setTimeout as delay } from 'node:timers/promises';
import { modelError, unsupportedValue } from '@plinth/core';
import { describe, expect, it } from 'vitest';
import type { VideoModel, VideoRequest, VideoResult, VideoRun } from '../src/model.ts';
import { smallMp4, type VideoModelSuiteOptions, videoModelSuite } from '../src/testing/index.ts';

type Generate = VideoModel['generate'];

const plain = { deterministic: true, progress: true, reference: true };
const all = { ...plain, resume: true };

const wait = (signal: AbortSignal) => delay(4, undefined, { signal }).catch(() => signal.throwIfAborted());

/** A correct model: it writes checkpoints, and renders with pauses that its signal ends. */
const correct: Generate = async ({ prompt, size, seconds, reference }, run) => {
	const { signal, seed, resume } = run;
	signal.throwIfAborted();
	if (prompt.trim() === '') throw unsupportedValue('prompt', 'There is nothing to film.');
	const known = resume && /^job-(\d+)$/.exec(resume)?.[1];
	const started = known ?? `${seed}`;
	if (!known) await run.checkpoint(`job-${started}`);
	for (const fraction of [0.3, 0.6, 1]) {
		await wait(signal);
		run.progress(fraction);
	}
	const file = smallMp4({ ...size, seconds }, `${started} ${(await reference?.bytes())?.length ?? 0}`);
	return { body: file, mediaType: 'video/mp4' };
};

const cancel = async () => {};

/** The same without checkpoints, as a stream. */
const streaming: Generate = async (request, run) => {
	const { body } = await correct(request, { ...run, checkpoint: cancel });
	async function* pieces() {
		yield (body as Uint8Array).subarray(0, 5);
		await wait(run.signal);
		yield (body as Uint8Array).subarray(5);
	}
	return { body: pieces(), mediaType: 'video/mp4' };
};

type Supports = NonNullable<VideoModelSuiteOptions['supports']>;

function suiteOf(model: Partial<VideoModel>, supports: Supports = all) {
	const whole: VideoModel = { apiVersion: 1, generate: correct, ...model };
	const create = async () => ({ model: whole, close: async () => {} });
	return videoModelSuite({ create, supports });
}

/** Runs the case with this name. */
async function runCase(cases: ReturnType<typeof suiteOf>, name: string): Promise<void> {
	const found = cases.find((one) => one.name === name);
	if (!found) throw new Error(`There is no case "${name}", only:\n${cases.map((c) => c.name).join('\n')}`);
	await found.run();
}

describe('a correct model passes the case:', () => {
	for (const { name, run } of suiteOf({ cancel })) it(name, run);
});

describe('a model that streams and cannot resume passes the case:', () => {
	for (const { name, run } of suiteOf({ generate: streaming }, plain)) it(name, run);
});

/** A model that changes the result of the correct one. */
function changed(change: (made: VideoResult, request: VideoRequest, run: VideoRun) => unknown): Generate {
	return async (request, run) => change(await correct(request, run), request, run) as Promise<VideoResult>;
}

const bodied = (body: unknown) => changed((made) => ({ ...made, body }));
const never = () => new Promise<never>(() => {});
const aborted = (signal: AbortSignal) => new Promise<unknown>((resolve) => signal.addEventListener('abort', resolve));
const ignoresSignal = new AbortController().signal;
let counter = 0;

const form = 'a video is an MP4, and its poster and warnings are valid';
const measure = 'a video has the requested size and length, or a warning';
const odd = 'an unusual prompt is rendered, or rejected with a 4xx status';
const seeds = 'equal seeds make equal videos, and different ones different videos';
const again = 'an attempt that resumes returns the same video, and starts no new work';
const noted = 'a checkpoint that cannot be written ends the attempt with that error';
const heed = 'an abort rejects within a second, with the reason of the signal';
const read = 'an abort while the body is read rejects within a second, unless the video is complete';
const fractions = 'progress is reported in fractions from 0 to 1, and not after the end';
const cancelled = 'the work of a token can be cancelled, also twice';

const wrong: readonly (readonly [string, Partial<VideoModel>, string])[] = [
	['declares another version', { apiVersion: 2 as never }, 'the model declares the version of its interface'],
	['returns HTML', { generate: bodied(Buffer.from('<html>502</html>')) }, form],
	['returns nothing', { generate: bodied(undefined) }, form],
	['returns another type', { generate: changed((made) => ({ ...made, mediaType: 'video/webm' })) }, form],
	[
		'returns an invalid poster',
		{
			generate: changed((made) => ({
				...made,
				poster: { body: Buffer.from('GIF89a'), mediaType: 'image/png' },
			})),
		},
		form,
	],
	['returns an empty warning', { generate: changed((made) => ({ ...made, warnings: [''] })) }, form],
	['returns a header without a size', { generate: bodied(smallMp4({ width: 0, height: 0 })) }, measure],
	['returns another size', { generate: bodied(smallMp4({ width: 480, height: 640, seconds: 2 })) }, measure],
	['returns another length', { generate: bodied(smallMp4({ width: 640, height: 480, seconds: 4 })) }, measure],
	[
		'rejects without an error code',
		{
			async generate(request, run) {
				if (request.prompt.includes('\0')) throw new Error('NUL');
				return correct(request, run);
			},
		},
		odd,
	],
	[
		'rejects with a 5xx status',
		{
			async generate(request, run) {
				if (request.prompt.length > 10_000) throw modelError('That is too long.');
				return correct(request, run);
			},
		},
		odd,
	],
	[
		'fails for remixes',
		{
			async generate(request, run) {
				if (request.remixOf) throw new TypeError('remixOf');
				return correct(request, run);
			},
		},
		'a remix of an earlier video is rendered, or rejected with a 4xx status',
	],
	[
		'mixes up concurrent calls',
		{
			async generate(request, run) {
				counter = run.seed;
				await delay(2);
				return correct(request, { ...run, seed: counter });
			},
		},
		'concurrent calls do not affect each other',
	],
	[
		'returns another video each time',
		{ generate: (request, run) => correct(request, { ...run, seed: ++counter }) },
		seeds,
	],
	['uses the same seed for all requests', { generate: (request, run) => correct(request, { ...run, seed: 3 }) }, seeds],
	[
		'changes its reference picture',
		{
			async generate(request, run) {
				(await request.reference?.bytes())?.fill(0);
				return correct(request, run);
			},
		},
		'the model does not change the bytes of the reference picture',
	],
	[
		'ignores its reference picture',
		{ generate: ({ reference: _, ...request }, run) => correct(request, run) },
		'a reference picture changes the video',
	],
	[
		'starts again instead of resuming',
		{
			generate: (request, { resume: _, ...run }) =>
				correct(request, { ...run, checkpoint: (token) => run.checkpoint(`${token}-${++counter}`) }),
		},
		again,
	],
	[
		'returns another video when it resumes',
		{
			generate: (request, run) => correct(request, run.resume === undefined ? run : { ...run, resume: 'job-99' }),
		},
		again,
	],
	[
		'loses its work when it is aborted',
		{
			async generate(request, run) {
				if (run.resume !== undefined) throw modelError('The job was deleted.');
				return correct(request, run);
			},
		},
		'an attempt resumes work that was aborted after its checkpoint',
	],
	[
		'does not wait until its checkpoint is written',
		{
			generate: (request, run) =>
				correct(request, {
					...run,
					checkpoint: async (token) => void run.checkpoint(token).catch(() => {}),
				}),
		},
		noted,
	],
	[
		'replaces the error of its checkpoint',
		{
			generate: (request, run) =>
				correct(request, {
					...run,
					checkpoint: (token) => run.checkpoint(token).catch(() => Promise.reject(modelError('It failed.'))),
				}),
		},
		noted,
	],
	['writes no checkpoint', { generate: (request, run) => correct(request, { ...run, checkpoint: cancel }) }, noted],
	[
		'throws for an unknown token',
		{
			async generate(request, run) {
				if (run.resume?.includes('unknown')) throw new SyntaxError('token');
				return correct(request, run);
			},
		},
		'an unknown token is an error with a code, or the work starts again',
	],
	[
		'fails to cancel twice',
		{
			async cancel() {
				counter += 1;
				if (counter > 1) throw new Error('There is no such job.');
			},
		},
		cancelled,
	],
	[
		'reports percent',
		{
			generate: (request, run) => correct(request, { ...run, progress: (fraction) => run.progress(fraction * 100) }),
		},
		fractions,
	],
	[
		'reports progress after the end',
		{
			generate: changed((made, _, run) => {
				setTimeout(() => run.progress(1), 5);
				return made;
			}),
		},
		fractions,
	],
	[
		'reports no progress',
		{ generate: (request, run) => correct(request, { ...run, progress: () => {} }) },
		'progress is reported, and does not decrease',
	],
	[
		'reports decreasing progress',
		{
			generate: (request, run) => correct(request, { ...run, progress: (fraction) => run.progress(1 - fraction) }),
		},
		'progress is reported, and does not decrease',
	],
	['ignores an abort', { generate: never }, heed],
	[
		'returns a video after an abort',
		{
			async generate(request, run) {
				await aborted(run.signal);
				return correct(request, { ...run, signal: ignoresSignal });
			},
		},
		heed,
	],
	[
		'rejects an abort with another error',
		{
			async generate(_, run) {
				await aborted(run.signal);
				throw modelError('Stopped.');
			},
		},
		heed,
	],
	[
		'blocks its reader after an abort',
		{
			generate: bodied(
				(async function* () {
					yield smallMp4({ width: 640, height: 480 });
					await never();
				})(),
			),
		},
		read,
	],
	[
		'ignores an aborted signal',
		{ generate: (request, run) => correct(request, { ...run, signal: ignoresSignal }) },
		'a call with an aborted signal ends immediately',
	],
	[
		'reports progress after an abort',
		{
			generate(request, run) {
				aborted(run.signal).then(() => setTimeout(() => run.progress(0.5), 5));
				return correct(request, run);
			},
		},
		'no progress is reported after an abort',
	],
];

describe('the suite detects a model that', () => {
	it.each(wrong)('%s', async (_, model, name) => {
		counter = 0;
		await expect(runCase(suiteOf(model), name)).rejects.toThrow();
		await runCase(suiteOf({ cancel }), name);
	});

	it.each([
		['writes checkpoints, which supports denies', {}],
		['has a cancel method without checkpoints', { generate: streaming, cancel }],
	])('%s', async (_, model) => {
		const name = 'a model that cannot resume writes no checkpoint and has no cancel method';
		await expect(runCase(suiteOf(model, plain), name)).rejects.toThrow();
	});
});
