import { defineBackend, services } from '@plinth/core';
import type Sharp from 'sharp';
import { z } from 'zod';
import { lazyCodec } from './lazy.ts';

const config = z.strictObject({
	/** How many images are worked on at the same time; the others wait. */
	concurrency: z.number().int().min(1).max(64).default(2),
});

/** How long after its creation the library is loaded, if no picture came before. */
const loadAfterMs = 1_000;

/**
 * Images by sharp (libvips): `backends: { images: sharpImages() }`.
 *
 * The library is loaded just after the start of a server, which it would hold up, or by the first picture. From then on sharp
 * reads PNG, JPEG and WebP only and caches nothing, in the whole process: libvips keeps both settings once per process.
 */
export const sharpImages = defineBackend({
	name: 'sharpImages',
	provides: services.images,
	config,
	create({ config, log, onStop }) {
		const codec = lazyCodec(() => loadCodec(config.concurrency));
		// Not only with the first picture: a library that does not run here is told early.
		const timer = setTimeout(() => {
			codec.loaded().catch((err: unknown) => log.error({ err }, cannotLoad));
		}, loadAfterMs);
		timer.unref();
		onStop(() => clearTimeout(timer));
		return codec;
	},
});

const cannotLoad =
	'sharp cannot be loaded, so no picture can be read: install its package for this platform, or configure another backend for images.';

async function loadCodec(concurrency: number) {
	const [{ default: sharp }, { SharpCodec }] = await Promise.all([
		import('sharp'),
		import('./codec.ts'),
	]);
	restrictLoaders(sharp);
	sharp.cache(false);
	return new SharpCodec(concurrency);
}

/** The second line of defence behind the magic bytes: a parser that cannot run has no holes. */
function restrictLoaders(sharp: typeof Sharp): void {
	sharp.block({ operation: ['VipsForeignLoad'] });
	sharp.unblock({
		operation: ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadWebp'],
	});
}
