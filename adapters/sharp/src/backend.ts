import { defineBackend, services } from '@plinth/core';
import sharp from 'sharp';
import { z } from 'zod';
import { SharpCodec } from './codec.ts';

const config = z.strictObject({
	/** How many images are worked on at the same time; the others wait. */
	concurrency: z.number().int().min(1).max(64).default(2),
});

/**
 * Images by sharp (libvips): `backends: { images: sharpImages() }`.
 *
 * From the start of the server on, sharp reads PNG, JPEG and WebP only and caches nothing, in the whole process: libvips keeps both
 * settings once per process.
 */
export const sharpImages = defineBackend({
	name: 'sharpImages',
	provides: services.images,
	config,
	create({ config }) {
		restrictLoaders();
		sharp.cache(false);
		return new SharpCodec(config.concurrency);
	},
});

/** The second line of defence behind the magic bytes: a parser that cannot run has no holes. */
function restrictLoaders(): void {
	sharp.block({ operation: ['VipsForeignLoad'] });
	sharp.unblock({
		operation: ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadWebp'],
	});
}
