import { definePlugin, services } from '@plinth/core';
import { jobKind, type VideoContext } from './context.ts';
import { videoModels } from './model.ts';
import { videoOptions } from './options.ts';
import { videoContent } from './routes/content.ts';
import { createVideo } from './routes/create.ts';
import { deleteVideo, getVideo, listVideos } from './routes/read.ts';
import { remixVideo } from './routes/remix.ts';
import { unsupportedRoutes } from './routes/unsupported.ts';
import { videoRunner } from './runner.ts';

/** Asynchronous video jobs under `/v1/videos`: create, poll, list, download, remix, delete. */
export const video = definePlugin({
	id: 'video',
	config: videoOptions,
	needs: { blobs: services.blobs, images: services.images, clock: services.clock },
	models: [videoModels],
	jobs: [jobKind],
	setup({ config: options, services: { blobs, images, clock }, models: modelsOf, job, route }) {
		const models = modelsOf(videoModels);
		const jobs = job(jobKind, videoRunner({ options, models, blobs }));
		const context: VideoContext = { options, jobs, models, blobs, images, clock };
		route(
			createVideo(context),
			listVideos(context),
			getVideo(context),
			videoContent(context),
			remixVideo(context),
			deleteVideo(context),
			...unsupportedRoutes(),
		);
	},
});
