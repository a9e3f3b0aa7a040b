import { defineModel } from '@plinth/core';
import { imageModels } from '@plinth/plugin-image/model';
import { z } from 'zod';

/** Fills the image with one color, which depends on the seed. */
export const plainPicture = defineModel({
	kind: imageModels,
	name: 'plain.image',
	config: z.strictObject({ opacity: z.number().min(0).max(1).default(1) }),
	create: ({ config }) => ({
		apiVersion: 1,
		async generate({ size = { width: 1024, height: 1024 } }, { seed }) {
			const color = [seed & 255, (seed >> 8) & 255, (seed >> 16) & 255, config.opacity * 255];
			const data = Buffer.alloc(size.width * size.height * 4, Uint8Array.from(color));
			return { images: [{ ...size, data }] };
		},
	}),
});
