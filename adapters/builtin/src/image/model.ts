import { defineModel } from '@plinth/core';
import { type ImageModel, imageModels } from '@plinth/plugin-image/model';
import { mediaServices, type RawImage } from '@plinth/toolkit';
import { z } from 'zod';
import { Threads, threadFile } from '../threads.ts';
import type { DrawJob } from './worker.ts';

/** The procedural image model: no weights and no network. Equal requests with equal seeds give equal pixels. */
export const builtinImage = defineModel({
	kind: imageModels,
	name: 'builtin.image',
	description:
		'Procedural: draws a scene from the words of the prompt, and edits by named commands. No neural network.',
	config: z.strictObject({
		/** Threads that draw. Default: one for each core, at most 4. */
		workers: z.coerce.number<number | string>().int().min(1).max(16).optional(),
	}),
	needs: { images: mediaServices.images },
	create: ({ config, services: { images }, onStop }): ImageModel => {
		const threads = new Threads<DrawJob, RawImage>({ file: threadFile(import.meta.url), threads: config.workers });
		onStop(() => threads.close());
		return {
			apiVersion: 1,
			abilities: { count: 1 },
			// Both are imported late, so that a server starts fast.
			generate: async (...call) => (await import('./generate.ts')).createGenerator({ images, threads })(...call),
			edit: async (...call) => (await import('./edit/edit.ts')).edit(images, ...call),
		};
	},
});
