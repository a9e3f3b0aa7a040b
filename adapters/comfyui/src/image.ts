import { defineModel, type SelfCheck, services } from '@plinth/core';
import {
	type ImageEditRequest,
	type ImageInput,
	type ImageModel,
	type ImageRequest,
	type ImageResult,
	type ImageRun,
	imageModels,
} from '@plinth/plugin-image/model';
import { z } from 'zod';
import { commonOptions } from './options.ts';
import { fetchPicture, fileOf } from './output.ts';
import { openPrompts, type Prompts } from './prompts.ts';
import type { Server } from './server.ts';
import type { Values } from './workflow.ts';

const config = z.strictObject({
	...commonOptions,
	/** How a picture is fitted to the size of the request. Default: a warning tells of another size. */
	fit: z.enum(['cover', 'contain', 'fill']).optional(),
	/** Whether the text in PNG files stays: ComfyUI writes the whole workflow into them. */
	keepMetadata: z.union([z.boolean(), z.stringbool({ truthy: ['true'], falsy: ['false'] })]).default(false),
});

type Config = z.output<typeof config>;

/** Where the values of bindings come from. */
const params = {
	prompt: 'prompt',
	width: 'size',
	height: 'size',
	steps: 'num_inference_steps',
	image: 'image',
	mask: 'mask',
} as const;

/** A workflow as an image model: with a bound image it edits, else it generates. */
export const comfyuiImage = defineModel({
	kind: imageModels,
	name: 'comfyui.image',
	description: 'A workflow of ComfyUI.',
	config,
	needs: { clock: services.clock },
	async create(context): Promise<ImageModel & SelfCheck> {
		const { config } = context;
		const prompts = await openPrompts(context);
		const { workflow } = prompts;
		const make = (request: ImageRequest | ImageEditRequest, run: ImageRun) =>
			makePicture(prompts, config, request, run);
		return {
			apiVersion: 1,
			abilities: {
				count: 1,
				images: Math.max(1, workflow.count('image')),
				mask: workflow.count('mask') > 0,
				transparency: false,
				...(config.fit && { fit: config.fit }),
			},
			...(workflow.count('image') > 0 ? { edit: make } : { generate: make }),
			unload: () => prompts.unload(),
			check: () => prompts.check(),
		};
	},
});

async function makePicture(
	prompts: Prompts,
	config: Config,
	request: ImageRequest | ImageEditRequest,
	run: ImageRun,
): Promise<ImageResult> {
	const { workflow } = prompts;
	const { signal, log, partials, partial } = run;
	let shown = 0;
	const finished = await prompts.run({
		build: async (server, id) => workflow.fill(await valuesOf(request, run, server, id)),
		params,
		signal,
		log,
		isPatient: false,
		...(partials > 0 && {
			preview: ({ body, mediaType }) => {
				if (shown++ < partials) partial({ body, mediaType });
			},
		}),
	});
	const file = fileOf(finished.outputs, workflow.output, 'picture');
	const picture = await fetchPicture(finished.server, file, signal, config.keepMetadata);
	return { images: [picture], warnings: unboundOf(prompts, request) };
}

async function valuesOf(
	request: ImageRequest | ImageEditRequest,
	{ seed, signal }: ImageRun,
	server: Server,
	id: string,
): Promise<Values> {
	const upload = async (name: string, image: ImageInput) =>
		server.upload(`${id}-${name}`, await image.bytes(), image.mediaType, signal);
	const { prompt, size, steps } = request;
	const values = { prompt, seed, width: size?.width, height: size?.height, steps };
	if (!('images' in request)) return values;
	const image: string[] = [];
	for (const [index, input] of request.images.entries()) image.push(await upload(`image-${index + 1}`, input));
	return { ...values, image, ...(request.mask && { mask: await upload('mask', request.mask) }) };
}

/** What the client asked for and the workflow has no binding for. The plugin tells of another size. */
function unboundOf({ workflow }: Prompts, { steps }: ImageRequest): readonly string[] {
	return steps !== undefined && workflow.count('steps') === 0 ? ['The workflow has a fixed number of steps.'] : [];
}
