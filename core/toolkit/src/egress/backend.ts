import { defineBackend } from '@plinth/core';
import { z } from 'zod';
import { mediaServices } from '../services.ts';
import { FetchedImages } from './fetched-images.ts';

/**
 * Fetches pictures from addresses of the public internet that requests name:
 * `backends: { remoteImages: remoteImages() }`. Without this backend such addresses are refused.
 */
export const remoteImages = defineBackend({
	name: 'remoteImages',
	provides: mediaServices.remoteImages,
	config: z.strictObject({
		/** Whether `http` addresses are fetched as well as `https` ones. */
		allowHttp: z.boolean().default(false),
	}),
	create({ config, onStop }) {
		const images = new FetchedImages(config);
		onStop(() => images.close());
		return images;
	},
});
