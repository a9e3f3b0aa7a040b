import { definePlugin } from '@plinth/core';
import { Capacity, fileSources, mediaServices, PerTenantLimit } from '@plinth/toolkit';
import { parseOptions } from './options.ts';
import { parseAttachments } from './route.ts';

/** Reads documents as text, page by page: `POST /api/attachments/parse`. */
export const parse = definePlugin({
	id: 'parse',
	config: parseOptions,
	needs: { documents: mediaServices.documents, ...fileSources },
	setup({ config: options, services: sources, route }) {
		const { documents } = sources;
		const readLimit = new PerTenantLimit(options.concurrency);
		const textCapacity = new Capacity(options.heldChars);
		route(parseAttachments({ options, documents, sources, readLimit, textCapacity }));
	},
});
