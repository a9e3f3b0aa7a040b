import { defineModel, mediaTypeOf, services } from '@plinth/core';
import {
	type ImageAbilities,
	type ImageEditRequest,
	type ImageModel,
	type ImageRequest,
	type ImageResult,
	type ImageRun,
	imageModels,
	type MadeImage,
} from '@plinth/plugin-image/model';
import { z } from 'zod';
import { placeholdersIn, requiredIn } from '../protocol/argv.ts';
import { runJson } from '../protocol/json.ts';
import type { ResultMessage } from '../protocol/messages.ts';
import { jsonProgram, plainProgram } from '../protocol/options.ts';
import { runPlain } from '../protocol/plain.ts';
import type { Run } from '../run/run.ts';
import { createRuns } from '../run/runs.ts';
import { fileName } from './inputs.ts';

const placeholders = {
	required: ['width', 'height', 'quality', 'background', 'format', 'compression', 'seed'],
	optional: ['steps', 'style', 'mask'],
	files: ['image'],
};

// Configs in YAML hold `${NAME}`, which arrives as a string.
const count = (max: number) => z.coerce.number<number | string>().int().min(1).max(max);

/** Abilities of the program; the plugin does the rest, or refuses it. */
const abilities = {
	/** The supported sizes; absent: all sizes. */
	sizes: z
		.array(z.strictObject({ width: count(65_535), height: count(65_535) }))
		.min(1)
		.optional(),
	/** How pictures are resized to other sizes. */
	fit: z.enum(['cover', 'contain', 'fill']).optional(),
	/** Whether it supports transparent backgrounds. */
	transparency: z.boolean().default(false),
};

const config = z.discriminatedUnion('protocol', [
	jsonProgram.extend({
		...abilities,
		/** The supported operations. */
		operations: z
			.array(z.enum(['generate', 'edit']))
			.min(1)
			.default(['generate']),
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
		const runs = createRuns(config, context);
		const make = (request: AnyImageRequest, imageRun: ImageRun) =>
			runs.use(imageRun.signal, (run) =>
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
	if (config.protocol === 'plain') {
		return { ...common, images: 1, mask: placeholdersIn(config.argv).has('mask') };
	}
	const { count, images, mask } = config;
	return { ...common, count, images, mask };
}

async function requestPictures(
	run: Run,
	config: Extract<Config, { protocol: 'json' }>,
	request: AnyImageRequest,
	{ seed, partials, partial }: ImageRun,
): Promise<ImageResult> {
	const files = await writePictures(run, request);
	const operation = 'images' in request ? 'edit' : 'generate';
	const fields = { ...request, ...files, kind: 'image', operation, seed, partials } as const;
	const warnings: string[] = [];
	for await (const message of runJson(run, config, fields)) {
		if (message.type === 'warning') warnings.push(message.message);
		if (message.type === 'partial' && partials > 0) {
			const picture = await pictureOf(await run.read(message.file));
			// The client may have disconnected during the read.
			run.signal.throwIfAborted();
			partial(picture, message.image);
		}
		if (message.type === 'result') return { ...(await resultOf(run, message)), warnings };
	}
	throw new Error('The messages of a program end with a result.');
}

async function resultOf(run: Run, message: ResultMessage): Promise<ImageResult> {
	const { file, files = file === undefined ? [] : [file], revisedPrompt, filtered } = message;
	const images: MadeImage[] = [];
	for (const name of files) {
		const picture = await pictureOf(await run.read(name));
		images.push({ ...picture, ...(revisedPrompt === undefined ? {} : { revisedPrompt }) });
	}
	return { images, ...(filtered === undefined ? {} : { filtered }) };
}

async function makePicture(
	run: Run,
	config: Extract<Config, { protocol: 'plain' }>,
	request: AnyImageRequest,
	{ seed }: ImageRun,
): Promise<ImageResult> {
	const { prompt, quality, background, format, compression, steps, style } = request;
	const { width, height } = request.size ?? config.sizes?.[0] ?? { width: 1024, height: 1024 };
	const { images, mask } = await writePictures(run, request);
	const fields = { width, height, quality, background, format, compression, steps, style, seed };
	const body = await runPlain(run, config, {
		text: prompt,
		values: { ...fields, image: images?.[0], mask },
		output: `output.${format}`,
	});
	return { images: [await pictureOf(body)] };
}

/** Writes the input pictures to the folder and returns their names. */
async function writePictures(
	run: Run,
	request: AnyImageRequest,
): Promise<{ readonly images?: readonly string[]; readonly mask?: string }> {
	if (!('images' in request)) return {};
	const images: string[] = [];
	for (const [index, { mediaType, source }] of request.images.entries()) {
		const name = fileName(`image-${index + 1}`, mediaType);
		await run.folder.write(name, source);
		images.push(name);
	}
	if (!request.mask) return { images };
	const mask = fileName('mask', request.mask.mediaType);
	await run.folder.write(mask, request.mask.source);
	return { images, mask };
}

/** A picture of the detected type. The plugin refuses other types. */
async function pictureOf(body: Uint8Array) {
	return { body, mediaType: (await mediaTypeOf(body)) as 'image/png' };
}
