import { definePlugin, optional, services } from '@plinth/core';
import { Capacity, fileSources, mediaServices, PerTenantLimit } from '@plinth/toolkit';
import { chatModels } from './model.ts';
import { chatOptions } from './options.ts';
import { createChatCompletion } from './route.ts';

/**
 * Chat that reads files: `POST /v1/chat/completions`. Without a document reader, requests with files are
 * refused. Without a file source, requests that reference stored files are refused. Without a speech reader, requests
 * with audio are refused for models without the ability `audio`.
 */
export const chat = definePlugin({
	id: 'chat',
	config: chatOptions,
	needs: {
		documents: optional(mediaServices.documents),
		images: optional(mediaServices.images),
		speech: optional(mediaServices.speech),
		clock: services.clock,
		...fileSources,
	},
	models: [chatModels],
	setup({ config: options, services: sources, models, route }) {
		const { documents, images, speech, clock } = sources;
		const textCapacity = new Capacity(options.heldChars);
		const readLimit = new PerTenantLimit(options.concurrency);
		const dependencies = { models: models(chatModels), documents, images, speech, sources, clock };
		route(createChatCompletion({ options, ...dependencies, textCapacity, readLimit }));
	},
});
