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
import { ask } from '../protocol/json.ts';
import type { ResultMessage } from '../protocol/messages.ts';
import { jsonProgram, plainProgram } from '../protocol/options.ts';
import { finish } from '../protocol/plain.ts';
import type { Run } from '../run/run.ts';
import { createRuns } from '../run/runs.ts';
import { fileName } from './inputs.ts';

const placeholders = {
	always: ['width', 'height', 'quality', 'background', 'format', 'compression', 'seed'],
	sometimes: ['steps', 'style', 'mask'],
	files: ['image'],
};

// Configs in YAML hold `${NAME}`, which arrives as a string.
const count = (most: number) => z.coerce.number<number | string>().int().min(1).max(most);

/** What the program does itself; the plugin does the rest, or refuses it. */
const abilities = {
	/** The sizes that it makes; absent: every one. */
	sizes: z
		.array(z.strictObject({ width: count(65_535), height: count(65_535) }))
		.min(1)
		.optional(),
	/** How other sizes are made of these. */
	fit: z.enum(['cover', 'contain', 'fill']).optional(),
	/** Whether it makes see-through backgrounds. */
	transparency: z.boolean().default(false),
};

const config = z.discriminatedUnion('protocol', [
	jsonProgram.extend({
		...abilities,
		/** What it does. */
		operations: z
			.array(z.enum(['generate', 'edit']))
			.min(1)
			.default(['generate']),
		/** Most pictures of one run. */
		count: count(10).default(1),
		/** Most input pictures of an edit. */
		images: count(16).default(16),
		/** Whether it takes masks. */
		mask: z.boolean().default(false),
	}),
	plainProgram(placeholders).extend(abilities),
]);

type Config = z.output<typeof config>;
type Ask = ImageRequest | ImageEditRequest;

/** A program that makes pictures, changes them, or both: PNG, JPEG or WebP in its result files, or on its stdout. */
export const commandImage = defineModel({
	kind: imageModels,
	name: 'command.image',
	description: 'A program of the operator.',
	config,
	needs: { clock: services.clock },
	create(context): ImageModel {
		const { config } = context;
		const runs = createRuns(config, context);
		const make = (request: Ask, surroundings: ImageRun) =>
			runs.use(surroundings.signal, (run) =>
				config.protocol === 'json'
					? askForPictures(run, config, request, surroundings)
					: makePicture(run, config, request, surroundings),
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
	const own = { transparency, ...(sizes && { sizes }), ...(fit && { fit }) };
	if (config.protocol === 'plain') {
		return { ...own, images: 1, mask: placeholdersIn(config.argv).has('mask') };
	}
	const { count, images, mask } = config;
	return { ...own, count, images, mask };
}

async function askForPictures(
	run: Run,
	config: Extract<Config, { protocol: 'json' }>,
	request: Ask,
	{ seed, partials, partial }: ImageRun,
): Promise<ImageResult> {
	const files = await putPictures(run, request);
	const operation = 'images' in request ? 'edit' : 'generate';
	const asked = { ...request, ...files, kind: 'image', operation, seed, partials } as const;
	const warnings: string[] = [];
	for await (const said of ask(run, config, asked)) {
		if (said.type === 'warning') warnings.push(said.message);
		if (said.type === 'partial' && partials > 0) {
			const picture = await pictureOf(await run.read(said.file));
			// It may have been read while the client left.
			run.signal.throwIfAborted();
			partial(picture, said.image);
		}
		if (said.type === 'result') return { ...(await resultOf(run, said)), warnings };
	}
	throw new Error('The messages of a program end with a result.');
}

async function resultOf(run: Run, said: ResultMessage): Promise<ImageResult> {
	const { file, files = file === undefined ? [] : [file], revisedPrompt, filtered } = said;
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
	request: Ask,
	{ seed }: ImageRun,
): Promise<ImageResult> {
	const { prompt, quality, background, format, compression, steps, style } = request;
	const { width, height } = request.size ?? config.sizes?.[0] ?? { width: 1024, height: 1024 };
	const { images, mask } = await putPictures(run, request);
	const asked = { width, height, quality, background, format, compression, steps, style, seed };
	const body = await finish(run, config, {
		text: prompt,
		values: { ...asked, image: images?.[0], mask },
		output: `output.${format}`,
	});
	return { images: [await pictureOf(body)] };
}

/** Puts what the client sent into the folder; in place of the pictures stand their names. */
async function putPictures(
	run: Run,
	request: Ask,
): Promise<{ readonly images?: readonly string[]; readonly mask?: string }> {
	if (!('images' in request)) return {};
	const images: string[] = [];
	for (const [index, { mediaType, source }] of request.images.entries()) {
		const name = fileName(`image-${index + 1}`, mediaType);
		await run.folder.put(name, source);
		images.push(name);
	}
	if (!request.mask) return { images };
	const mask = fileName('mask', request.mask.mediaType);
	await run.folder.put(mask, request.mask.source);
	return { images, mask };
}

/** The plugin refuses what is no picture, with a sentence that names its type. */
async function pictureOf(body: Uint8Array) {
	return { body, mediaType: (await mediaTypeOf(body)) as 'image/png' };
}
