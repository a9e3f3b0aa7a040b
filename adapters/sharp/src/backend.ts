import { defineBackend } from '@plinth/core';
import { mediaServices } from '@plinth/toolkit';
import { z } from 'zod';
import { lazyCodec } from './lazy.ts';

const config = z.strictObject({
	/** How many images are worked on at the same time in the server's process; the others wait. */
	concurrency: z.coerce.number<number | string>().int().min(1).max(64).default(2),
	/** How many processes there may be beside it, for images that take much memory. */
	workers: z.coerce.number<number | string>().int().min(1).max(16).default(1),
});

/** How long after its creation the library is loaded, if no picture came before. */
const loadAfterMs = 1_000;

/**
 * Images by sharp (libvips): `backends: { images: sharpImages() }`.
 *
 * The library is loaded just after the start of a server, which it would hold up, or by the first picture. From then on sharp
 * reads PNG, JPEG and WebP only and caches nothing, in the whole process: libvips keeps both settings once per process. Heavy pictures
 * are decoded in a process of their own, which starts with the first of them and ends when none has come for ten seconds.
 */
export const sharpImages = defineBackend({
	name: 'sharpImages',
	provides: mediaServices.images,
	config,
	create({ config, log, onStop }) {
		let loading: ReturnType<typeof loadCodec> | undefined;
		const codec = lazyCodec(async () => {
			loading = loadCodec(config);
			return (await loading).codec;
		});
		// Not only with the first picture: a library that does not run here is told early.
		const timer = setTimeout(() => {
			codec.loaded().catch((err: unknown) => log.error({ err }, cannotLoad));
		}, loadAfterMs);
		timer.unref();
		onStop(async () => {
			clearTimeout(timer);
			// Also when it is still being loaded: what waits for it must not start a process any more.
			const loaded = await loading?.catch(() => undefined);
			await loaded?.pool.close();
		});
		return codec;
	},
});

const cannotLoad =
	'sharp cannot be loaded, so no picture can be read: install its package for this platform, or configure another backend for images.';

async function loadCodec({ concurrency, workers }: z.infer<typeof config>) {
	const [{ SharpCodec }, { restrictLoaders }, { WorkerPool }] = await Promise.all([
		import('./codec.ts'),
		import('./loaders.ts'),
		import('./worker/pool.ts'),
	]);
	restrictLoaders();
	const pool = new WorkerPool({ workers });
	return { pool, codec: new SharpCodec(concurrency, pool) };
}
