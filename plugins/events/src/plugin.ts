import { definePlugin, services } from '@plinth/core';
import { eventsOptions } from './options.ts';
import { followEvents } from './route.ts';

/** What happens to a tenant's jobs of all kinds, live: `GET /v1/events`. */
export const events = definePlugin({
	id: 'events',
	config: eventsOptions,
	needs: { feed: services.feed },
	setup({ config: options, services: { feed }, route }) {
		route(followEvents(options, feed));
	},
});
