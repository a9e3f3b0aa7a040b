import { definePlugin, services } from '@plinth/core';
import { fileSources, mediaServices } from '@plinth/toolkit';
import type { ImageContext } from './context.ts';
import { signingKey } from './links/signing-key.ts';
import { createSweep } from './links/sweep.ts';
import { imageModels } from './model.ts';
import { imageOptions } from './options.ts';
import { editImages } from './routes/edit.ts';
import { generateImages } from './routes/generate.ts';
import { imageResult } from './routes/result.ts';
import { WorkLoad } from './work/load.ts';

/** Pictures under `/v1/images`: made from words, made from pictures, and served behind signed URLs. */
export const image = definePlugin({
	id: 'image',
	config: imageOptions,
	needs: {
		images: mediaServices.images,
		blobs: services.blobs,
		records: services.records,
		clock: services.clock,
		...fileSources,
	},
	models: [imageModels],
	setup({ config: options, services: found, models, route, onStart, onStop, log }) {
		const { images, blobs, records, clock } = found;
		const key = signingKey(records);
		const context: ImageContext = {
			options,
			models: models(imageModels),
			images,
			sources: found,
			blobs,
			key,
			load: new WorkLoad(options.maxRequests),
			clock,
			log,
		};
		route(generateImages(context), editImages(context), imageResult(context));
		const sweep = createSweep(blobs, clock, log);
		onStart(() => sweep.start());
		onStop(() => sweep.stop());
	},
});
