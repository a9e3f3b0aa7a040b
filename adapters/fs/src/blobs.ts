import { defineBackend, services } from '@plinth/core';
import { z } from 'zod';
import { openDirectory } from './directory.ts';
import { FsBlobStore } from './store.ts';

/** Blobs as files below a directory. */
export const fsBlobs = defineBackend({
	name: 'fsBlobs',
	provides: services.blobs,
	config: z.strictObject({
		/** Created when missing, with mode 0700. No other files should be in it. */
		dir: z.string().min(1),
	}),
	needs: { clock: services.clock },
	async create({ config, services: { clock }, log }) {
		const store = new FsBlobStore(await openDirectory(config.dir, clock, log));
		// Here, because the kernel only sweeps when there are jobs.
		await store.sweep();
		return store;
	},
});
