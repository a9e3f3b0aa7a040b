import { defineModel, plinthError, services, unsupportedValue } from '@plinth/core';
import {
	type VideoModel,
	type VideoRequest,
	type VideoResult,
	type VideoRun,
	videoModels,
} from '@plinth/plugin-video/model';
import { videoAbilityOptions } from '@plinth/toolkit';
import { z } from 'zod';
import { placeholdersIn, requiredIn, type Template } from '../protocol/argv.ts';
import { requestJson } from '../protocol/json.ts';
import { jsonProgram, plainProgram, progressOf } from '../protocol/options.ts';
import { runPlain } from '../protocol/plain.ts';
import type { Run } from '../run/run.ts';
import { Runs } from '../run/runs.ts';
import { pictureOf } from './image.ts';

const { reference, ...stated } = videoAbilityOptions;
const placeholders = { required: ['width', 'height', 'seconds', 'seed'], optional: [], files: ['reference'] };

// Without `waiting`: videos are jobs, whose queue is already bounded.
const config = z.discriminatedUnion('protocol', [
	jsonProgram.omit({ waiting: true }).extend({ ...stated, reference }),
	plainProgram(placeholders)
		.omit({ waiting: true })
		.extend({ ...stated, progress: progressOf(placeholders) }),
]);

type Config = z.output<typeof config>;

/** A program as a video model: MP4 in its result file, or on stdout. */
export const commandVideo = defineModel({
	kind: videoModels,
	name: 'command.video',
	description: 'A program of the operator.',
	config,
	needs: { clock: services.clock },
	create(context): VideoModel {
		const { config } = context;
		const { sizes, seconds, fps } = config;
		const reference = config.protocol === 'json' ? config.reference : placeholdersIn(config.argv).has('reference');
		const runs = new Runs(config, context);
		return {
			apiVersion: 1,
			abilities: { sizes, seconds, fps, reference },
			generate: (request, videoRun) => runs.use(videoRun.signal, (run) => make(run, config, request, videoRun)),
		};
	},
});

async function make(run: Run, config: Config, request: VideoRequest, videoRun: VideoRun): Promise<VideoResult> {
	const { seed, progress } = videoRun;
	const { prompt, seconds, size, remixOf, reference: file } = request;
	if (config.protocol === 'plain') checkReference(config.argv, file !== undefined);
	const reference = file && (await run.folder.writeInput('reference', file.mediaType, await file.bytes()));
	if (config.protocol === 'plain') {
		const values = { ...size, seconds, seed, reference };
		const body = await runPlain(run, config, { text: prompt, values, output: 'output.mp4', onProgress: progress });
		return { body, mediaType: 'video/mp4' };
	}
	const fields = { kind: 'video', prompt, seconds, size, seed, reference, remixOf } as const;
	const result = await requestJson(run, config, fields, (message) => {
		if (message.type === 'progress') progress(message.value);
	});
	const body = await run.read(result.file ?? '');
	const video = { body, mediaType: 'video/mp4', warnings: result.warnings } as const;
	if (result.poster === undefined) return video;
	const poster = await run.read(result.poster);
	// The plugin leaves out a poster with a wrong media type.
	return { ...video, poster: await pictureOf(poster) };
}

/** Checks the client's file against the placeholders of a plain program. */
function checkReference(template: Template, isSent: boolean): void {
	const param = 'input_reference';
	const hasPlaceholder = placeholdersIn(template).has('reference');
	if (isSent && !hasPlaceholder) throw unsupportedValue(param, `This model does not accept ${param}.`);
	if (isSent || !requiredIn(template).has('reference')) return;
	throw plinthError('E_VALUE_MISSING', { param, message: `This model needs ${param}.` });
}
