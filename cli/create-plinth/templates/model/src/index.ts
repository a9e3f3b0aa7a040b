import { defineModel } from '@plinth/core';
import { type ImageModel, imageModels } from '@plinth/plugin-image/model';
import { z } from 'zod';

/** An image model. This one makes a picture in one color; replace `generate`. */
export const plainPicture = defineModel({
	kind: imageModels,
	name: 'plain.image',
	description: 'One color, which the seed decides.',
	// The options of the model. A wrong option keeps the server from starting.
	config: z.strictObject({ opacity: z.number().min(0).max(1).default(1) }),
	create: ({ config }): ImageModel => ({
		apiVersion: 1,
		async generate({ size = { width: 1024, height: 1024 } }, { seed, signal }) {
			// Pass the signal to everything that waits, such as fetch: it aborts when the client disconnects.
			signal.throwIfAborted();
			const color = [seed & 255, (seed >> 8) & 255, (seed >> 16) & 255, config.opacity * 255];
			const data = Buffer.alloc(size.width * size.height * 4, Uint8Array.from(color));
			return { images: [{ ...size, data }] };
		},
	}),
});
