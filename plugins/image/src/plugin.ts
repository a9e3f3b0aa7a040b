import { definePlugin, services } from '@plinth/core';
import { fileSources, mediaServices, signingKey } from '@plinth/toolkit';
import type { ImageContext } from './context.ts';
import { createSweep } from './links/sweep.ts';
import { imageModels } from './model.ts';
import { imageOptions } from './options.ts';
import { editImages } from './routes/edit.ts';
import { generateImages } from './routes/generate.ts';
import { imageResult } from './routes/result.ts';
import { RequestLimit } from './work/request-limit.ts';

/** Images under `/v1/images`: generations, edits, and results behind signed URLs. */
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
	setup({ config: options, services: provided, models, route, onStart, onStop, log }) {
		const { images, blobs, records, clock } = provided;
		const key = signingKey(records, 'image.secrets');
		const context: ImageContext = {
			options,
			models: models(imageModels),
			images,
			sources: provided,
			blobs,
			key,
			requestLimit: new RequestLimit(options.maxRequests),
			clock,
			log,
		};
		route(generateImages(context), editImages(context), imageResult(context));
		const sweep = createSweep(blobs, clock, log);
		onStart(() => sweep.start());
		onStop(() => sweep.stop());
	},
});
