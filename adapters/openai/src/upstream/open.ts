import type { Clock, Logger } from '@plinth/core';
import type { ConnectionOptions } from '../options.ts';
import { Upstream } from './client.ts';

/** What a model has around it. */
export interface Surroundings {
	readonly config: ConnectionOptions;
	readonly services: { readonly clock: Clock };
	readonly log: Logger;
	onStop(task: () => Promise<void>): void;
}

/** The client of one model; its connections end with the app. */
export function openUpstream({ config, services, log, onStop }: Surroundings): Upstream {
	const upstream = new Upstream({ options: config, clock: services.clock, log });
	onStop(() => upstream.close());
	return upstream;
}
