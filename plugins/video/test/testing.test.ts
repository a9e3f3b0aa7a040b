import { setTimeout as delay } from 'node:timers/promises';
import { modelError, unsupportedValue } from '@plinth/core';
import { describe, expect, it } from 'vitest';
import type { VideoModel, VideoRequest, VideoResult, VideoRun } from '../src/model.ts';
import { smallMp4, type VideoModelSuiteOptions, videoModelSuite } from '../src/testing/index.ts';

type Generate = VideoModel['generate'];

const plain = { deterministic: true, progress: true, reference: true };
const all = { ...plain, resume: true };

const wait = (signal: AbortSignal) => delay(4, undefined, { signal }).catch(() => signal.throwIfAborted());

/** A model that does everything right: it notes what it has begun, and renders with pauses that its signal ends. */
const good: Generate = async ({ prompt, size, seconds, reference }, run) => {
	const { signal, seed, resume } = run;
	signal.throwIfAborted();
	if (prompt.trim() === '') throw unsupportedValue('prompt', 'There is nothing to film.');
	const known = resume && /^job-(\d+)$/.exec(resume)?.[1];
	const begun = known ?? `${seed}`;
	if (!known) await run.checkpoint(`job-${begun}`);
	for (const fraction of [0.3, 0.6, 1]) {
		await wait(signal);
		run.progress(fraction);
	}
	const file = smallMp4({ ...size, seconds }, `${begun} ${(await reference?.bytes())?.length ?? 0}`);
	return { body: file, mediaType: 'video/mp4' };
};

const cancel = async () => {};

/** The same without notes, as a stream. */
const streaming: Generate = async (request, run) => {
	const { body } = await good(request, { ...run, checkpoint: cancel });
	async function* pieces() {
		yield (body as Uint8Array).subarray(0, 5);
		await wait(run.signal);
		yield (body as Uint8Array).subarray(5);
	}
	return { body: pieces(), mediaType: 'video/mp4' };
};

type Supports = NonNullable<VideoModelSuiteOptions['supports']>;

function suiteOf(model: Partial<VideoModel>, supports: Supports = all) {
	const whole: VideoModel = { apiVersion: 1, generate: good, ...model };
	const create = async () => ({ model: whole, close: async () => {} });
	return videoModelSuite({ create, supports });
}

/** Runs one case by its name. */
async function runCase(cases: ReturnType<typeof suiteOf>, name: string): Promise<void> {
	const found = cases.find((one) => one.name === name);
	if (!found) throw new Error(`There is no case "${name}", only:\n${cases.map((c) => c.name).join('\n')}`);
	await found.run();
}

describe('a good model keeps the sentence:', () => {
	for (const { name, run } of suiteOf({ cancel })) it(name, run);
});

describe('a model that streams and cannot go on keeps the sentence:', () => {
	for (const { name, run } of suiteOf({ generate: streaming }, plain)) it(name, run);
});

/** A model that does one thing wrong with what it has made. */
function wrongly(change: (made: VideoResult, request: VideoRequest, run: VideoRun) => unknown): Generate {
	return async (request, run) => change(await good(request, run), request, run) as Promise<VideoResult>;
}

const bodied = (body: unknown) => wrongly((made) => ({ ...made, body }));
const never = () => new Promise<never>(() => {});
const aborted = (signal: AbortSignal) => new Promise<unknown>((resolve) => signal.addEventListener('abort', resolve));
const deaf = new AbortController().signal;
let counter = 0;

const form = 'a video is an MP4, with a poster and warnings of the right form';
const measure = 'a video has the size and the length that were asked for, or a warning';
const odd = 'an unusual prompt is rendered, or refused with a 4xx status';
const seeds = 'equal seeds make equal videos, and different ones different videos';
const again = 'an attempt that resumes makes the same video, and begins nothing';
const noted = 'a checkpoint that cannot be written ends the attempt with that failure';
const heed = 'an abort rejects within a second, with the reason of the signal';
const read = 'an abort while the video is read ends it likewise, where it is not there yet';
const fractions = 'progress is reported in fractions from 0 to 1, and not after the end';
const cancelled = 'what a token stands for can be cancelled, once and again';

const wrong: readonly (readonly [string, Partial<VideoModel>, string])[] = [
	[
		'is of another version',
		{ apiVersion: 2 as never },
		'the model says which version of the interface it is written for',
	],
	['returns a page', { generate: bodied(Buffer.from('<html>502</html>')) }, form],
	['returns nothing', { generate: bodied(undefined) }, form],
	['returns another type', { generate: wrongly((made) => ({ ...made, mediaType: 'video/webm' })) }, form],
	[
		'has a poster that is none',
		{
			generate: wrongly((made) => ({
				...made,
				poster: { body: Buffer.from('GIF89a'), mediaType: 'image/png' },
			})),
		},
		form,
	],
	['warns without words', { generate: wrongly((made) => ({ ...made, warnings: [''] })) }, form],
	['has no header', { generate: bodied(smallMp4({ width: 0, height: 0 })) }, measure],
	['makes another size', { generate: bodied(smallMp4({ width: 480, height: 640, seconds: 2 })) }, measure],
	['makes another length', { generate: bodied(smallMp4({ width: 640, height: 480, seconds: 4 })) }, measure],
	[
		'refuses without a code',
		{
			async generate(request, run) {
				if (request.prompt.includes('\0')) throw new Error('NUL');
				return good(request, run);
			},
		},
		odd,
	],
	[
		'calls a refusal a failure',
		{
			async generate(request, run) {
				if (request.prompt.length > 10_000) throw modelError('That is too long.');
				return good(request, run);
			},
		},
		odd,
	],
	[
		'stumbles over variations',
		{
			async generate(request, run) {
				if (request.remixOf) throw new TypeError('remixOf');
				return good(request, run);
			},
		},
		'a variation of an earlier video is rendered, or refused likewise',
	],
	[
		'mixes up who asked',
		{
			async generate(request, run) {
				counter = run.seed;
				await delay(2);
				return good(request, { ...run, seed: counter });
			},
		},
		'two at the same time do not affect each other',
	],
	['rolls dice', { generate: (request, run) => good(request, { ...run, seed: ++counter }) }, seeds],
	['ignores seeds', { generate: (request, run) => good(request, { ...run, seed: 3 }) }, seeds],
	[
		'writes into its pictures',
		{
			async generate(request, run) {
				(await request.reference?.bytes())?.fill(0);
				return good(request, run);
			},
		},
		'the bytes of a picture to start from stay as they are',
	],
	[
		'does not look at its pictures',
		{ generate: ({ reference: _, ...request }, run) => good(request, run) },
		'a picture to start from makes another video',
	],
	[
		'begins anew',
		{
			generate: (request, { resume: _, ...run }) =>
				good(request, { ...run, checkpoint: (token) => run.checkpoint(`${token}-${++counter}`) }),
		},
		again,
	],
	[
		'makes another video when it goes on',
		{
			generate: (request, run) => good(request, run.resume === undefined ? run : { ...run, resume: 'job-99' }),
		},
		again,
	],
	[
		'forgets what it has begun when it is stopped',
		{
			async generate(request, run) {
				if (run.resume !== undefined) throw modelError('The job was deleted.');
				return good(request, run);
			},
		},
		'the next attempt resumes work that was stopped after its checkpoint',
	],
	[
		'does not wait for its checkpoint',
		{
			generate: (request, run) =>
				good(request, {
					...run,
					checkpoint: async (token) => void run.checkpoint(token).catch(() => {}),
				}),
		},
		noted,
	],
	[
		'hides why its checkpoint failed',
		{
			generate: (request, run) =>
				good(request, {
					...run,
					checkpoint: (token) => run.checkpoint(token).catch(() => Promise.reject(modelError('It failed.'))),
				}),
		},
		noted,
	],
	['writes no checkpoint', { generate: (request, run) => good(request, { ...run, checkpoint: cancel }) }, noted],
	[
		'stumbles over a token that it does not know',
		{
			async generate(request, run) {
				if (run.resume?.includes('unknown')) throw new SyntaxError('token');
				return good(request, run);
			},
		},
		'an unknown token is a failure with a code, or the work is begun anew',
	],
	[
		'can cancel only once',
		{
			async cancel() {
				counter += 1;
				if (counter > 1) throw new Error('There is no such job.');
			},
		},
		cancelled,
	],
	[
		'tells percents',
		{
			generate: (request, run) => good(request, { ...run, progress: (fraction) => run.progress(fraction * 100) }),
		},
		fractions,
	],
	[
		'tells more after the end',
		{
			generate: wrongly((made, _, run) => {
				setTimeout(() => run.progress(1), 5);
				return made;
			}),
		},
		fractions,
	],
	[
		'tells nothing',
		{ generate: (request, run) => good(request, { ...run, progress: () => {} }) },
		'progress is reported, and never falls',
	],
	[
		'goes back',
		{
			generate: (request, run) => good(request, { ...run, progress: (fraction) => run.progress(1 - fraction) }),
		},
		'progress is reported, and never falls',
	],
	['does not stop', { generate: never }, heed],
	[
		'finishes all the same',
		{
			async generate(request, run) {
				await aborted(run.signal);
				return good(request, { ...run, signal: deaf });
			},
		},
		heed,
	],
	[
		'calls an abort a failure',
		{
			async generate(_, run) {
				await aborted(run.signal);
				throw modelError('Stopped.');
			},
		},
		heed,
	],
	[
		'holds its reader up',
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
		'misses an abort that came before it',
		{ generate: (request, run) => good(request, { ...run, signal: deaf }) },
		'a signal that has aborted before ends the call at once',
	],
	[
		'tells more after an abort',
		{
			generate(request, run) {
				aborted(run.signal).then(() => setTimeout(() => run.progress(0.5), 5));
				return good(request, run);
			},
		},
		'no progress is reported after an abort',
	],
];

describe('the suite finds a model that', () => {
	it.each(wrong)('%s', async (_, model, name) => {
		counter = 0;
		await expect(runCase(suiteOf(model), name)).rejects.toThrow();
		await runCase(suiteOf({ cancel }), name);
	});

	it.each([
		['writes checkpoints of which it knows nothing', {}],
		['cancels what it never notes', { generate: streaming, cancel }],
	])('%s', async (_, model) => {
		const name = 'who cannot go on writes no checkpoint, and has nothing to cancel';
		await expect(runCase(suiteOf(model, plain), name)).rejects.toThrow();
	});
});
