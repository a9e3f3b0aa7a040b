import { defineBackend } from '@plinth/core';
import { mediaServices } from '@plinth/toolkit';
import { z } from 'zod';
import { lazyCodec } from './lazy.ts';

const config = z.strictObject({
	/** Maximum images processed concurrently in the server's process; the others wait. */
	concurrency: z.coerce.number<number | string>().int().min(1).max(64).default(2),
	/** Maximum worker processes for images that need much memory. */
	workers: z.coerce.number<number | string>().int().min(1).max(16).default(1),
});

/** Delay until the library is loaded, unless a picture needs it earlier, in milliseconds. */
const loadAfterMs = 1_000;

/**
 * Images by sharp (libvips): `backends: { images: sharpImages() }`.
 *
 * The library is loaded shortly after the start of a server, to keep the start fast, or by the first
 * picture. From then on sharp reads only PNG, JPEG and WebP and caches nothing in the whole process,
 * because libvips has both settings per process. Pictures that need much memory are decoded in a worker
 * process, which starts on demand and ends after ten idle seconds.
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
		// Loaded early, so that a library that cannot be loaded is reported at the start.
		const timer = setTimeout(() => {
			codec.loaded().catch((err: unknown) => log.error({ err }, cannotLoad));
		}, loadAfterMs);
		timer.unref();
		onStop(async () => {
			clearTimeout(timer);
			// A load in progress is awaited, so that a call that waits for it cannot start a process.
			const loaded = await loading?.catch(() => undefined);
			await loaded?.pool.close();
		});
		return codec;
	},
});

const cannotLoad =
	'sharp cannot be loaded, so pictures cannot be read: install its package for this ' +
	'platform, or configure another backend for images.';

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
