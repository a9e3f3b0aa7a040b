import type { ImageModelV3, ImageModelV4 } from '@ai-sdk/provider';
import { defineModel } from '@plinth/core';
import type { ImageEditRequest, ImageRequest, ImageRun } from '@plinth/plugin-image/model';
import { imageModels, pictureTypeOf } from '@plinth/plugin-image/model';
import { z } from 'zod';
import { callProvider, invalidAnswer, notSent, sentences } from './failure.ts';
import { loadModel } from './load.ts';
import { configFor, description, flag, list, number, signed } from './options.ts';

type ProviderImageModel = ImageModelV3 | ImageModelV4;
type Request = ImageRequest & Partial<ImageEditRequest>;
const side = () => number().int().min(1).max(65_535);

/** An image model of a provider. */
export const image = defineModel({
	kind: imageModels,
	name: 'aiSdk.image',
	description,
	config: configFor<ImageModelV3 | ImageModelV4>()({
		/** The operations of the model: generations, edits, or both. */
		operations: list(z.enum(['generate', 'edit'])).default(['generate']),
		/** The sizes that the model makes. Default: every requested size. */
		sizes: list(z.strictObject({ width: side(), height: side() })).optional(),
		/** How a picture is fitted to a size that the model does not make. Default: such a size is refused. */
		fit: z.enum(['cover', 'contain', 'fill']).optional(),
		/** Maximum pictures of one call. Default: the limit that the provider states, else 1. */
		count: number().int().min(1).max(10).optional(),
		/** Whether the model accepts masks whose transparent part may change. */
		mask: flag().default(true),
		/** Whether the model makes transparent backgrounds, which `providerOptions` must request. */
		transparency: flag().default(false),
	}),
	async create({ config, folder }) {
		const model = await loadModel<ProviderImageModel>(config, 'image', folder);
		const { operations, sizes, fit, mask, transparency, providerOptions } = config;
		const { maxImagesPerCall: limit, modelId, provider } = model;
		const count = config.count ?? (typeof limit === 'function' ? await limit({ modelId }) : limit) ?? 1;
		const make = async (request: Request, run: ImageRun) => {
			const options = { ...(await optionsOf(request, run)), providerOptions };
			return resultOf(await callProvider(run.signal, provider, () => model.doGenerate(options)), request, provider);
		};
		return {
			apiVersion: 1,
			abilities: { count, mask, transparency, ...(sizes ? { sizes } : {}), ...(fit ? { fit } : {}) },
			...(operations.includes('generate') ? { generate: make } : {}),
			...(operations.includes('edit') ? { edit: make } : {}),
		};
	},
});

async function optionsOf({ prompt, count, size, images, mask }: Request, { seed, signal }: ImageRun) {
	return {
		prompt,
		n: count,
		size: size && (`${size.width}x${size.height}` as const),
		aspectRatio: undefined,
		seed: signed(seed),
		files: images && (await Promise.all(images.map(fileOf))),
		mask: mask && (await fileOf(mask)),
		abortSignal: signal,
	};
}

async function fileOf({ mediaType, bytes }: ImageEditRequest['images'][number]) {
	return { type: 'file' as const, mediaType, data: await bytes() };
}

type Result = Awaited<ReturnType<ProviderImageModel['doGenerate']>>;

function resultOf({ images, usage, warnings }: Result, { count, quality, steps }: Request, provider: string) {
	if (images.length < count) throw invalidAnswer(provider, `sent ${images.length} of ${count} pictures`);
	const { inputTokens: input, outputTokens: output } = usage ?? {};
	const isCounted = input !== undefined && output !== undefined;
	return {
		images: images.slice(0, count).map((image) => pictureOf(image, provider)),
		...(isCounted ? { usage: { inputTextTokens: input, inputImageTokens: 0, outputTokens: output } } : {}),
		warnings: [...sentences(warnings), ...notSent({ quality: quality !== 'auto', num_inference_steps: steps })],
	};
}

function pictureOf(image: string | Uint8Array, provider: string) {
	const body = typeof image === 'string' ? Buffer.from(image, 'base64') : image;
	const mediaType = pictureTypeOf(body);
	if (!mediaType) throw invalidAnswer(provider, 'sent something else than a PNG, JPEG or WebP picture');
	return { body, mediaType };
}
