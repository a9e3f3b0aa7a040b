import { definePlugin, services } from '@plinth/core';
import { mediaServices } from '@plinth/toolkit';
import { LiveFeed } from './feed/live-feed.ts';
import { eventsOptions } from './options.ts';
import { followEvents } from './route.ts';

/** What happens to a tenant's jobs of all kinds, live: `GET /v1/events`, and the feed that other plugins follow jobs by. */
export const events = definePlugin({
	id: 'events',
	config: eventsOptions,
	needs: {
		store: services.jobs,
		bus: services.events,
		kinds: services.jobKinds,
		clock: services.clock,
	},
	provides: mediaServices.feed,
	setup({ config: options, services: { store, bus, kinds, clock }, log, route, onDrain }) {
		const feed = new LiveFeed({ store, bus, kinds }, clock, log);
		route(followEvents(options, feed));
		// Streams may last an hour: their clients go on in another process.
		onDrain(() => feed.stop());
		return feed;
	},
});
