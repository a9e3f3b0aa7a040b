import { defineModel, type SelfCheck, services } from '@plinth/core';
import {
	type ImageEditRequest,
	type ImageModel,
	type ImageRequest,
	type ImageRun,
	imageModels,
} from '@plinth/plugin-image/model';
import type { VideoPreview } from '@plinth/plugin-video/model';
import { z } from 'zod';
import { commonOptions } from './options.ts';
import { fetchPicture } from './output.ts';
import { openPrompts } from './prompts.ts';

const config = z.strictObject({
	...commonOptions,
	/** How a picture is fitted to the size of the request. Default: a warning tells of another size. */
	fit: z.enum(['cover', 'contain', 'fill']).optional(),
});

/** A workflow as an image model: with a bound image it edits, else it generates. */
export const comfyuiImage = defineModel({
	kind: imageModels,
	name: 'comfyui.image',
	description: 'A workflow of ComfyUI.',
	config,
	needs: { clock: services.clock },
	async create(context): Promise<ImageModel & SelfCheck> {
		const { fit, keepMetadata } = context.config;
		const prompts = await openPrompts(context);
		const { workflow } = prompts;
		const isEdit = workflow.count('image') > 0;
		const make = async (
			{ prompt, size, steps, ...inputs }: ImageRequest & Partial<ImageEditRequest>,
			{ signal, log, seed, partials, partial }: ImageRun,
		) => {
			const values = { prompt, seed, steps, width: size?.width, height: size?.height };
			let shown = 0;
			const preview = (picture: VideoPreview) => {
				if (shown++ < partials) partial(picture);
			};
			const around = { signal, log, ...(partials > 0 && { preview }) };
			const { images, mask } = inputs;
			const file = await prompts.run({ makes: 'picture', values, ...(images && { images }), mask }, around);
			const isFixed = steps !== undefined && workflow.count('steps') === 0;
			return {
				images: [await fetchPicture(file, signal, keepMetadata)],
				warnings: isFixed ? ['The workflow has a fixed number of steps.'] : [],
			};
		};
		return {
			apiVersion: 1,
			abilities: {
				count: 1,
				images: Math.max(1, workflow.count('image')),
				mask: workflow.count('mask') > 0,
				transparency: false,
				...(fit && { fit }),
			},
			...(isEdit ? { edit: make } : { generate: make }),
			unload: () => prompts.unload(),
			check: () => prompts.check(),
		};
	},
});
