import { defineModel, unsupportedValue } from '@plinth/core';
import {
	type VideoModel,
	type VideoPoster,
	type VideoRequest,
	type VideoResult,
	type VideoRun,
	videoModels,
} from '@plinth/plugin-video/model';
import { type ImageCodec, mediaServices } from '@plinth/toolkit';
import { z } from 'zod';
import { defaultWorkers } from '../pool.ts';
import { cameraWords } from '../scene/motion.ts';
import { planScene } from '../scene/plan.ts';
import { quotedPart, wordsOf } from '../scene/prompt.ts';
import type { GroupJob, Prepared } from './jobs.ts';
import { PICTURE_ROOM, planPath } from './picture.ts';
import { createPool, type Pool } from './pool.ts';
import { FRAME_RATE, GROUP_FRAMES } from './timing.ts';

/** The procedural video model: no weights and no network; equal requests with equal seeds give equal files. */
export const builtinVideo = defineModel({
	kind: videoModels,
	name: 'builtin.video',
	description: 'Procedural renderer: draws a scene from the prompt or moves over the input picture. No neural network.',
	config: z.strictObject({
		/** Threads that draw and encode. Default: one a core, at most 4. */
		workers: z.coerce.number<number | string>().int().min(1).max(16).optional(),
	}),
	needs: { images: mediaServices.images },
	create: ({ config, services: { images }, onStop }) => {
		const pool = createPool(config.workers ?? defaultWorkers());
		onStop(() => pool.close());
		return createVideoModel(pool, images);
	},
});

/** Makes the model over a pool of workers. */
export function createVideoModel(pool: Pool, images: ImageCodec): VideoModel {
	return {
		apiVersion: 1,
		generate: async (request, run) => {
			checkSize(request);
			// One failure stops the other groups as well.
			const failed = new AbortController();
			const signal = AbortSignal.any([run.signal, failed.signal]);
			try {
				return await render(pool, images, request, {
					...run,
					signal,
					progress: (f) => run.progress(f),
				});
			} catch (error) {
				failed.abort(error);
				throw error;
			}
		},
	};
}

async function render(
	pool: Pool,
	images: ImageCodec,
	request: VideoRequest,
	run: Pick<VideoRun, 'signal' | 'seed' | 'progress'>,
): Promise<VideoResult> {
	const { signal } = run;
	const frames = Math.round(request.seconds * FRAME_RATE);
	const prepared = request.reference
		? await preparePicture(pool, images, request, run, frames)
		: await prepareScene(pool, request, run, frames);
	const { source } = prepared;
	let done = 0;
	const onReport = (count: number): void => {
		done += count;
		run.progress(Math.min(1, done / frames));
	};
	const groups: GroupJob[] = [];
	for (let start = 0; start < frames; start += GROUP_FRAMES) {
		groups.push({ kind: 'group', source, start, count: Math.min(GROUP_FRAMES, frames - start) });
	}
	const encoded = await Promise.all(groups.map((group) => pool.run(group, { signal, onReport })));
	const poster = await drawPoster(pool, images, prepared, signal);
	// Loaded with the first video: the muxer would cost every start of a server its largest import.
	const { joinGroups } = await import('./mux.ts');
	const body = await joinGroups(encoded);
	signal.throwIfAborted();
	const warnings = [...warningsOf(prepared), ...cameraWarnings(request)];
	return { body, mediaType: 'video/mp4', poster, ...(warnings.length > 0 && { warnings }) };
}

function prepareScene(
	pool: Pool,
	{ prompt, size, remixOf }: VideoRequest,
	{ signal, seed }: Pick<VideoRun, 'signal' | 'seed'>,
	frames: number,
): Promise<Prepared> {
	const plan = planScene({ prompt, seed, ...(remixOf && { remixOf: remixOf.prompt }) });
	return pool.run({ kind: 'stage', plan, prompt, ...size, frames }, { signal });
}

async function preparePicture(
	pool: Pool,
	images: ImageCodec,
	{ prompt, size, reference, remixOf }: VideoRequest,
	{ signal, seed }: Pick<VideoRun, 'signal' | 'seed'>,
	frames: number,
): Promise<Prepared> {
	if (!reference) throw new TypeError('There is no picture to move over.');
	const bytes = await reference.bytes();
	signal.throwIfAborted();
	const box = { width: roomy(size.width), height: roomy(size.height), mode: 'cover' as const };
	const image = await images.fit(bytes, box, signal);
	signal.throwIfAborted();
	const words = cameraWords(wordsOf(`${prompt} ${remixOf?.prompt ?? ''}`));
	const caption = quotedPart(prompt);
	return pool.run(
		{
			kind: 'picture',
			image,
			...size,
			frames,
			path: planPath(words, seed),
			fade: { in: words.fadeIn, out: words.fadeOut },
			...(caption && { caption }),
		},
		{ signal },
	);
}

/** A still from the middle of the video. */
async function drawPoster(
	pool: Pool,
	images: ImageCodec,
	{ source }: Prepared,
	signal: AbortSignal,
): Promise<VideoPoster> {
	const { width, height, frames } = source;
	const still = { kind: 'still', source, frame: Math.floor(frames / 2) } as const;
	const data = await pool.run(still, { signal });
	const options = { format: 'webp', quality: 86 } as const;
	const body = await images.encode({ width, height, data }, options, signal);
	return { body, mediaType: 'image/webp' };
}

function warningsOf({ shortened, incomplete }: Prepared): readonly string[] {
	return [
		...(shortened ? ['The title shows only the beginning of the prompt.'] : []),
		...(incomplete ? ['The title leaves out characters that the built-in typeface does not have.'] : []),
	];
}

/** A drawn scene is flat: its camera moves sideways only. */
function cameraWarnings({ prompt, reference }: VideoRequest): readonly string[] {
	const { zoom, tilt } = cameraWords(wordsOf(prompt));
	if (reference || !(zoom || tilt)) return [];
	return ['Zooming and tilting work on input pictures only; the camera of a drawn scene moves sideways.'];
}

/** The encoder works on blocks of 16 pixels and would pad other sizes. */
function checkSize({ size: { width, height } }: VideoRequest): void {
	if (width % 16 === 0 && height % 16 === 0 && width >= 64 && height >= 64) return;
	throw unsupportedValue(
		'size',
		`The builtin video model needs a width and a height in multiples of 16 from 64 up, not ${width}x${height}.`,
	);
}

function roomy(length: number): number {
	return Math.round((length * PICTURE_ROOM) / 2) * 2;
}
