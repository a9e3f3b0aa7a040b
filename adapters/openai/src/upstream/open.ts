import type { Clock, Logger } from '@plinth/core';
import type { ConnectionOptions } from '../options.ts';
import { Upstream } from './client.ts';

/** The context of a model. */
export interface UpstreamContext {
	readonly config: ConnectionOptions;
	readonly services: { readonly clock: Clock };
	readonly log: Logger;
	onStop(task: () => Promise<void>): void;
}

/** Creates the client of one model. Its connections are closed when the app stops. */
export function openUpstream({ config, services, log, onStop }: UpstreamContext): Upstream {
	const upstream = new Upstream({ options: config, clock: services.clock, log });
	onStop(() => upstream.close());
	return upstream;
}
