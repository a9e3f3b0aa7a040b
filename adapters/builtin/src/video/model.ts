import { defineModel, unsupportedValue } from '@plinth/core';
import { type VideoModel, type VideoRequest, videoModels } from '@plinth/plugin-video/model';
import { type ImageCodec, mediaServices } from '@plinth/toolkit';
import { z } from 'zod';
import { frameRate } from './frame-rate.ts';
import { createVideoThreads, type VideoThreads } from './threads.ts';

/** The procedural video model: no weights and no network. Equal requests with equal seeds give equal files. */
export const builtinVideo = defineModel({
	kind: videoModels,
	name: 'builtin.video',
	description: 'Procedural renderer: draws a scene from the prompt or moves over the input picture. No neural network.',
	config: z.strictObject({
		/** Threads that draw and encode. Default: one for each core, at most 2, because each needs 100 MB. */
		workers: z.coerce.number<number | string>().int().min(1).max(16).optional(),
	}),
	needs: { images: mediaServices.images },
	create: ({ config, services: { images }, onStop }) => {
		const threads = createVideoThreads(config.workers);
		onStop(() => threads.close());
		return createVideoModel(threads, images);
	},
});

/** Creates the model over threads. */
export function createVideoModel(threads: VideoThreads, images: ImageCodec): VideoModel {
	return {
		apiVersion: 1,
		abilities: {
			sizes: ['720x1280', '1280x720', '1024x1792', '1792x1024', '640x480', '480x640'],
			seconds: [2, 4, 8, 12],
			fps: frameRate,
			reference: true,
		},
		generate: async (request, run) => {
			checkSize(request);
			// Imported late, so that a server starts fast.
			const { renderVideo } = await import('./render.ts');
			return await renderVideo(request, { ...run, threads, images });
		},
	};
}

/** The encoder works on blocks of 16 pixels and would pad other sizes. */
function checkSize({ size: { width, height } }: VideoRequest): void {
	if (width % 16 === 0 && height % 16 === 0 && width >= 64 && height >= 64) return;
	const rule = 'a width and a height in multiples of 16 from 64 up';
	throw unsupportedValue('size', `The builtin video model needs ${rule}, not ${width}x${height}.`);
}
