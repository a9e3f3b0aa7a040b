import { defineModel, modelError } from '@plinth/core';
import { videoModels } from '@plinth/plugin-video/model';
import { z } from 'zod';

/** A video model with its own server: one POST that returns an MP4. */
export const gpuVideo = defineModel({
	kind: videoModels,
	name: 'gpu.video',
	description: 'Renders on our own GPU server.',
	config: z.strictObject({ url: z.url() }),
	create: ({ config }) => ({
		apiVersion: 1,
		async generate({ prompt, seconds, size }, { signal, progress, seed }) {
			const body = JSON.stringify({ prompt, seconds, ...size, seed });
			const answer = await fetch(`${config.url}/render`, { method: 'POST', body, signal });
			if (!answer.ok || !answer.body) throw modelError(`The renderer answered ${answer.status}.`);
			progress(0.5);
			return { body: answer.body, mediaType: 'video/mp4' };
		},
	}),
});
