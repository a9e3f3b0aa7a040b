import { Capacity, definePlugin, services, TenantTurns } from '@plinth/core';
import { parseOptions } from './options.ts';
import { parseAttachments } from './route.ts';

/** Documents as text, page by page: `POST /api/attachments/parse`. */
export const parse = definePlugin({
	id: 'parse',
	config: parseOptions,
	needs: { documents: services.documents },
	setup({ config: options, services: { documents }, route }) {
		const turns = new TenantTurns(options.concurrency);
		const held = new Capacity(options.heldChars);
		route(parseAttachments({ options, documents, turns, held }));
	},
});
