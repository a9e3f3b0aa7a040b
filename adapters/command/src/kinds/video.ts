import { defineModel, mediaTypeOf, services } from '@plinth/core';
import {
	type VideoModel,
	type VideoRequest,
	type VideoResult,
	type VideoRun,
	videoModels,
} from '@plinth/plugin-video/model';
import { z } from 'zod';
import { runJson } from '../protocol/json.ts';
import { jsonProgram, plainProgram, progressOf } from '../protocol/options.ts';
import { runPlain } from '../protocol/plain.ts';
import type { Run } from '../run/run.ts';
import { createRuns } from '../run/runs.ts';
import { checkFile, fileName } from './inputs.ts';

const placeholders = {
	required: ['width', 'height', 'seconds', 'seed'],
	optional: [],
	files: ['reference'],
};

// Without `waiting`: videos are jobs, whose queue is already bounded.
const config = z.discriminatedUnion('protocol', [
	jsonProgram.omit({ waiting: true }),
	plainProgram(placeholders)
		.omit({ waiting: true })
		.extend({ progress: progressOf(placeholders) }),
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
		const runs = createRuns(config, context);
		return {
			apiVersion: 1,
			generate: (request, videoRun) =>
				runs.use(videoRun.signal, (run) =>
					config.protocol === 'json'
						? requestVideo(run, config, request, videoRun)
						: makeVideo(run, config, request, videoRun),
				),
		};
	},
});

async function requestVideo(
	run: Run,
	config: Extract<Config, { protocol: 'json' }>,
	{ prompt, seconds, size, reference, remixOf }: VideoRequest,
	{ seed, progress }: VideoRun,
): Promise<VideoResult> {
	const referenceFile = await writeReference(run, reference);
	const request = {
		kind: 'video',
		prompt,
		seconds,
		size,
		seed,
		reference: referenceFile,
		remixOf,
	} as const;
	const warnings: string[] = [];
	for await (const message of runJson(run, config, request)) {
		if (message.type === 'progress') progress(message.value);
		if (message.type === 'warning') warnings.push(message.message);
		if (message.type !== 'result') continue;
		const body = await run.read(message.file ?? '');
		const poster = message.poster === undefined ? undefined : await run.read(message.poster);
		return {
			body,
			mediaType: 'video/mp4',
			warnings,
			// The plugin leaves out a poster with a wrong media type.
			...(poster && { poster: { body: poster, mediaType: await pictureType(poster) } }),
		};
	}
	throw new Error('The messages of a program end with a result.');
}

async function makeVideo(
	run: Run,
	config: Extract<Config, { protocol: 'plain' }>,
	{ prompt, seconds, size, reference }: VideoRequest,
	{ seed, progress }: VideoRun,
): Promise<VideoResult> {
	checkFile(config.argv, 'reference', 'input_reference', reference !== undefined);
	const referenceFile = await writeReference(run, reference);
	const body = await runPlain(run, config, {
		text: prompt,
		values: { ...size, seconds, seed, reference: referenceFile },
		output: 'output.mp4',
		onProgress: progress,
	});
	return { body, mediaType: 'video/mp4' };
}

async function writeReference(run: Run, reference: VideoRequest['reference']): Promise<string | undefined> {
	if (!reference) return undefined;
	const name = fileName('reference', reference.mediaType);
	await run.folder.write(name, await reference.bytes());
	return name;
}

async function pictureType(bytes: Uint8Array): Promise<'image/png' | 'image/webp'> {
	return (await mediaTypeOf(bytes)) === 'image/webp' ? 'image/webp' : 'image/png';
}
