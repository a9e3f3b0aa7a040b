import { definePlugin, services } from '@plinth/core';
import { mediaServices } from '@plinth/toolkit';
import { LiveFeed } from './feed/live-feed.ts';
import { eventsOptions } from './options.ts';
import { followEvents } from './route.ts';

/** Live events of a tenant's jobs: `GET /v1/events`, and the job feed for other plugins. */
export const events = definePlugin({
	id: 'events',
	config: eventsOptions,
	needs: { store: services.jobs, bus: services.events, kinds: services.jobKinds, clock: services.clock },
	provides: mediaServices.feed,
	setup({ config: options, services: { store, bus, kinds, clock }, log, route, onDrain }) {
		const feed = new LiveFeed({ store, bus, kinds }, clock, log);
		route(followEvents(options, feed));
		// Streams may last an hour; clients continue in another process.
		onDrain(() => feed.stop());
		return feed;
	},
});
