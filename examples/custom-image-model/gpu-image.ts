import { defineModel, modelError } from '@plinth/core';
import { imageModels } from '@plinth/plugin-image/model';
import { z } from 'zod';

/** An image model with its own server: one POST that returns square PNGs. The plugin counts, resizes and converts. */
export const gpuImage = defineModel({
	kind: imageModels,
	name: 'gpu.image',
	description: 'Paints on our own GPU server.',
	config: z.strictObject({ url: z.url() }),
	create: ({ config }) => ({
		apiVersion: 1,
		abilities: { sizes: [{ width: 1024, height: 1024 }], fit: 'cover', transparency: false },
		async generate({ prompt, steps }, { signal, seed }) {
			const body = JSON.stringify({ prompt, steps, seed });
			const answer = await fetch(`${config.url}/paint`, { method: 'POST', body, signal });
			if (!answer.ok) throw modelError(`The painter answered ${answer.status}.`);
			return { images: [{ body: await answer.bytes(), mediaType: 'image/png' }] };
		},
	}),
});
