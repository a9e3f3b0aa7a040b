import { definePlugin, optional, services } from '@plinth/core';
import { fileSources, mediaServices, signingKey } from '@plinth/toolkit';
import { jobKind, type VideoContext } from './context.ts';
import { VideoLinks } from './links.ts';
import { videoModels } from './model.ts';
import { videoOptions } from './options.ts';
import { videoContent } from './routes/content.ts';
import { createVideo } from './routes/create.ts';
import { videoEvents } from './routes/events.ts';
import { openRouterModels } from './routes/openrouter.ts';
import { deleteVideo, getVideo, listVideos } from './routes/read.ts';
import { remixVideo } from './routes/remix.ts';
import { videoResult } from './routes/result.ts';
import { unsupportedRoutes } from './routes/unsupported.ts';
import { videoRunner } from './runner.ts';
import { toVideo } from './wire.ts';

/** Asynchronous video jobs under `/v1/videos`: create, poll, list, download, remix, delete. */
export const video = definePlugin({
	id: 'video',
	config: videoOptions,
	needs: {
		blobs: services.blobs,
		records: optional(services.records),
		clock: services.clock,
		bus: services.events,
		images: mediaServices.images,
		feed: optional(mediaServices.feed),
		callbacks: optional(mediaServices.callbacks),
		...fileSources,
	},
	models: [videoModels],
	jobs: [jobKind],
	setup({ config: options, services: provided, models: modelsOf, job, route }) {
		const { blobs, images, feed, callbacks, records, clock, bus } = provided;
		const models = modelsOf(videoModels);
		const jobs = job(jobKind, {
			...videoRunner({ options, models, blobs, previews: feed && { bus, clock } }),
			view: (record) => toVideo(record, options.progressScale),
		});
		const ttlMs = options.urlMinutes * 60_000;
		const links = records && new VideoLinks({ key: signingKey(records, 'video.secrets'), clock, ttlMs });
		const context: VideoContext = {
			options,
			jobs,
			models,
			blobs,
			images,
			sources: provided,
			callbacks,
			links,
		};
		route(
			createVideo(context),
			listVideos(context),
			getVideo(context),
			videoContent(context),
			remixVideo(context),
			deleteVideo(context),
			openRouterModels(models, Math.floor(clock.now() / 1_000)),
			...unsupportedRoutes(),
		);
		if (links) route(videoResult(context, links));
		if (feed) route(videoEvents(feed, options));
	},
});
