import { defineModel, mediaTypeOf, services } from '@plinth/core';
import type { ImageAbilities, ImageEditRequest, ImageInput, ImageModel } from '@plinth/plugin-image/model';
import {
	type ImageRequest,
	type ImageResult,
	type ImageRun,
	imageModels,
	type MadeImage,
} from '@plinth/plugin-image/model';
import { z } from 'zod';
import { placeholdersIn, requiredIn } from '../protocol/argv.ts';
import { requestJson } from '../protocol/json.ts';
import { type JsonProgram, jsonProgram, number, plainProgram } from '../protocol/options.ts';
import { runPlain } from '../protocol/plain.ts';
import type { Run } from '../run/run.ts';
import { Runs } from '../run/runs.ts';

const placeholders = {
	required: ['width', 'height', 'quality', 'background', 'format', 'compression', 'seed'],
	optional: ['steps', 'style', 'mask'],
	files: ['image'],
};

const count = (max: number) => number().int().min(1).max(max);

const size = z.strictObject({ width: count(65_535), height: count(65_535) });
const operation = z.enum(['generate', 'edit']);

/** Abilities of the program; the plugin does the rest, or refuses it. */
const abilities = {
	/** The supported sizes; absent: all sizes. */
	sizes: z.array(size).min(1).optional(),
	/** How pictures are resized to other sizes. */
	fit: z.enum(['cover', 'contain', 'fill']).optional(),
	/** Whether it supports transparent backgrounds. */
	transparency: z.boolean().default(false),
};

const config = z.discriminatedUnion('protocol', [
	jsonProgram.extend({
		...abilities,
		/** The supported operations. */
		operations: z.array(operation).min(1).default(['generate']),
		/** Maximum pictures per run. */
		count: count(10).default(1),
		/** Maximum input pictures of an edit. */
		images: count(16).default(16),
		/** Whether it accepts masks. */
		mask: z.boolean().default(false),
	}),
	plainProgram(placeholders).extend(abilities),
]);

type Config = z.output<typeof config>;
type Plain = Extract<Config, { protocol: 'plain' }>;
type AnyImageRequest = ImageRequest | ImageEditRequest;

/** A program as an image model: PNG, JPEG or WebP in its result files, or on stdout. */
export const commandImage = defineModel({
	kind: imageModels,
	name: 'command.image',
	description: 'A program of the operator.',
	config,
	needs: { clock: services.clock },
	create(context): ImageModel {
		const { config } = context;
		const runs = new Runs(config, context);
		const make = (request: AnyImageRequest, imageRun: ImageRun) =>
			runs.use<ImageResult>(imageRun.signal, (run) =>
				config.protocol === 'json'
					? requestPictures(run, config, request, imageRun)
					: makePicture(run, config, request, imageRun),
			);
		const operations = operationsOf(config);
		return {
			apiVersion: 1,
			abilities: abilitiesOf(config),
			...(operations.includes('generate') && { generate: make }),
			...(operations.includes('edit') && { edit: make }),
		};
	},
});

function operationsOf(config: Config): readonly ('generate' | 'edit')[] {
	if (config.protocol === 'json') return config.operations;
	if (requiredIn(config.argv).has('image')) return ['edit'];
	return placeholdersIn(config.argv).has('image') ? ['generate', 'edit'] : ['generate'];
}

function abilitiesOf(config: Config): ImageAbilities {
	const { sizes, fit, transparency } = config;
	const common = { transparency, ...(sizes && { sizes }), ...(fit && { fit }) };
	if (config.protocol === 'plain') return { ...common, images: 1, mask: placeholdersIn(config.argv).has('mask') };
	const { count, images, mask } = config;
	return { ...common, count, images, mask };
}

async function requestPictures(run: Run, config: JsonProgram, request: AnyImageRequest, imageRun: ImageRun) {
	const { seed, partials, partial } = imageRun;
	const operation = 'images' in request ? 'edit' : 'generate';
	const pictures = await writePictures(run, request);
	const fields = { ...request, ...pictures, kind: 'image', operation, seed, partials } as const;
	const result = await requestJson(run, config, fields, async (message) => {
		if (message.type !== 'partial' || partials === 0) return;
		const picture = await pictureOf(await run.read(message.file));
		// The client may have disconnected during the read.
		run.signal.throwIfAborted();
		partial(picture, message.image);
	});
	const { file, files = file === undefined ? [] : [file], revisedPrompt, filtered, warnings } = result;
	const images: MadeImage[] = [];
	const revised = revisedPrompt !== undefined && { revisedPrompt };
	for (const name of files) images.push({ ...(await pictureOf(await run.read(name))), ...revised });
	return { images, warnings, ...(filtered !== undefined && { filtered }) };
}

async function makePicture(run: Run, config: Plain, request: AnyImageRequest, { seed }: ImageRun) {
	const { prompt, quality, background, format, compression, steps, style } = request;
	const { width, height } = request.size ?? config.sizes?.[0] ?? { width: 1024, height: 1024 };
	const { images, mask } = await writePictures(run, request);
	const fields = { width, height, quality, background, format, compression, steps, style, seed };
	const values = { ...fields, image: images?.[0], mask };
	const body = await runPlain(run, config, { text: prompt, values, output: `output.${format}` });
	return { images: [await pictureOf(body)] };
}

/** Writes the input pictures to the folder and returns their names. */
async function writePictures(run: Run, request: AnyImageRequest): Promise<{ images?: string[]; mask?: string }> {
	if (!('images' in request)) return {};
	const write = (stem: string, { mediaType, source }: ImageInput) => run.folder.writeInput(stem, mediaType, source);
	const images: string[] = [];
	for (const [index, image] of request.images.entries()) images.push(await write(`image-${index + 1}`, image));
	return { images, ...(request.mask && { mask: await write('mask', request.mask) }) };
}

/** A picture of the detected type. The plugin refuses other types. */
export async function pictureOf(body: Uint8Array) {
	return { body, mediaType: (await mediaTypeOf(body)) as 'image/png' };
}
