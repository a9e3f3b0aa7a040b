import { defineModel, type SelfCheck, services, unsupportedValue } from '@plinth/core';
import {
	type VideoModel,
	type VideoRequest,
	type VideoResult,
	type VideoRun,
	videoModels,
} from '@plinth/plugin-video/model';
import { videoAbilityOptions } from '@plinth/toolkit';
import { z } from 'zod';
import { frameRule, framesFor } from './frames.ts';
import { commonOptions } from './options.ts';
import { type DownloadTools, downloadVideo, fileOf } from './output.ts';
import { openPrompts, type Prompts } from './prompts.ts';
import type { Server } from './server.ts';
import type { Values } from './workflow.ts';

const config = z
	.strictObject({
		...commonOptions,
		sizes: videoAbilityOptions.sizes,
		seconds: videoAbilityOptions.seconds,
		/** Frames per second of the workflow. Needed for the binding `frames`. */
		fps: z.coerce.number<number | string>().positive().max(240).optional(),
		/** Which numbers of frames the workflow takes: `4n+1` stands for 1, 5, 9, and so on. */
		frameRule: z
			.string()
			.regex(frameRule, 'Expected a rule such as "n", "8n" or "4n+1"')
			.refine((rule) => !/^0+n/.test(rule), 'The factor of a rule is 1 or more')
			.default('n'),
	})
	.refine(({ bindings, fps }) => !bindings.frames || fps !== undefined, {
		path: ['fps'],
		message: 'The binding frames needs fps: the frames per second of the workflow',
	});

type Config = z.output<typeof config>;

/** Where the values of bindings come from. */
const params = {
	prompt: 'prompt',
	width: 'size',
	height: 'size',
	frames: 'seconds',
	image: 'input_reference',
} as const;

/** A workflow as a video model. Videos continue after a restart of Plinth, and are sent again after one of ComfyUI. */
export const comfyuiVideo = defineModel({
	kind: videoModels,
	name: 'comfyui.video',
	description: 'A workflow of ComfyUI.',
	config,
	needs: { clock: services.clock },
	async create(context): Promise<VideoModel & SelfCheck> {
		const prompts = await openPrompts(context);
		const { config, services } = context;
		const { clock } = services;
		const { sizes, seconds, fps } = config;
		const timeoutMs = config.timeoutSeconds * 1_000;
		return {
			apiVersion: 1,
			abilities: { sizes, seconds, fps, reference: prompts.workflow.count('image') > 0 },
			generate: (request, run) => makeVideo(prompts, { config, clock, timeoutMs }, request, run),
			cancel: (token) => prompts.cancel(token),
			unload: () => prompts.unload(),
			check: () => prompts.check(),
		};
	},
});

type VideoTools = Pick<DownloadTools, 'clock' | 'timeoutMs'> & { readonly config: Config };

async function makeVideo(
	prompts: Prompts,
	{ config, ...tools }: VideoTools,
	request: VideoRequest,
	run: VideoRun,
): Promise<VideoResult> {
	const { workflow } = prompts;
	const { signal, log } = run;
	if (request.reference && workflow.count('image') === 0) {
		throw unsupportedValue('input_reference', 'This model does not take input_reference.');
	}
	const finished = await prompts.run(
		{
			build: async (server, id) => workflow.fill(await valuesOf(request, run, config, server, id)),
			params,
			signal,
			log,
			isPatient: true,
			progress: (fraction) => run.progress(fraction),
		},
		run,
	);
	const file = fileOf(finished.outputs, workflow.output, 'video');
	const body = downloadVideo(finished.server, file, { signal, log, ...tools });
	return { body, mediaType: 'video/mp4', warnings: fixedOf(prompts) };
}

async function valuesOf(
	{ prompt, size, seconds, reference }: VideoRequest,
	{ seed, signal }: VideoRun,
	{ fps = 0, frameRule: rule }: Config,
	server: Server,
	id: string,
): Promise<Values> {
	const values = { prompt, seed, ...size, frames: framesFor(seconds, fps, rule) };
	if (!reference) return values;
	const { mediaType } = reference;
	return { ...values, image: [await server.upload(`${id}-image-1`, await reference.bytes(), mediaType, signal)] };
}

/** What the workflow has no binding for. */
function fixedOf({ workflow }: Prompts): readonly string[] {
	const isFixed = (name: 'width' | 'height' | 'frames') => workflow.count(name) === 0;
	return [
		...(isFixed('width') || isFixed('height') ? ['The workflow makes videos of its own size.'] : []),
		...(isFixed('frames') ? ['The workflow makes videos of its own length.'] : []),
	];
}
