import { defineBackend, services } from '@plinth/core';
import { z } from 'zod';
import { openDirectory } from './directory.ts';
import { FsBlobStore } from './store.ts';

/** Blobs as files below a directory. */
export const fsBlobs = defineBackend({
	name: 'fsBlobs',
	provides: services.blobs,
	config: z.strictObject({
		/** Made if it is missing, readable by its owner only. Nothing else should live in it. */
		dir: z.string().min(1),
	}),
	needs: { clock: services.clock },
	async create({ config, services: { clock }, log }) {
		const store = new FsBlobStore(await openDirectory(config.dir, clock, log));
		// Not left to the kernel: without jobs it never asks.
		await store.sweep();
		return store;
	},
});
