import type { Experimental_VideoModelV3, Experimental_VideoModelV4 } from '@ai-sdk/provider';
import { defineModel, services } from '@plinth/core';
import { type VideoRequest, type VideoRun, videoModels } from '@plinth/plugin-video/model';
import { videoAbilityOptions } from '@plinth/toolkit';
import { z } from 'zod';
import { callProvider, invalidAnswer, sentences } from '../failure.ts';
import { loadModel } from '../load.ts';
import { configFor, description, flag, number, signed } from '../options.ts';
import { type Finished, type OperationModel, operate } from './operations.ts';
import { resultFiles } from './results.ts';

type ProviderVideoModel = Experimental_VideoModelV3 | Experimental_VideoModelV4;
type CallOptions = Parameters<Experimental_VideoModelV3['doGenerate']>[0];

const config = configFor<Experimental_VideoModelV3 | Experimental_VideoModelV4>()({
	/** Seconds between two polls of a video. */
	pollSeconds: number().min(0.1).max(300).default(5),
	/** Private origins, such as `http://gpu-1:9000`, from which videos are fetched, besides that of `options.baseURL`. */
	resultOrigins: z.array(z.url().transform((url) => new URL(url).origin)).default([]),
	/** Whether the ratio of width and height is sent as well, for providers that do not read sizes. */
	aspectRatio: flag().default(false),
	...videoAbilityOptions,
});

/** A video model of a provider. An operation of `doStart` is the checkpoint: no later attempt pays for it again. */
export const video = defineModel({
	kind: videoModels,
	name: 'aiSdk.video',
	description,
	config,
	needs: { clock: services.clock },
	async create({ config, services: { clock }, folder, onStop }) {
		const model = await loadModel<ProviderVideoModel>(config, 'video', folder);
		const ownOrigin = URL.parse(`${config.options.baseURL}`)?.origin;
		const files = resultFiles([...config.resultOrigins, ...(ownOrigin ? [ownOrigin] : [])], clock);
		onStop(async () => void (await files.close()));
		const { sizes, seconds, fps, reference } = config;
		const times = { clock, pollMs: config.pollSeconds * 1_000 };
		return {
			apiVersion: 1,
			abilities: { sizes, seconds, fps, reference },
			async generate(request, run) {
				const callOptions = () => optionsOf(request, run, config);
				const generateDirectly = async (): Promise<Finished> =>
					(model as Experimental_VideoModelV3).doGenerate({ ...(await callOptions()), abortSignal: run.signal });
				const { videos, warnings } = hasOperations(model)
					? await operate(model, callOptions, run, times)
					: await callProvider(run.signal, model.provider, generateDirectly);
				const body = await files.read(videos[0], run.signal);
				if (!body) throw invalidAnswer(model.provider, 'sent no video');
				return { body, mediaType: 'video/mp4', warnings: sentences(warnings) };
			},
		};
	},
});

function hasOperations(model: ProviderVideoModel): model is ProviderVideoModel & OperationModel {
	return 'doStart' in model && model.doStart !== undefined && model.doStatus !== undefined;
}

async function optionsOf(
	{ prompt, seconds, size: { width, height }, reference }: VideoRequest,
	{ seed, key }: VideoRun,
	{ aspectRatio, providerOptions }: z.output<typeof config>,
): Promise<CallOptions> {
	const unit = divisor(width, height);
	return {
		prompt,
		n: 1,
		duration: seconds,
		seed: signed(seed),
		providerOptions,
		resolution: `${width}x${height}`,
		aspectRatio: aspectRatio ? `${width / unit}:${height / unit}` : undefined,
		image: reference && { type: 'file', mediaType: reference.mediaType, data: await reference.bytes() },
		...{ fps: undefined, frameImages: undefined, inputReferences: undefined, generateAudio: undefined },
		// A provider with idempotency keys makes one video for all attempts.
		headers: { 'idempotency-key': key },
	};
}

function divisor(a: number, b: number): number {
	return b === 0 ? a : divisor(b, a % b);
}
