import { defineModel, unsupportedValue } from '@plinth/core';
import { type ImageModel, type ImageSize, imageModels } from '@plinth/plugin-image/model';
import { mediaServices } from '@plinth/toolkit';
import { z } from 'zod';
import { createPool, defaultWorkers, type Pool, workerFile } from '../pool.ts';
import { createEditor, createEditPool } from './edit/editor.ts';
import type { DrawJobs } from './jobs.ts';
import type { Painted } from './paint.ts';
import { planPicture } from './plan.ts';

/** The sizes that can be drawn: the sides in pixels, and all pixels together. */
const SIDE = { min: 64, max: 3840 };
const MAX_PIXELS = 3840 * 2160;
const DEFAULT_SIZE: ImageSize = { width: 1024, height: 1024 };

/** The procedural image model: no weights and no network; equal requests with equal seeds give equal pixels. */
export const builtinImage = defineModel({
	kind: imageModels,
	name: 'builtin.image',
	description:
		'Procedural: draws a scene from the words of the prompt, and changes pictures by named operations. No neural network.',
	config: z.strictObject({
		/** Threads that draw, and as many that edit. Default: one a core, at most 4. */
		workers: z.coerce.number<number | string>().int().min(1).max(16).optional(),
	}),
	needs: { images: mediaServices.images },
	create: ({ config, services: { images }, onStop }): ImageModel => {
		const size = config.workers ?? defaultWorkers();
		const [drawers, editors] = [createDrawPool(size), createEditPool(size)];
		onStop(() => drawers.close());
		onStop(() => editors.close());
		return {
			apiVersion: 1,
			abilities: { count: 1 },
			generate: createGenerator(drawers),
			edit: createEditor({ images, pool: editors }),
		};
	},
});

/** Makes the pool of threads that draw. */
export function createDrawPool(size: number): Pool<DrawJobs> {
	return createPool<DrawJobs>(size, workerFile(import.meta.url), 'builtin image model');
}

/** Makes `generate` over a pool of workers. */
export function createGenerator(pool: Pool<DrawJobs>): NonNullable<ImageModel['generate']> {
	return async (request, run) => {
		const size = request.size ?? DEFAULT_SIZE;
		checkSize(size);
		const quality = request.quality === 'auto' ? 'high' : request.quality;
		const { plan, words, warnings } = planPicture({
			prompt: request.prompt,
			seed: run.seed,
			transparent: request.background === 'transparent',
			quality,
			...(request.steps !== undefined && { steps: request.steps }),
			...(request.style && { style: request.style }),
		});
		const painted = await pool.run(
			{ kind: 'draw', plan, ...size, partials: run.partials },
			{ signal: run.signal, onReport: (picture) => run.partial(picture) },
		);
		const all = [...warnings, ...captionWarnings(painted)];
		return {
			images: [{ ...painted.image, revisedPrompt: words }],
			quality,
			...(all.length > 0 && { warnings: all }),
		};
	};
}

function captionWarnings({ shortened, incomplete }: Painted): readonly string[] {
	return [
		...(shortened ? ['The caption is shortened: it would not fit into a third of the picture.'] : []),
		...(incomplete ? ['The caption leaves out characters that the built-in typefaces do not have.'] : []),
	];
}

function checkSize({ width, height }: ImageSize): void {
	const fits = [width, height].every((side) => side >= SIDE.min && side <= SIDE.max);
	if (fits && width * height <= MAX_PIXELS) return;
	throw unsupportedValue(
		'size',
		`The builtin image model draws ${SIDE.min} to ${SIDE.max} pixels a side and up to ${MAX_PIXELS} in all, not ${width}x${height}.`,
	);
}
