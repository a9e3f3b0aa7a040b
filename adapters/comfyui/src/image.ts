import { defineModel, type SelfCheck, services } from '@plinth/core';
import type { ImageEditRequest, ImageModel, ImageRequest, ImageRun } from '@plinth/plugin-image/model';
import { imageModels } from '@plinth/plugin-image/model';
import type { VideoPreview } from '@plinth/plugin-video/model';
import { z } from 'zod';
import { commonOptions } from './options.ts';
import { pictureOf } from './pictures.ts';
import { openPrompts } from './prompts.ts';

const config = z.strictObject({
	...commonOptions,
	/** How a picture is fitted to the size of the request. Default: a warning reports a picture of another size. */
	fit: z.enum(['cover', 'contain', 'fill']).optional(),
});

/** A workflow as an image model. With a binding for `image` it edits, otherwise it generates. */
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
		const inputs = { images: Math.max(1, workflow.count('image')), mask: workflow.count('mask') > 0 };
		const make = async (request: ImageRequest & Partial<ImageEditRequest>, run: ImageRun) => {
			const { prompt, size, steps, images, mask } = request;
			const { signal, log, seed, partials, partial } = run;
			let sentPartials = 0;
			const preview = (picture: VideoPreview) => void (sentPartials++ < partials && partial(picture));
			const work = { makes: 'picture', values: { prompt, seed, steps, ...size }, images, mask } as const;
			const file = await prompts.run(work, { signal, log, ...(partials > 0 && { preview }) });
			const isFixed = steps !== undefined && workflow.count('steps') === 0;
			return {
				images: [{ ...(await pictureOf(file)), dropMetadata: !keepMetadata }],
				warnings: isFixed ? ['The workflow has a fixed number of steps.'] : [],
			};
		};
		return {
			apiVersion: 1,
			abilities: { ...inputs, count: 1, transparency: false, ...(fit && { fit }) },
			...(isEdit ? { edit: make } : { generate: make }),
			unload: () => prompts.unload(),
			check: () => prompts.check(),
		};
	},
});
